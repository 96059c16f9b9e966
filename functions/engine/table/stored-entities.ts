/**
 * Entities by their keys, and with their long texts. DynamoDB reads the items of a query or of a batch at different moments: a text that its entity's digest does
 * not match was read before or after a change, and both are read again.
 */

import { isRestorable } from '../model/deletion.ts';
import {
  type AnyEntity,
  type EntityName,
  type ItemFields,
  isWhole,
  type WholeDeletedEntity,
  type WholeEntity,
  type WholeOf,
} from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { decodeAnyEntity, decodeEntity, withText } from '../model/item-codec.ts';
import { entityKey, entitySortKey, textKey, textSortKey } from '../model/keys.ts';
import { isLong, longTextOf } from '../model/long-text.ts';
import type { Kind } from '../model/schema.ts';
import type { Item, Key } from '../model/writes.ts';
import type { Session } from './session.ts';

/** Consistent reads of an entity and its text. Between the two items of one read there are microseconds. */
const maxAttempts = 8;

const isEntity = ({ sk }: Item): boolean => sk === entitySortKey;
const isText = ({ sk }: Item): boolean => sk === textSortKey;

/** Waits before the next attempt. @throws StoreUnavailable when there is none. */
async function requireAttempt({ database }: Session, attempt: number): Promise<void> {
  const mayContinue = attempt < maxAttempts && (await database.deadline.backOff(attempt));
  if (!mayContinue) throw new StoreUnavailable('a long text and its entity do not match');
}

/**
 * Reads an entity, or a deleted one, and its long text consistently, in one query. What has neither has never had this id, or has expired:
 * `isExpired` tells whether a deleted one that was found can still be restored.
 * @throws StoreUnavailable when the text changes during every attempt, or is missing.
 */
export async function findAnyEntity(
  session: Session,
  kind: Kind,
  id: string,
  options = { withDeleted: true },
): Promise<WholeEntity | WholeDeletedEntity | undefined> {
  const query = {
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': entityKey(session.tenant, kind, id).pk },
    ConsistentRead: true,
  };
  for (let attempt = 1; ; attempt += 1) {
    const { items } = await session.database.query(query, undefined, options);
    const item = items.find(isEntity);
    const found = item && withText(decodeAnyEntity(item), items.find(isText));
    if (!item || found) return found;
    await requireAttempt(session, attempt);
  }
}

/** Reads an entity that exists, as `findAnyEntity` does. */
export const findEntity = (session: Session, kind: Kind, id: string) =>
  findAnyEntity(session, kind, id, { withDeleted: false }) as Promise<WholeEntity | undefined>;

/**
 * Reads the texts of entities that have digests, or of deleted ones, in one batch. Of those that rows are made of, the item can have the text. An entity whose
 * text has changed meanwhile is read again, and may be of a later version. One that was deleted or restored meanwhile is left out.
 * @param ahead items of texts that were read beside the entities. Others are read.
 * @throws StoreUnavailable when a text changes during every attempt, or is missing.
 */
export async function readTexts<Stored extends AnyEntity>(
  session: Session,
  stored: readonly Stored[],
  ahead: readonly Item[] = [],
): Promise<WholeOf<Stored>[]> {
  const { tenant, database } = session;
  const ownKey = ({ kind, entity }: Stored): Key => entityKey(tenant, kind, entity.id);
  const ownTextKey = ({ kind, entity }: Stored): Key => textKey(tenant, kind, entity.id);
  const found = new Map<string, WholeOf<Stored>>();
  const withDeleted = stored[0]?.deletion !== undefined;
  let left = stored.filter((one) => !isWhole(one));
  const keyOf = (one: Stored): Key => (isLong(longTextOf(one.entity)) ? ownTextKey(one) : ownKey(one));
  const known = new Set(ahead.map(({ pk }) => pk));
  const keys = left.map(keyOf).filter(({ pk }) => !known.has(pk));
  let items = [...ahead, ...(await database.getMany(keys, false, { withDeleted }))];
  for (let attempt = 0; ; attempt += 1) {
    // The text of an entity, if it was read, takes the place of the entity.
    const ordered = [...items.filter(isEntity), ...items.filter(isText)];
    const texts = new Map(ordered.map((item) => [item.pk, item]));
    const unmatched: Stored[] = [];
    for (const one of left) {
      const whole = withText(one, texts.get(ownKey(one).pk));
      if (whole) found.set(one.entity.id, whole);
      else unmatched.push(one);
    }
    if (unmatched.length === 0) break;
    if (attempt > 0) await requireAttempt(session, attempt);
    const keys = unmatched.flatMap((one) => [ownKey(one), ownTextKey(one)]);
    items = await database.getMany(keys, true, { withDeleted });
    const current = items.filter(isEntity).map(decodeAnyEntity) as Stored[];
    left = current.filter(({ deletion }) => withDeleted === isRestorable(deletion));
  }
  return stored.flatMap((one) => (isWhole(one) ? [one] : (found.get(one.entity.id) ?? [])));
}

/**
 * Reads entities of any kinds consistently, without their long texts. Returns them by id, without those that do not exist.
 */
export async function readEntities(
  { tenant, database }: Session,
  references: readonly EntityName[],
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
