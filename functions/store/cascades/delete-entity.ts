import { now } from '../../runtime/time-and-chance.ts';
import type { ExpectedVersions } from '../entities/preconditions.ts';
import { readEntityItem } from '../entities/read-entity.ts';
import { type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import { newDeletion } from '../model/deletion.ts';
import type { Deletion } from '../model/entity.ts';
import type { Kind } from '../model/schema.ts';
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
  /** By their ids. */
  readonly deletions: ReadonlyMap<string, Deletion>;
}

/**
 * Adds the descendants of the entities that a change set deletes: to the same transaction when they fit. Otherwise the jobs of the change set
 * delete them.
 * @param buildOwn returns the change set, with its jobs, for a transaction that includes the descendants or not.
 * @param attempt of the request, from 1.
 */
export async function buildWithDescendants(
  session: Session,
  buildOwn: (includesChildren: boolean) => ChangeSet,
  { kind, deletions }: Deleted,
  attempt: number,
): Promise<Omit<UnitOfWork<unknown>, 'result'>> {
  const own = buildOwn(false);
  const limit = maxTransactionWrites - own.changes.length - (own.writes?.length ?? 0);
  const mayRead = attempt <= maxAttemptsWithDescendants;
  const descendants = mayRead ? await findDescendants(session, kind, deletions, limit) : undefined;
  return descendants ? { ...mergeChangeSets([buildOwn(true), ...descendants]), orElse: own } : own;
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
    const { tenant, actor } = session;
    const step = { tenant, actor, nowMs: now() };
    const stored = await readEntityItem(session, kind, id, expected);
    const deletion = newDeletion(stored, actor, step.nowMs);
    const buildOwn = (includesChildren: boolean): ChangeSet =>
      buildDelete(step, stored, deletion, { includesChildren });
    const deleted = { kind, deletions: new Map([[id, deletion]]) };
    return { ...(await buildWithDescendants(session, buildOwn, deleted, attempt)), result: undefined };
  });
}
