import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectComplete, expectCurrent } from '#test/support/complete.ts';

const messageOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test('says nothing about a complete list, in any order', () => {
  expect(messageOf(() => expectComplete(['b', 'a'], ['a', 'b'], { missing: 'Add it.' }))).toBeUndefined();
});

test('names each thing that is missing or not needed, and says what to do', () => {
  const advice = { missing: 'Add it to the table.' };
  expect(messageOf(() => expectComplete(['b', 'c'], ['a', 'b'], advice))).toBe(
    'a is missing. Add it to the table.\nc is not needed. Remove it.',
  );
  expect(messageOf(() => expectComplete(['c'], [], { ...advice, unneeded: 'Import it.' }))).toBe(
    'c is not needed. Import it.',
  );
});

test('names a file that is not current, and the command that writes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'current-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, 'before');
  expect(messageOf(() => expectCurrent(file, 'before'))).toBeUndefined();
  expect(messageOf(() => expectCurrent(file, 'after'))).toMatch(/openapi\.json .* Run: npm run openapi$/);
  rmSync(folder, { recursive: true });
});
