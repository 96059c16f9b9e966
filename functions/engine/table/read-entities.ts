import type { ItemFields } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { decodeAnyEntity, decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from './session.ts';

/**
 * Reads entities of any kinds consistently, without their long texts. Returns them by id, without those that do not exist.
 */
export async function readEntities(
  { tenant, database }: Session,
  references: readonly { readonly kind: Kind; readonly id: string }[],
): Promise<Map<string, ItemFields>> {
  const keys = references.filter(({ id }) => isId(id)).map(({ kind, id }) => entityKey(tenant, kind, id));
  const stored = (await database.getMany(keys)).map(decodeEntity);
  return new Map(stored.map(({ entity }) => [entity.id, entity]));
}

/** Reads an entity, or a deleted one, consistently, without its long text. */
export async function findStored({ tenant, database }: Session, kind: Kind, id: string) {
  const item = await database.get(entityKey(tenant, kind, id), { withDeleted: true });
  return item && decodeAnyEntity(item);
}

/** Reads entities of one kind that exist, consistently and in any order, without their long texts. */
export async function readStored({ tenant, database }: Session, kind: Kind, ids: readonly string[]) {
  return (await database.getMany(ids.map((id) => entityKey(tenant, kind, id)))).map(decodeEntity);
}

/** Reads entities of one kind, and deleted ones, as `readStored` does. */
export async function readAnyStored({ tenant, database }: Session, kind: Kind, ids: readonly string[]) {
  const keys = ids.map((id) => entityKey(tenant, kind, id));
  return (await database.getMany(keys, true, { withDeleted: true })).map(decodeAnyEntity);
}
