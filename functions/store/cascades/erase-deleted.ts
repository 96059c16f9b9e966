/** Removes a deleted entity for good, before it expires. */
import { hasVersion } from '../model/condition-expressions.ts';
import { erased, isRoot } from '../model/deletion.ts';
import type { DeletedEntity } from '../model/entity.ts';
import { EntityNotFound } from '../model/errors.ts';
import { decodeAnyEntity, encodeEntity } from '../model/item-codec.ts';
import { entityKey, textKey } from '../model/keys.ts';
import { cascadeKinds, type Kind } from '../model/relations.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readMembers } from './deletion-members.ts';

/** Entities in one transaction: each can have a long text. */
const batchSize = 50;

const removal = (tenant: string, deleted: DeletedEntity): Write[] => [
  { put: encodeEntity(tenant, erased(deleted), deleted.stamp ?? 0), condition: hasVersion(deleted.version) },
  { remove: textKey(tenant, deleted.kind, deleted.entity.id) },
];

/**
 * Removes a deleted entity, and what its deletion has removed besides. Their ids stay until they would have expired, so that none of them names
 * another entity. To remove one that exists, delete it first. A call that was interrupted is repeated: the entity itself goes last.
 * @returns the number of entities that were removed.
 * @throws EntityNotFound when the entity is not deleted; ConditionFailed when it was restored meanwhile.
 */
export async function eraseDeleted(session: Session, kind: Kind, id: string): Promise<number> {
  const { tenant, database } = session;
  const item = await database.get(entityKey(tenant, kind, id), { withDeleted: true });
  const found = item && decodeAnyEntity(item);
  if (!found?.deletion || found.deletion.isErased) throw new EntityNotFound(kind, id);
  let count = 1;
  for (const child of isRoot(found) ? cascadeKinds(kind) : []) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await readMembers(session, child, found.deletion, { after, limit: batchSize });
      if (page.members.length > 0)
        await database.transact(page.members.flatMap((one) => removal(tenant, one)));
      count += page.members.length;
      after = page.next;
    }
  }
  await database.transact(removal(tenant, found));
  return count;
}
