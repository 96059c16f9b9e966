import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faults } from './faults.ts';
import { withFault } from './planted-fault.ts';

/** The list of faults, without planting any: it must not rot while the code goes on. */

const root = join(__dirname, '../../..');

test.each(faults)('$name can be planted, and its tests exist', (fault) => {
  expect(withFault(root, fault)).toContain(fault.replacement);
  expect(fault.caughtBy.length).toBeGreaterThan(0);
  expect(fault.caughtBy.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('no two faults have the same name', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
});

test('a fault whose place is gone, or is not the only one, is named', () => {
  const fault = { ...faults[0], name: 'lost', search: 'nothing like this' } as (typeof faults)[number];
  expect(() => withFault(root, fault)).toThrow(/"lost" cannot be planted: what it replaces does not occur/);
  expect(() => withFault(root, { ...fault, search: '\n' })).toThrow(/"lost" .* occurs \d+ times/);
});
