import { type LogCursor, logCursor } from '#functions/store/lists/changes/cursor.ts';
import { hashKeys } from '#functions/store/lists/changes/key-hashes.ts';
import { ChangesMerger } from '#functions/store/lists/changes/merge-changes.ts';
import { type LogRecord, stampPrefix } from '#functions/store/model/change-log.ts';
import type { Row } from '#functions/store/model/row.ts';

const from = 1_770_000_000_000;

const record = (
  offset: number,
  id: string,
  version: number,
  more: { before?: Row; after?: Row },
): LogRecord => ({
  key: `${stampPrefix(from + offset)}aaaaaa`,
  stamp: from + offset,
  entries: [{ id, version, previousStamp: 0, ...more }],
});

const active = { status: 'active' };
const done = { status: 'done' };
const matches = (_: string, row: Row) => row['status'] === 'active';

function cursorAfter(records: readonly LogRecord[]): LogCursor {
  const keys = records.map(({ key }) => key);
  return {
    ...logCursor({ from, generation: 0, isAhead: false }),
    at: keys.at(-1),
    given: keys.length,
    hashes: hashKeys(keys, from),
  };
}

function merged(cursor: LogCursor, records: readonly LogRecord[], maxChanges = 100) {
  const merger = new ChangesMerger(cursor, matches, maxChanges);
  for (const one of records) if (!merger.add(one)) break;
  return merger.changes.map(({ id, version, after }) => [id, version, after?.['status']]);
}

const start = cursorAfter([]);

test('the highest version decides, whatever the order of the records', () => {
  const records = [
    record(1, 'a', 3, { before: done, after: active }),
    record(2, 'a', 2, { before: active, after: done }),
  ];
  expect(merged(start, records)).toEqual([['a', 3, 'active']]);
});

test('an entity comes if any of its rows matched', () => {
  const left = record(1, 'a', 2, { before: active, after: done });
  expect(merged(start, [left, record(2, 'a', 3, { before: done, after: { status: 'planned' } })])).toEqual([
    ['a', 3, 'planned'],
  ]);
  expect(merged(start, [record(1, 'a', 3, { before: active })])).toEqual([['a', 3, undefined]]);
  expect(merged(start, [record(1, 'a', 2, { before: done, after: done })])).toEqual([]);
});

test('what was given does not come again, unless a record appears beside it', () => {
  const given = [record(100, 'a', 3, { before: active, after: active })];
  const cursor = cursorAfter(given);
  expect(merged(cursor, given)).toEqual([]);
  const late = record(50, 'a', 2, { before: active, after: active });
  expect(merged(cursor, [late, ...given])).toEqual([['a', 3, 'active']]);
});

test('a page ends when it has enough new changes that match', () => {
  const others = record(1, 'x', 2, { before: done, after: done });
  const records = ['a', 'b', 'c'].map((id, index) => record(2 + index, id, 1, { after: active }));
  expect(merged(start, [others, ...records], 2).map(([id]) => id)).toEqual(['a', 'b']);
});

describe('a page that is cut', () => {
  const batch = (offset: number, ...ids: string[]): LogRecord => ({
    ...record(offset, '', 1, {}),
    entries: ids.map((id) => ({ id, version: 1, previousStamp: 0, after: active })),
  });
  const idsOf = (merger: ChangesMerger) => merger.changes.map(({ id }) => id);

  function mergerOf(cursor: LogCursor, records: readonly LogRecord[]): ChangesMerger {
    const merger = new ChangesMerger(cursor, matches, 100);
    for (const one of records) merger.add(one);
    return merger;
  }

  test('ends between two entries of a record', () => {
    const records = [batch(1, 'a', 'b'), batch(2, 'c', 'd', 'e'), batch(3, 'f')];
    const [first, second] = records.map(({ key }) => key);
    const merger = mergerOf(start, records);
    expect(merger.endAfter(2)).toEqual({ keys: [first], atEntries: 0, isCut: true, isAhead: false });
    expect(merger.endAfter(3)).toEqual({ keys: [first, second], atEntries: 1, isCut: true, isAhead: false });
    expect(merger.endAfter(6)).toMatchObject({ atEntries: 0, isCut: false });
  });

  test('is followed by the other entries', () => {
    const records = [batch(1, 'a', 'b'), batch(2, 'c', 'd')];
    const cursor = { ...cursorAfter(records), atEntries: 1 };
    expect(idsOf(mergerOf(cursor, records))).toEqual(['d']);
  });

  test('is ahead when it has a version that belongs to the next one, or ends among what was given', () => {
    const later = record(3, 'a', 2, { before: active, after: active });
    expect(mergerOf(start, [batch(1, 'a', 'b'), later]).endAfter(1).isAhead).toBe(true);
    const given = [batch(2, 'a', 'b')];
    expect(mergerOf(cursorAfter(given), [batch(1, 'x'), ...given]).endAfter(1)).toMatchObject({
      keys: [batch(1).key],
      isAhead: true,
    });
  });
});
