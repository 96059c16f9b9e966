import {
  decodeHistoryCursor,
  encodeHistoryCursor,
  maxHistoryCursorLength,
} from '#functions/store/entities/history-cursor.ts';
import { InvalidCursor } from '#functions/store/model/errors.ts';
import { maxStamp } from '#functions/store/model/stamp-text.ts';

const name = { kind: 'task', id: '01890000-0000-7000-8000-000000000001' } as const;

test.each([1, Date.UTC(2026, 10, 24), maxStamp])('a cursor has the stamp %d', (stamp) => {
  const cursor = encodeHistoryCursor(name, stamp);
  expect(cursor.length).toBeLessThanOrEqual(maxHistoryCursorLength);
  expect(decodeHistoryCursor(name, cursor)).toBe(stamp);
});

test('a cursor has one text', () => {
  expect(encodeHistoryCursor(name, 1_800_000_000_000)).toBe('AZ0uTxd-VnDigKDxwrE0');
});

test.each([
  ['another kind', encodeHistoryCursor({ ...name, kind: 'tag' }, 5)],
  ['another entity', encodeHistoryCursor({ ...name, id: name.id.replace('1', '2') }, 5)],
])('a cursor of %s is refused as such', (_, cursor) => {
  expect(() => decodeHistoryCursor(name, cursor)).toThrow(
    new InvalidCursor('is the cursor of another history'),
  );
});

test.each([
  ['a stamp that no record can have', encodeHistoryCursor(name, maxStamp + 1)],
  ['no stamp', encodeHistoryCursor(name, 5).slice(0, -2)],
  ['characters behind it', `${encodeHistoryCursor(name, 5)}A`],
  ['another format', `B${encodeHistoryCursor(name, 5).slice(1)}`],
  ['nothing', ''],
  ['too much', 'A'.repeat(maxHistoryCursorLength + 1)],
])('a cursor with %s is refused', (_, cursor) => {
  expect(() => decodeHistoryCursor(name, cursor)).toThrow(InvalidCursor);
});
