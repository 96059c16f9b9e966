import * as fc from 'fast-check';
import { compareText } from '../../../../../functions/shared/store/lists/first-rows.ts';
import { isId, newId } from '../../../../../functions/shared/store/model/ids.ts';
import { namePrefix } from '../../../../../functions/shared/store/model/keys.ts';

const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 255 })
  .filter((text) => text.isWellFormed());

const asBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const byCodePoint = (one: string, other: string): number => {
  const left = [...one].map((character) => character.codePointAt(0) ?? 0);
  const right = [...other].map((character) => character.codePointAt(0) ?? 0);
  const difference = left.findIndex((point, position) => point !== right[position]);
  if (difference < 0 || difference >= right.length) return left.length - right.length;
  return (left[difference] ?? 0) - (right[difference] ?? 0);
};

test('text is compared by code point', async () => {
  await fc.assert(
    fc.property(name, name, (one, other) => {
      expect(Math.sign(compareText(one, other))).toBe(Math.sign(byCodePoint(one, other)));
    }),
    { numRuns: 2_000 },
  );
  expect(compareText('\u{1F600}', '\uFFFD')).toBeGreaterThan(0);
});

test('keys by name are in the order of the names, extensions and control characters included', async () => {
  const short = fc.string({
    unit: fc.constantFrom('\u0000', '\u0001', '\u0002', ' ', '!', 'a', 'é', '\uFFFD', '😀'),
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.property(short, short, (one, other) => {
      expect(Math.sign(asBytes(namePrefix(one), namePrefix(other)))).toBe(Math.sign(byCodePoint(one, other)));
    }),
    { numRuns: 5_000 },
  );
});

test('a key by name stays below the largest sort key, for the longest name of the widest characters', async () => {
  await fc.assert(
    fc.property(name, (text) => {
      expect(Buffer.byteLength(namePrefix(text) + newId().id)).toBeLessThanOrEqual(1_024);
    }),
  );
  expect(Buffer.byteLength(namePrefix('😀'.repeat(255)) + newId().id)).toBeLessThanOrEqual(1_024);
});

test('ids are in the order in which they are made, and hold the time of creation', () => {
  const made = Array.from({ length: 5_000 }, newId);
  expect(made.map(({ id }) => id).toSorted()).toEqual(made.map(({ id }) => id));
  expect(made.map(({ createdAt }) => createdAt).toSorted()).toEqual(made.map(({ createdAt }) => createdAt));
  expect(made.every(({ id }) => isId(id))).toBe(true);
  expect(Math.abs(Date.parse(made[0]?.createdAt ?? '') - Date.now())).toBeLessThan(60_000);
});
