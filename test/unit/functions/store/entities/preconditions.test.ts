import { requireExpectedVersion } from '#functions/store/entities/preconditions.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { VersionMismatch } from '#functions/store/model/errors.ts';

const stored = { ...buildCreate('tag', { name: 'x', status: 'active' }, Date.now()).after, version: 3 };

test.each([
  ['any version', undefined],
  ['its version', new Set([3])],
  ['its version among others', new Set([1, 3])],
])('an entity may be changed when the caller accepts %s', (_, expected) => {
  expect(() => requireExpectedVersion(stored, expected)).not.toThrow();
});

test.each([
  ['another version', new Set([2])],
  ['no version', new Set<number>()],
])('throws VersionMismatch when the caller accepts %s', (_, expected) => {
  expect(() => requireExpectedVersion(stored, expected)).toThrow(VersionMismatch);
});
