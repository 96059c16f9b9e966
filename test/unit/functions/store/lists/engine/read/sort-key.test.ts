import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import {
  compareSortKeys,
  type SortKey,
  toSortKey,
  type ValueOrder,
} from '#functions/store/lists/engine/read/sort-key.ts';
import { rowText } from '#functions/store/model/row.ts';
import { long } from '#test/support/sort-values.ts';

describe('toSortKey', () => {
  test.each<[ValueOrder, ColumnValue, SortKey]>([
    [{ field: 'name' }, 'é', Buffer.from('é')],
    [{ field: 'name' }, '', Buffer.alloc(0)],
    [{ field: 'name' }, null, null],
    [{ field: 'name' }, undefined, null],
    [{ field: 'name', defaultValue: 'a' }, undefined, Buffer.from('a')],
    [{ field: 'name', defaultValue: 'a' }, null, null],
    [{ field: 'priority', ranks: ['low', 'high'] }, 'high', 1],
    [{ field: 'priority', ranks: ['low', 'high'], defaultValue: 'low' }, undefined, 0],
    [{ field: 'priority', ranks: ['low', 'high'] }, null, null],
    [{ field: 'description' }, rowText('description', `${long}1`), Buffer.from(long)],
  ])('returns for the order %j and the value %j the key %j', (by, one, key) => {
    expect(toSortKey(by, one)).toEqual(key);
  });
});

test('compareSortKeys has null first, then texts by code point, or ranks', () => {
  const texts: SortKey[] = ['\u{1F600}', 'b', '\uFFFD', '', 'ab'].map((text) => Buffer.from(text));
  expect([...texts, null].sort(compareSortKeys)).toEqual([
    null,
    ...['', 'ab', 'b', '\uFFFD', '\u{1F600}'].map((text) => Buffer.from(text)),
  ]);
  expect([10, null, -1, 9].sort(compareSortKeys)).toEqual([null, -1, 9, 10]);
  expect(compareSortKeys(null, null)).toBe(0);
  expect(compareSortKeys(Buffer.from('a'), Buffer.from('a'))).toBe(0);
});
