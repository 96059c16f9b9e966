import fc from 'fast-check';
import { buildColumn } from '#functions/store/lists/engine/format/column.ts';
import { OrderedColumn } from '#functions/store/lists/engine/read/ordered-column.ts';
import { compareSortKeys, toSortKey } from '#functions/store/lists/engine/read/sort-key.ts';
import { PositionCounts } from '#functions/store/lists/engine/read/sort-key-counts.ts';
import { order, value } from '#test/support/sort-values.ts';

test('OrderedColumn has the distinct values in the order of their sort keys', () => {
  fc.assert(
    fc.property(order, fc.array(value, { maxLength: 25 }), (by, values) => {
      const column = new OrderedColumn(buildColumn(values), by);
      const keys = Array.from({ length: column.size }, (_, position) => column.keyAt(position));
      expect(keys).toEqual(keys.toSorted(compareSortKeys));
      for (const [row, one] of values.entries())
        expect(compareSortKeys(column.keyAt(column.positionOf(row)), toSortKey(by, one))).toBe(0);
    }),
  );
});

test('countsOf counts some rows, and all rows once', () => {
  const column = new OrderedColumn(buildColumn(['b', 'a', 'b']), { field: 'name' });
  const all = column.countsOf(Uint32Array.of(0, 1, 2));
  expect(all).toEqual(new PositionCounts(column, Uint32Array.of(0, 1, 2)));
  expect(column.countsOf(Uint32Array.of(0, 1, 2))).toBe(all);
  expect(column.countsOf(Uint32Array.of(0, 2)).before(1)).toBe(0);
  expect(column.countsOf(Uint32Array.of(0, 2)).before(2)).toBe(2);
});

test('rowsBetween returns the rows of some positions in their order', () => {
  const bounds = fc.tuple(fc.nat(26), fc.nat(26));
  fc.assert(
    fc.property(order, fc.array(value, { maxLength: 25 }), bounds, (by, values, [one, other]) => {
      const column = new OrderedColumn(buildColumn(values), by);
      const from = Math.min(one, other, column.size);
      const to = Math.min(Math.max(one, other), column.size);
      const rows = [...values.keys()].filter((row) => {
        const position = column.positionOf(row);
        return position >= from && position < to;
      });
      expect([...column.rowsBetween({ from, to })]).toEqual(rows);
    }),
  );
});
