import type { LogCursor } from '#functions/store/lists/changes/cursor.ts';
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
  return { by: 'log', from, generation: 0, isAhead: false, at: keys.at(-1), hashes: hashKeys(keys, from) };
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
