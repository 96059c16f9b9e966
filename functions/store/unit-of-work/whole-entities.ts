/**
 * Entities with their long texts. DynamoDB reads the items of a query or of a batch at different moments: a text that its entity's digest does
 * not match was read before or after a change, and both are read again.
 */
import { isWhole, type StoredEntity, type WholeEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { decodeEntity, withText } from '../model/item-codec.ts';
import { entityKey, entitySortKey, textKey, textSortKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import type { Item, Key } from '../model/writes.ts';
import type { Session } from './session.ts';

/** Consistent reads of an entity and its text. Between the two items of one read there are microseconds. */
const maxAttempts = 8;

const isEntity = ({ sk }: Item): boolean => sk === entitySortKey;
const isText = ({ sk }: Item): boolean => sk === textSortKey;

/** Waits before the next attempt. @throws StoreUnavailable when there is none. */
async function requireAttempt({ database }: Session, attempt: number): Promise<void> {
  const mayContinue = attempt < maxAttempts && (await database.deadline.backOff(attempt));
  if (!mayContinue) throw new StoreUnavailable('a description and its entity do not match');
}

/**
 * Reads an entity and its long text consistently, in one query.
 * @param id must have the form of an id.
 * @throws StoreUnavailable when the text changes during every attempt, or is missing.
 */
export async function findEntity(session: Session, kind: Kind, id: string): Promise<WholeEntity | undefined> {
  const { tenant, database } = session;
  for (let attempt = 1; ; attempt += 1) {
    const { items } = await database.query({
      KeyConditionExpression: 'pk = :partition',
      ExpressionAttributeValues: { ':partition': entityKey(tenant, kind, id).pk },
      ConsistentRead: true,
    });
    const item = items.find(isEntity);
    if (!item) return undefined;
    const whole = withText(decodeEntity(item), items.find(isText));
    if (whole) return whole;
    await requireAttempt(session, attempt);
  }
}

/**
 * Reads the long texts of entities, in one batch. An entity whose text has changed meanwhile is read again, and may be of a later
 * version. One that was deleted meanwhile is left out.
 * @throws StoreUnavailable when a text changes during every attempt, or is missing.
 */
export async function readTexts(session: Session, stored: readonly StoredEntity[]): Promise<WholeEntity[]> {
  const { tenant, database } = session;
  const ownKey = ({ kind, entity }: StoredEntity): Key => entityKey(tenant, kind, entity.id);
  const ownTextKey = ({ kind, entity }: StoredEntity): Key => textKey(tenant, kind, entity.id);
  const found = new Map<string, WholeEntity>();
  let left = stored.filter((one) => !isWhole(one));
  let items = await database.getMany(left.map(ownTextKey), false);
  for (let attempt = 0; ; attempt += 1) {
    const texts = new Map(items.filter(isText).map((item) => [item.pk, item]));
    const unmatched: StoredEntity[] = [];
    for (const one of left) {
      const whole = withText(one, texts.get(ownKey(one).pk));
      if (whole) found.set(one.entity.id, whole);
      else unmatched.push(one);
    }
    if (unmatched.length === 0) break;
    if (attempt > 0) await requireAttempt(session, attempt);
    items = await database.getMany(unmatched.flatMap((one) => [ownKey(one), ownTextKey(one)]));
    left = items.filter(isEntity).map(decodeEntity);
  }
  return stored.flatMap((one) => (isWhole(one) ? [one] : (found.get(one.entity.id) ?? [])));
}
