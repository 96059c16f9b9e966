import fc from 'fast-check';
import { buildColumn } from '../../../../../../../functions/shared/store/lists/engine/column.ts';
import type { ColumnValue } from '../../../../../../../functions/shared/store/lists/engine/dictionary.ts';
import {
  compareSortKeys,
  countBelow,
  countUpTo,
  type KeyCounts,
  keyAtRank,
  ListedKeys,
  lowerBound,
  SortedColumn,
  type SortKey,
  type SortOrder,
  toSortKey,
  upperBound,
} from '../../../../../../../functions/shared/store/lists/engine/sort-key.ts';
import { rowText } from '../../../../../../../functions/shared/store/model/row.ts';

const long = 'x'.repeat(100);

/** Values of one field, and the orders that they can have. Two long descriptions have one sort key. */
const value: fc.Arbitrary<ColumnValue> = fc.constantFrom(
  ...['', 'a', 'b', 'ab', '\uFFFD', '\u{1F600}', long, rowText('description', `${long}1`)],
  ...[rowText('description', `${long}2`), null, undefined],
);

const order: fc.Arbitrary<SortOrder> = fc.constantFrom<SortOrder>(
  { field: 'description' },
  { field: 'description', defaultValue: 'b' },
  { field: 'name', ranks: ['b', 'a', '', 'ab'] },
  { field: 'name', ranks: ['b', 'a'], defaultValue: 'a' },
);

const sortKeys = (by: SortOrder, values: readonly ColumnValue[]): SortKey[] =>
  values.map((one) => toSortKey(by, one)).sort(compareSortKeys);

const count = (keys: readonly SortKey[], accepts: (key: SortKey) => boolean): number =>
  keys.filter(accepts).length;

describe('toSortKey', () => {
  test.each<[SortOrder, ColumnValue, SortKey]>([
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

/** Compares counts with the sorted keys of the rows that they count. */
function requireCounts(counts: KeyCounts, keys: readonly SortKey[], wanted: readonly SortKey[]): void {
  for (const key of [...keys, ...wanted]) {
    const below = count(keys, (one) => compareSortKeys(one, key) < 0);
    const upTo = count(keys, (one) => compareSortKeys(one, key) <= 0);
    expect([counts.before(lowerBound(counts, key)), counts.before(upperBound(counts, key))]).toEqual([
      below,
      upTo,
    ]);
  }
  const listed = Array.from({ length: counts.size }, (_, position) => counts.keyAt(position));
  expect(listed).toEqual(listed.toSorted(compareSortKeys));
  expect(counts.before(counts.size)).toBe(keys.length);
}

describe('SortedColumn', () => {
  test('counts the chosen rows by sort key', () => {
    const rows = fc.array(fc.tuple(value, fc.boolean()), { maxLength: 25 });
    fc.assert(
      fc.property(order, rows, value, (by, all, other) => {
        const chosen = [...all.keys()].filter((row) => all[row]?.[1]);
        const column = buildColumn(all.map(([one]) => one));
        const sorted = new SortedColumn(column, by, Uint32Array.from(chosen));
        const keys = sortKeys(
          by,
          chosen.map((row) => all[row]?.[0]),
        );
        requireCounts(sorted, keys, [toSortKey(by, other)]);
        for (const row of chosen) {
          expect(compareSortKeys(sorted.keyAt(sorted.positionOf(row)), toSortKey(by, all[row]?.[0]))).toBe(0);
        }
      }),
    );
  });
});

describe('ListedKeys', () => {
  test('count added rows as 1 and removed rows as -1', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
    const counts = new ListedKeys([
      { key: c, count: 1 },
      { key: a, count: -1 },
      { key: b, count: 1 },
      { key: b, count: 1 },
      { key: null, count: -1 },
    ]);
    expect(Array.from({ length: counts.size }, (_, position) => counts.keyAt(position))).toEqual([
      null,
      a,
      b,
      c,
    ]);
    expect([0, 1, 2, 3, 4].map((position) => counts.before(position))).toEqual([0, -1, -2, 0, 1]);
  });

  test('of added rows count them by sort key', () => {
    fc.assert(
      fc.property(order, fc.array(value, { maxLength: 20 }), value, (by, values, other) => {
        const keys = sortKeys(by, values);
        const counts = new ListedKeys(values.map((one) => ({ key: toSortKey(by, one), count: 1 })));
        requireCounts(counts, keys, [toSortKey(by, other)]);
      }),
    );
  });

  test('of no rows are empty', () => {
    const counts = new ListedKeys([]);
    expect(counts.size).toBe(0);
    expect(counts.before(0)).toBe(0);
  });
});

describe('several segments and changes', () => {
  const row = fc.record({ value, isRemoved: fc.boolean() });
  const segments = fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
  const added = fc.array(value, { maxLength: 6 });

  test('have at each rank the key that a sort of all rows has there', () => {
    fc.assert(
      fc.property(order, segments, added, (by, all, more) => {
        const columns = all.map((rows) => {
          const column = buildColumn(rows.map((one) => one.value));
          return new SortedColumn(column, by, Uint32Array.from(rows.keys()));
        });
        const removed = all.flat().filter(({ isRemoved }) => isRemoved);
        const changes = new ListedKeys([
          ...removed.map((one) => ({ key: toSortKey(by, one.value), count: -1 })),
          ...more.map((one) => ({ key: toSortKey(by, one), count: 1 })),
        ]);
        const counts = [...columns, changes];
        const kept = all.flat().filter(({ isRemoved }) => !isRemoved);
        const keys = sortKeys(by, [...kept.map((one) => one.value), ...more]);
        expect(keys.map((_, rank) => keyAtRank(counts, rank))).toEqual(keys);
        for (const key of keys) {
          expect(countBelow(counts, key)).toBe(count(keys, (one) => compareSortKeys(one, key) < 0));
          expect(countUpTo(counts, key)).toBe(count(keys, (one) => compareSortKeys(one, key) <= 0));
        }
      }),
      { numRuns: 300 },
    );
  });
});
