import fc from 'fast-check';
import {
  type ChangesCursor,
  decodeCursor,
  encodeCursor,
  logCursor,
  maxChangesCursorLength,
} from '#functions/store/lists/changes/cursor.ts';
import { bucketCount, hashKeys } from '#functions/store/lists/changes/key-hashes.ts';
import { stampPrefix } from '#functions/store/model/change-log.ts';
import { InvalidCursor } from '#functions/store/model/errors.ts';

const hash = Buffer.from('12345678');
const from = 1_770_000_000_000;
const generation = 2 ** 32 - 1;
const lastId = '01890000-0000-7000-8000-000000000001';
const keyAt = (stamp: number, end = 'abcdef') => stampPrefix(stamp) + end;

const cursors: readonly ChangesCursor[] = [
  { by: 'walk', from, generation, lastId },
  logCursor({ from: 0, generation: 0, isAhead: true }),
  {
    ...logCursor({ from, generation, isAhead: false }),
    at: keyAt(from + 700),
    atEntries: 7,
    given: 1,
    hashes: hashKeys([keyAt(from + 700)], from),
  },
];

test.each(cursors)('of $by is decoded to what was encoded', (cursor) => {
  expect(decodeCursor(hash, encodeCursor(hash, cursor))).toEqual(cursor);
});

test('has less than 1,000 characters at any rate of writes', () => {
  const keys = Array.from({ length: 4_000 }, (_, index) => keyAt(from + 1 + index * 10));
  const cursor: ChangesCursor = {
    ...logCursor({ from, generation, isAhead: true }),
    at: keys.at(-1),
    atEntries: 45,
    given: keys.length,
    hashes: hashKeys(keys, from),
  };
  expect(cursor.hashes).toHaveLength(bucketCount);
  const text = encodeCursor(hash, cursor);
  expect(text.length).toBeLessThan(maxChangesCursorLength);
  expect(decodeCursor(hash, text)).toEqual(cursor);
});

test('of another query is refused', () => {
  const text = encodeCursor(Buffer.from('87654321'), cursors[0] as ChangesCursor);
  expect(() => decodeCursor(hash, text)).toThrow(/belongs to another collection/);
});

test('that is changed in any place is refused, or is another cursor', () => {
  const texts = cursors.map((cursor) => encodeCursor(hash, cursor));
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.base64String({ minLength: 1, maxLength: 4 }),
      (text, at, piece) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + piece + text.slice(place + (at % 3));
        try {
          expect(encodeCursor(hash, decodeCursor(hash, changed))).toBe(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidCursor);
        }
      },
    ),
  );
});

test('with a key before its beginning, a stamp that no key has, or records without a key, is refused', () => {
  const log = logCursor({ from, generation, isAhead: false });
  for (const cursor of [
    { ...log, at: keyAt(from) },
    { ...log, from: 2 ** 46 },
    { ...log, at: '~' },
    { ...log, given: 3 },
    { ...log, atEntries: 3 },
    { by: 'walk', from, generation, lastId: lastId.replace('-7', '-4') },
  ] as const) {
    expect(() => decodeCursor(hash, encodeCursor(hash, cursor))).toThrow(InvalidCursor);
  }
});
