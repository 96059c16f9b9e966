import type { ExpectedVersions } from '../entities/preconditions.ts';
import { readEntityItem } from '../entities/read-entity.ts';
import { type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import type { Kind } from '../model/relations.ts';
import { maxTransactionWrites } from '../model/writes.ts';
import { commit, type UnitOfWork } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findDescendants } from './descendants.ts';
import { buildDelete } from './sweep.ts';

/** Attempts to delete the descendants in the same transaction. Later attempts leave them to the job: they change too often. */
const maxAttemptsWithDescendants = 3;

/** Which entities of one kind a change set deletes. */
interface Deleted {
  readonly kind: Kind;
  readonly ids: readonly string[];
}

/**
 * Adds the descendants of the entities that a change set deletes: to the same transaction when they fit. Otherwise the jobs of the change set
 * delete them.
 * @param own the change set, with its jobs.
 * @param attempt of the request, from 1.
 */
export async function buildWithDescendants(
  session: Session,
  own: ChangeSet,
  { kind, ids }: Deleted,
  attempt: number,
): Promise<Omit<UnitOfWork<unknown>, 'result'>> {
  const limit = maxTransactionWrites - own.changes.length - (own.writes?.length ?? 0);
  const mayRead = attempt <= maxAttemptsWithDescendants;
  const descendants = mayRead ? await findDescendants(session, kind, ids, limit) : undefined;
  return descendants ? { ...mergeChangeSets([own, ...descendants]), orElse: own } : own;
}

/**
 * Deletes an entity, with its descendants in the same transaction when they fit, and otherwise by a job.
 * @throws EntityNotFound, VersionMismatch.
 */
export function deleteEntity(
  session: Session,
  kind: Kind,
  id: string,
  expected?: ExpectedVersions,
): Promise<undefined> {
  return commit(session, async (attempt) => {
    const own = buildDelete(
      { tenant: session.tenant, actor: session.actor, nowMs: await session.database.time() },
      await readEntityItem(session, kind, id, expected),
    );
    return { ...(await buildWithDescendants(session, own, { kind, ids: [id] }, attempt)), result: undefined };
  });
}
