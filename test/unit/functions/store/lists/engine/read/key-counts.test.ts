import fc from 'fast-check';
import { buildColumn } from '#functions/store/lists/engine/format/column.ts';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import {
  countBelow,
  type KeyCounts,
  ListedKeys,
  lowerBound,
  PositionCounts,
  rowKeyAt,
  upperBound,
} from '#functions/store/lists/engine/read/key-counts.ts';
import { OrderedColumn } from '#functions/store/lists/engine/read/ordered-column.ts';
import {
  compareSortKeys,
  type SortKey,
  toSortKey,
  type ValueOrder,
} from '#functions/store/lists/engine/read/sort-key.ts';
import { order, value } from '#test/support/sort-values.ts';

const sortKeys = (by: ValueOrder, values: readonly ColumnValue[]): SortKey[] =>
  values.map((one) => toSortKey(by, one)).sort(compareSortKeys);

const count = (keys: readonly SortKey[], accepts: (key: SortKey) => boolean): number =>
  keys.filter(accepts).length;

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

describe('PositionCounts', () => {
  test('count the chosen rows by sort key', () => {
    const rows = fc.array(fc.tuple(value, fc.boolean()), { maxLength: 25 });
    fc.assert(
      fc.property(order, rows, value, (by, all, other) => {
        const chosen = [...all.keys()].filter((row) => all[row]?.[1]);
        const column = new OrderedColumn(buildColumn(all.map(([one]) => one)), by);
        const counts = new PositionCounts(column, Uint32Array.from(chosen));
        const keys = sortKeys(
          by,
          chosen.map((row) => all[row]?.[0]),
        );
        requireCounts(counts, keys, [toSortKey(by, other)]);
      }),
    );
  });

  test('of a few rows have only the positions of these', () => {
    const values = Array.from({ length: 100 }, (_, number) => String(number % 50).padStart(2, '0'));
    const column = new OrderedColumn(buildColumn(values), { field: 'name' });
    const counts = new PositionCounts(column, Uint32Array.of(70, 7, 20));
    expect(counts.size).toBe(2);
    expect([0, 1].map((position) => counts.columnPositionAt(position))).toEqual([7, 20]);
    expect([0, 1, 2].map((position) => counts.before(position))).toEqual([0, 1, 3]);
    expect(counts.keyAt(1)).toEqual(Buffer.from('20'));
    const all = new PositionCounts(column, Uint32Array.from(values.keys()));
    expect([all.size, all.columnPositionAt(7), all.before(8)]).toEqual([50, 7, 16]);
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

  test('have at each position the key that a sort of all rows has there', () => {
    fc.assert(
      fc.property(order, segments, added, (by, all, more) => {
        const columns = all.map((rows) => {
          const column = buildColumn(rows.map((one) => one.value));
          return new PositionCounts(new OrderedColumn(column, by), Uint32Array.from(rows.keys()));
        });
        const removed = all.flat().filter(({ isRemoved }) => isRemoved);
        const changes = new ListedKeys([
          ...removed.map((one) => ({ key: toSortKey(by, one.value), count: -1 })),
          ...more.map((one) => ({ key: toSortKey(by, one), count: 1 })),
        ]);
        const counts = [...columns, changes];
        const kept = all.flat().filter(({ isRemoved }) => !isRemoved);
        const keys = sortKeys(by, [...kept.map((one) => one.value), ...more]);
        expect(keys.map((_, position) => rowKeyAt(counts, position))).toEqual(keys);
        for (const key of keys) {
          expect(countBelow(counts, key)).toBe(count(keys, (one) => compareSortKeys(one, key) < 0));
        }
      }),
      { numRuns: 300 },
    );
  });
});
