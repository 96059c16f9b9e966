/** Removes a deleted entity for good, before it expires. */
import { buildTextWrite, buildWrite } from '../model/changes.ts';
import { erased, isRoot } from '../model/deletion.ts';
import type { DeletedEntity, Deletion } from '../model/entity.ts';
import { EntityNotFound } from '../model/errors.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import { cascadeKinds } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../table/session.ts';
import { walkMembers } from './members.ts';
import { sweepLater } from './sweep.ts';

/** Entities in one transaction of 100 writes: each can have a long text, and one write begins a job. */
const batchSize = 49;

/** Returns the writes that make a deleted entity a part of another deletion. If that was erased, only the id and the version are left. */
export function moveTo(tenant: string, before: DeletedEntity, deletion: Deletion): Write[] {
  const moved = { ...before, deletion };
  const change = { before, after: deletion.isErased ? erased(moved) : moved };
  return [buildWrite(tenant, change, before.logPosition ?? 0), ...buildTextWrite(tenant, change)];
}

const buildErasure = (tenant: string, deleted: DeletedEntity): Write[] =>
  moveTo(tenant, deleted, { ...deleted.deletion, isErased: true });

/**
 * Removes a deleted entity, and what its deletion has removed besides. Their ids stay until they would have expired, so that none of them names
 * another entity. To remove one that exists, delete it first. The entity itself goes first: the jobs of its deletion, or of a restore before it,
 * then erase what they have not reached yet. A call can be repeated: it removes what is left after an interruption, and what a step that had begun before
 * has deleted.
 * @returns the number of entities that were removed.
 * @throws EntityNotFound when the entity is not deleted, or nothing is left; ConditionFailed when it was restored meanwhile.
 */
export async function eraseDeleted(session: Session, kind: Kind, id: string): Promise<number> {
  const { tenant, database } = session;
  const item = await database.get(entityKey(tenant, kind, id), { withDeleted: true });
  const stored = item && decodeAnyEntity(item);
  if (!stored?.deletion) throw new EntityNotFound(kind, id);
  let count = 0;
  if (!stored.deletion.isErased) {
    await database.transact([...buildErasure(tenant, stored), ...sweepLater(session, [stored])]);
    count += 1;
  }
  const kinds = isRoot(stored) ? cascadeKinds(kind) : [];
  for await (const { members } of walkMembers(session, [stored.deletion], kinds, { limit: batchSize })) {
    const erasures = members.flatMap((member) => buildErasure(tenant, member));
    if (erasures.length > 0) await database.transact([...erasures, ...sweepLater(session, members)]);
    count += members.length;
  }
  if (count === 0) throw new EntityNotFound(kind, id);
  return count;
}
