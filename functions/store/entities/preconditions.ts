/** The precondition of a write: the entity has a version that the caller has seen. */
import type { StoredEntity } from '../model/entity.ts';
import { VersionMismatch } from '../model/errors.ts';

/** The versions that a caller accepts; `undefined` accepts any. */
export type ExpectedVersions = ReadonlySet<number> | undefined;

export const isExpectedVersion = ({ version }: StoredEntity, expected: ExpectedVersions): boolean =>
  expected === undefined || expected.has(version);

/** @throws VersionMismatch, which the HTTP layer maps to 412, when an entity has none of the expected versions. */
export function requireExpectedVersion(stored: StoredEntity, expected: ExpectedVersions): void {
  if (!isExpectedVersion(stored, expected)) throw new VersionMismatch(stored.kind);
}
