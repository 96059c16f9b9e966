/** Values of a field and the orders of lists by it, for the tests of sort keys. */
import fc from 'fast-check';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import type { ValueOrder } from '#functions/store/lists/engine/read/sort-key.ts';
import { rowText } from '#functions/store/model/row.ts';

export const long = 'x'.repeat(100);

/** Values of one field, and the orders that they can have. Two long descriptions have one sort key. */
export const value: fc.Arbitrary<ColumnValue> = fc.constantFrom(
  ...['', 'a', 'b', 'ab', '\uFFFD', '\u{1F600}', long, rowText('description', `${long}1`)],
  ...[rowText('description', `${long}2`), null, undefined],
);

export const order: fc.Arbitrary<ValueOrder> = fc.constantFrom<ValueOrder>(
  { field: 'description' },
  { field: 'description', defaultValue: 'b' },
  { field: 'name', ranks: ['b', 'a', '', 'ab'] },
  { field: 'name', ranks: ['b', 'a'], defaultValue: 'a' },
);
