/** The precondition of a write: the entity has a version that the caller has seen. */
import type { ExpectedVersions, StoredEntity } from '../model/entity.ts';
import { VersionMismatch } from '../model/errors.ts';

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
