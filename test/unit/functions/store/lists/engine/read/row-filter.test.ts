import fc from 'fast-check';
import { buildColumn } from '#functions/store/lists/engine/format/column.ts';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import {
  type FilteredColumn,
  isNotDeleted,
  isSearch,
  isText,
  matchingRows,
  onlyTexts,
  type RowFilter,
  rowPredicate,
  type TextCondition,
  textAfter,
  valuePredicate,
} from '#functions/store/lists/engine/read/row-filter.ts';
import { SearchTexts } from '#functions/store/lists/engine/read/search-texts.ts';

const texts = ['', 'a', 'B', 'a,b', 'b', '\uFFFD', '\u{1F600}'];
const anyText = fc.constantFrom(...texts, 'none');
const cell: fc.Arbitrary<ColumnValue> = fc.constantFrom(...texts, null, undefined);

const condition: fc.Arbitrary<TextCondition> = fc.oneof(
  fc.subarray([...texts, 'none']).map((all): TextCondition => ({ by: 'texts', texts: all })),
  fc
    .tuple(anyText, fc.option(anyText, { nil: undefined }))
    .map(([from, to]): TextCondition => ({ by: 'range', from, to })),
  fc
    .tuple(fc.constantFrom('beginning' as const, 'part' as const), fc.constantFrom('', 'a', 'b', ','))
    .map(([by, text]): TextCondition => ({ by, text })),
  fc
    .tuple(fc.constantFrom('anyId' as const, 'allIds' as const), fc.subarray(['a', 'b', 'c']))
    .map(([by, ids]): TextCondition => ({ by, ids })),
);

const filterOf = (field: string): fc.Arbitrary<RowFilter> =>
  fc.record({
    field: fc.constant(field),
    condition,
    isNegated: fc.boolean(),
    acceptsNull: fc.boolean(),
    defaultValue: fc.constantFrom('a', null),
  });

const table = fc.nat({ max: 30 }).chain((rows) => {
  const column = fc.array(cell, { minLength: rows, maxLength: rows });
  const range = fc.record({ from: fc.nat({ max: rows }), to: fc.nat({ max: rows }) });
  return fc.record({ one: column, other: column, range });
});

/** Returns a column as filters need it. */
function filtered(filter: RowFilter, values: readonly ColumnValue[]): FilteredColumn {
  const column = buildColumn(values);
  const searchTexts = isSearch(filter)
    ? new SearchTexts(filter.field, column.dictionary, () => {})
    : undefined;
  return { filter, column, searchTexts };
}

describe('matchingRows', () => {
  test('returns the rows of a range that all filters accept', () => {
    fc.assert(
      fc.property(table, filterOf('one'), filterOf('other'), ({ one, other, range }, first, second) => {
        const [accepts, alsoAccepts] = [valuePredicate(first), valuePredicate(second)];
        const expected = one.flatMap((value, row) =>
          row >= range.from && row < range.to && accepts(value) && alsoAccepts(other[row]) ? [row] : [],
        );
        expect([...matchingRows([filtered(first, one), filtered(second, other)], [range])]).toEqual(expected);
      }),
    );
  });

  test('returns all rows of several ranges without filters', () => {
    const ranges = [
      { from: 2, to: 5 },
      { from: 7, to: 7 },
      { from: 8, to: 9 },
    ];
    expect([...matchingRows([], ranges)]).toEqual([2, 3, 4, 8]);
    expect([...matchingRows([], [])]).toEqual([]);
  });
});

describe('valuePredicate', () => {
  const values = ['', 'a', 'ab', 'B', null, undefined];
  const accepted = (filter: Omit<RowFilter, 'field'>): ColumnValue[] =>
    values.filter(valuePredicate({ field: 'name', ...filter }));

  test.each<[string, Omit<RowFilter, 'field'>, ColumnValue[]]>([
    ['one of some texts', { condition: { by: 'texts', texts: ['a', 'B'] } }, ['a', 'B']],
    ['no other text', { condition: { by: 'texts', texts: ['A'] } }, []],
    ['texts of a range', { condition: { by: 'range', from: 'a', to: 'ab' } }, ['a']],
    ['texts from one on', { condition: { by: 'range', from: 'a', to: undefined } }, ['a', 'ab']],
    ['texts up to one', { condition: { by: 'range', from: '', to: textAfter('B') } }, ['', 'B']],
    ['texts that begin with one', { condition: { by: 'beginning', text: 'a' } }, ['a', 'ab']],
    ['texts that contain one', { condition: { by: 'part', text: 'b' } }, ['ab', 'B']],
    ['other texts', { condition: { by: 'texts', texts: ['a'] }, isNegated: true }, ['', 'ab', 'B']],
    ['null', { condition: { by: 'texts', texts: [] }, acceptsNull: true }, [null, undefined]],
    [
      'the default of rows that are older than the field',
      { condition: { by: 'texts', texts: ['a'] }, defaultValue: 'a' },
      ['a', undefined],
    ],
    [
      'null, but not the default of rows that are older than the field',
      { condition: { by: 'texts', texts: ['a'] }, isNegated: true, acceptsNull: true, defaultValue: 'a' },
      ['', 'ab', 'B', null],
    ],
  ])('accepts %s', (_, filter, expected) => {
    expect(accepted(filter)).toEqual(expected);
  });

  test('compares by code point, not by unit of UTF-16', () => {
    const accepts = valuePredicate({
      field: 'name',
      condition: { by: 'range', from: '\uFFFE', to: undefined },
    });
    expect(['\u{1F600}', '\uFFFD', '\uFFFE'].map(accepts)).toEqual([true, false, true]);
  });

  test('accepts arrays that have any or all of some ids', () => {
    const arrays = ['', 'a', 'a,b', 'b,c', 'ab'];
    const accepts = (by: 'anyId' | 'allIds', ...ids: string[]) =>
      arrays.filter(valuePredicate({ field: 'tagIds', condition: { by, ids } }));
    expect(accepts('anyId', 'a', 'c')).toEqual(['a', 'a,b', 'b,c']);
    expect(accepts('allIds', 'a', 'b')).toEqual(['a,b']);
    expect(accepts('allIds')).toEqual(arrays);
    expect(accepts('anyId')).toEqual([]);
  });
});

describe('rowPredicate', () => {
  const matches = rowPredicate([isText('name', 'a'), isText('status', 'open')]);

  test.each([
    [true, { name: 'a', status: 'open' }],
    [false, { name: 'a', status: 'done' }],
    [false, { name: 'b', status: 'open' }],
    [false, { status: 'open' }],
  ])('returns %j for the row %j', (isMatch, row) => {
    expect(matches(row)).toBe(isMatch);
  });

  test('returns true without filters', () => {
    expect(rowPredicate([])({ name: 'a' })).toBe(true);
  });
});

describe('onlyTexts', () => {
  test.each([[['open']], [['open', 'done']], [[]]])(
    'returns the only texts that a filter accepts: %j',
    (all) => {
      const filter: RowFilter = { field: 'status', condition: { by: 'texts', texts: all } };
      expect(onlyTexts(filter)).toEqual(all);
      expect(onlyTexts({ ...filter, defaultValue: 'active' })).toEqual(all);
    },
  );

  test.each<[string, RowFilter]>([
    ['other texts', { ...isText('status', 'a'), isNegated: true }],
    ['null', { ...isText('status', 'a'), acceptsNull: true }],
    ['rows without the field', { ...isText('status', 'a'), defaultValue: 'a' }],
    ['arrays with an id', { field: 'tagIds', condition: { by: 'anyId', ids: ['a'] } }],
  ])('returns undefined for a filter that accepts %s', (_, filter) => {
    expect(onlyTexts(filter)).toBeUndefined();
  });
});

test('isNotDeleted accepts all versions but those of deletions', () => {
  expect(isNotDeleted.field).toBe('$version');
  expect(['-2', '-10', '1', '10'].map(valuePredicate(isNotDeleted))).toEqual([false, false, true, true]);
});
