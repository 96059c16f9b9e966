import type { ItemFields } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { decodeEntity } from '../model/item-codec.ts';
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
