import type { Kind } from '../model/schema.ts';
import { entityOfUniqueValue, uniqueKey, uniqueValueOf } from '../model/unique-value.ts';
import type { Session } from '../table/session.ts';
import { findEntity } from '../table/stored-entities.ts';

export async function findByUniqueValue(session: Session, kind: Kind, value: string) {
  const item = await session.database.get(uniqueKey(session.tenant, kind, value));
  const entity = item && (await findEntity(session, kind, entityOfUniqueValue(item).id));
  // Between the two reads, the entity can get another value.
  return uniqueValueOf(entity) === value ? entity : undefined;
}
