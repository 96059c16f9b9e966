/** Removes a deleted entity for good, before it expires. */
import { buildMove, type ChangeSet } from '../model/changes.ts';
import { isRoot } from '../model/deletion.ts';
import type { DeletedEntity } from '../model/entity.ts';
import { EntityNotFound, RestoreInProgress } from '../model/errors.ts';
import { cascadeKinds } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { findStored } from '../table/stored-entities.ts';
import { applyChangeSet } from '../write/commit.ts';
import { readMembers } from './members.ts';
import { isPartBeingRestored } from './restore.ts';
import { sweepLater } from './sweep.ts';

/** Entities in one transaction of 100 writes: each can have a long text, one write is their record, and one begins a job. */
const batchSize = 49;

/** Returns the change set that erases deleted entities of one kind. Children that a request or a step adds meanwhile are erased by a job. */
const buildErasure = (session: Session, deleted: readonly DeletedEntity[]): ChangeSet => ({
  changes: deleted.map((one) => buildMove(one, { ...one.deletion, isErased: true })),
  writes: sweepLater(session, deleted),
});

/**
 * Removes a deleted entity, and what its deletion has removed besides. Their ids stay until they would have expired, so that none of them names
 * another entity. To remove one that exists, delete it first. The entity itself goes first: the jobs of its deletion, or of a restore before it,
 * then erase what they have not reached yet. A call can be repeated: it removes what is left after an interruption, and what a step that had begun before
 * has deleted.
 * @returns the number of entities that were removed, by kind. Their values are in columns until these are written again.
 * @throws EntityNotFound when the entity is not deleted, or nothing is left; ConditionFailed when it was restored meanwhile; RestoreInProgress of a part.
 */
export async function eraseDeleted(
  session: Session,
  kind: Kind,
  id: string,
): Promise<ReadonlyMap<Kind, number>> {
  const stored = await findStored(session, kind, id);
  if (!stored?.deletion) throw new EntityNotFound(kind, id);
  const { root } = stored.deletion;
  const counts = new Map<Kind, number>();
  const erase = async (of: Kind, deleted: readonly DeletedEntity[]): Promise<void> => {
    if (deleted.length === 0) return;
    if (await isPartBeingRestored(session, root)) throw new RestoreInProgress();
    await applyChangeSet(session, buildErasure(session, deleted));
    counts.set(of, (counts.get(of) ?? 0) + deleted.length);
  };
  if (!stored.deletion.isErased) await erase(kind, [stored]);
  const kinds = isRoot(stored) ? cascadeKinds(kind) : [];
  const read = (from?: Awaited<ReturnType<typeof readMembers>>) =>
    readMembers(session, [stored.deletion], kinds, { ...(from && { from: from.next }), limit: batchSize });
  for (let page = await read(); page; page = await read(page)) await erase(page.kind, page.members);
  if (counts.size === 0) throw new EntityNotFound(kind, id);
  return counts;
}
