import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import {
  compareSortKeys,
  rowComparator,
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

describe('rowComparator', () => {
  const rows = [
    { id: '1', keys: [1, null] },
    { id: '2', keys: [1, Buffer.from('a')] },
    { id: '3', keys: [0, Buffer.from('b')] },
    { id: '4', keys: [1, null] },
  ];
  const ids = (directions: readonly boolean[], isDescending: boolean): string =>
    rows
      .toSorted(
        rowComparator(
          directions.map((own, level) => ({ field: `field${level}`, isDescending: own })),
          isDescending,
        ),
      )
      .map(({ id }) => id)
      .join('');

  test('compares by each key in its own direction, then by id', () => {
    expect(ids([], false)).toBe('1234');
    expect(ids([], true)).toBe('4321');
    expect(ids([false, false], false)).toBe('3142');
    expect(ids([false, false], true)).toBe('3412');
    expect(ids([true, false], true)).toBe('4123');
    expect(ids([true, true], false)).toBe('2143');
  });
});
