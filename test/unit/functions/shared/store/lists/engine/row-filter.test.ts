import fc from 'fast-check';
import { buildColumn } from '../../../../../../../functions/shared/store/lists/engine/column.ts';
import type { ColumnValue } from '../../../../../../../functions/shared/store/lists/engine/dictionary.ts';
import {
  isNotDeleted,
  matchesRow,
  matchingRows,
  type RowFilter,
} from '../../../../../../../functions/shared/store/lists/engine/row-filter.ts';

const texts = ['', 'a', 'b', 'c'];
const cell: fc.Arbitrary<ColumnValue> = fc.constantFrom(...texts, null, undefined);

/** A filter that accepts some values, or one text, which an absent value may stand for. */
const filterOf = (field: string): fc.Arbitrary<RowFilter> =>
  fc.oneof(
    fc.subarray<ColumnValue>([...texts, null, undefined]).map((accepted) => ({
      field,
      accepts: (value: ColumnValue) => accepted.includes(value),
    })),
    fc.tuple(fc.constantFrom(...texts, 'd'), fc.boolean()).map(([text, isDefault]) => ({
      field,
      text,
      accepts: (value: ColumnValue) => value === text || (isDefault && value === undefined),
    })),
  );

const table = fc.nat({ max: 30 }).chain((rows) => {
  const column = fc.array(cell, { minLength: rows, maxLength: rows });
  return fc.record({
    one: column,
    other: column,
    from: fc.nat({ max: rows }),
    to: fc.nat({ max: rows }),
  });
});

describe('matchingRows', () => {
  test('returns the rows of a range that all filters accept', () => {
    fc.assert(
      fc.property(table, filterOf('one'), filterOf('other'), ({ one, other, from, to }, first, second) => {
        const expected = one.flatMap((value, row) =>
          row >= from && row < to && first.accepts(value) && second.accepts(other[row]) ? [row] : [],
        );
        const columns = [buildColumn(one), buildColumn(other)];
        expect([...matchingRows([first, second], columns, { from, to })]).toEqual(expected);
      }),
    );
  });

  test('returns all rows of the range without filters', () => {
    expect([...matchingRows([], [], { from: 2, to: 5 })]).toEqual([2, 3, 4]);
  });

  test('does not decide the texts of a filter that accepts one text', () => {
    const decided: ColumnValue[] = [];
    const accepts = (value: ColumnValue): boolean => {
      decided.push(value);
      return false;
    };
    const columns = [buildColumn(['a', 'b', 'a', null])];
    const rows = matchingRows([{ field: 'name', accepts, text: 'a' }], columns, { from: 0, to: 4 });
    expect([...rows]).toEqual([0, 2]);
    expect(decided).toEqual([null]);
  });
});

describe('matchesRow', () => {
  const isA: RowFilter = { field: 'name', accepts: (value) => value === 'a' };
  const isOpen: RowFilter = { field: 'status', accepts: (value) => value === 'open' };

  test.each([
    [true, { name: 'a', status: 'open' }],
    [false, { name: 'a', status: 'done' }],
    [false, { name: 'b', status: 'open' }],
    [false, { status: 'open' }],
  ])('returns %j for the row %j', (isMatch, row) => {
    expect(matchesRow([isA, isOpen], row)).toBe(isMatch);
  });

  test('returns true without filters', () => {
    expect(matchesRow([], { name: 'a' })).toBe(true);
  });

  test('decides undefined for a field that the row does not have', () => {
    expect(matchesRow([{ field: 'color', accepts: (value) => value === undefined }], { name: 'a' })).toBe(
      true,
    );
  });
});

test('isNotDeleted accepts all versions but 0', () => {
  const { field, accepts } = isNotDeleted('$version');
  expect(field).toBe('$version');
  expect(['0', '1', '10'].map(accepts)).toEqual([false, true, true]);
});
