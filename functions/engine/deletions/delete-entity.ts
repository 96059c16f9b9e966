import { now } from '../../runtime/time-and-chance.ts';
import { findRefusal } from '../entities/permissions.ts';
import { readEntityItem } from '../entities/read-entity.ts';
import { countChildren } from '../lists/children.ts';
import { decidesWhoViewersAre, membersRuleOf } from '../model/access.ts';
import { buildDeletion, type Change } from '../model/changes.ts';
import { newDeletion } from '../model/deletion.ts';
import type { ExpectedVersions, StoredEntity } from '../model/entity.ts';
import { NotAMember } from '../model/errors.ts';
import { dependentsOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import { maxTransactionWrites } from '../model/writes.ts';
import { type Session, withoutSight } from '../table/session.ts';
import { commit, type UnitOfWork } from '../write/commit.ts';
import { findDescendants, nameOf } from './descendants.ts';
import { beginSweep, sweepLater } from './sweep.ts';

/** Attempts to delete the descendants in the same transaction. Later attempts leave them to the job: they change too often. */
const maxAttemptsWithDescendants = 3;

/** Returns whether a viewer is named as a member of something whose other members the caller is not among: without it, that could be without members. */
async function isMemberBesides(session: Session, kind: Kind, id: string): Promise<boolean> {
  for (const relation of dependentsOf(kind)) {
    const rule = membersRuleOf(relation.child);
    if (rule?.members !== relation.field) continue;
    const user = await session.sight?.user(relation.child);
    const ids = user === undefined ? [id] : [id, user];
    const [named, shared] = await Promise.all([
      countChildren(session, relation, [id]),
      countChildren(session, relation, ids),
    ]);
    if (user === undefined ? named > 0 : named > shared) return true;
  }
  return false;
}

/** Returns why the caller may not delete an entity; `undefined` when the caller may. @returns the errors of `findRefusal`. */
export async function findRefusalOfDeletion(session: Session, change: Change) {
  const { before } = change;
  const refusal = await findRefusal(session, change);
  if (refusal || !session.sight || !before || !decidesWhoViewersAre(before.kind)) return refusal;
  if (!(await isMemberBesides(session, before.kind, before.entity.id))) return undefined;
  return new NotAMember(`Only members of what the ${before.kind} is a member of delete it.`);
}

/**
 * Returns the changes that delete entities of one kind, with their descendants in the same transaction when they fit. Otherwise one job deletes these. Each of the
 * deletions is one of its own: one of the entities can be restored without the others.
 * @param attempt of the request, from 1.
 */
export async function buildDeletions(
  session: Session,
  deleted: readonly StoredEntity[],
  others: readonly Change[],
  attempt: number,
): Promise<Omit<UnitOfWork<unknown>, 'result'>> {
  const [first] = deleted;
  if (!first) return { changes: others };
  const nowMs = now();
  const own = deleted.map((stored) => buildDeletion(stored, newDeletion(stored, session.actor, nowMs)));
  const changes = [...others, ...own];
  if (dependentsOf(first.kind).length === 0) return { changes };
  const deletions = new Map(own.map(({ after }) => [after.entity.id, after.deletion]));
  const begun = {
    changes,
    writes: [beginSweep(session, first.kind, [...deletions.keys()])],
  };
  const limit = maxTransactionWrites - changes.length - begun.writes.length;
  const mayRead = attempt <= maxAttemptsWithDescendants;
  const found = new Set(changes.map((change) => nameOf(change.after as StoredEntity)));
  const descendants = mayRead
    ? await findDescendants(withoutSight(session), { kind: first.kind, deletions, found }, limit)
    : undefined;
  if (!descendants) return begun;
  return { changes: [...changes, ...descendants], writes: sweepLater(session, deleted), orElse: begun };
}

/**
 * Deletes an entity, with its descendants in the same transaction when they fit, and otherwise by a job: also those that the caller does not see.
 * @throws EntityNotFound, VersionMismatch, NeedsFullSight.
 */
export function deleteEntity(session: Session, kind: Kind, id: string, expected?: ExpectedVersions) {
  return commit(session, async (attempt, takePositions) => {
    const stored = await readEntityItem(session, kind, id, expected);
    const refusal = await findRefusalOfDeletion(session, { before: stored });
    if (refusal) throw refusal;
    takePositions([kind]);
    return { ...(await buildDeletions(session, [stored], [], attempt)), result: null };
  });
}
