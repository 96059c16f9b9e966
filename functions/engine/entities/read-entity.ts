import type { ExpectedVersions, StoredEntity } from '../model/entity.ts';
import { EntityNotFound, VersionMismatch } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { findEntity } from '../table/stored-entities.ts';

export function versionMismatch(stored: StoredEntity, expected: ExpectedVersions) {
  if (expected === undefined) return undefined;
  if (expected === 'none') return new VersionMismatch(stored, 'no version');
  return expected.has(stored.version) ? undefined : new VersionMismatch(stored, 'some versions');
}

/** @throws VersionMismatch, which the HTTP layer maps to 412, when an entity has none of the expected versions. */
export function requireExpectedVersion(stored: StoredEntity, expected: ExpectedVersions): void {
  const error = versionMismatch(stored, expected);
  if (error) throw error;
}

/**
 * Reads an entity consistently.
 * @throws EntityNotFound, also for texts that do not have the form of an id.
 * @throws VersionMismatch when it has none of the expected versions.
 */
export async function readEntity(session: Session, kind: Kind, id: string, expected?: ExpectedVersions) {
  const whole = isId(id) ? await findEntity(session, kind, id) : undefined;
  if (!whole) throw new EntityNotFound(kind, id);
  requireExpectedVersion(whole, expected);
  return whole;
}

/**
 * Reads an entity consistently, without its long text.
 * @throws EntityNotFound, VersionMismatch: see `readEntity`.
 */
export async function readEntityItem(session: Session, kind: Kind, id: string, expected?: ExpectedVersions) {
  const item = isId(id) ? await session.database.get(entityKey(session.tenant, kind, id)) : undefined;
  if (!item) throw new EntityNotFound(kind, id);
  const stored = decodeEntity(item);
  requireExpectedVersion(stored, expected);
  return stored;
}
