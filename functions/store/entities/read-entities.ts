import type { Entity } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readTexts } from '../unit-of-work/whole-entities.ts';

/**
 * Reads entities of any kinds consistently, in one batch read, and their long texts in another one. Returns them by id, without those that do
 * not exist.
 */
export async function readEntities(
  session: Session,
  references: readonly { readonly kind: Kind; readonly id: string }[],
): Promise<Map<string, Entity>> {
  const keys = references
    .filter(({ id }) => isId(id))
    .map(({ kind, id }) => entityKey(session.tenant, kind, id));
  const stored = (await session.database.getMany(keys)).map(decodeEntity);
  const whole = await readTexts(session, stored);
  return new Map(whole.map(({ entity }) => [entity.id, entity]));
}
