/**
 * Places in the order of a list. The rows up to a place are those that an earlier field puts before it, and those that are equal to it in all
 * fields and have no later id. Each of these sets is a query of its own, whose total the engine counts.
 */
import type { Place } from '../../model/list-query.ts';
import { isLongTextField } from '../../model/long-text.ts';
import type { Value } from '../../model/row.ts';
import { allIds, type IdRange, intersectRanges, rangeOfId } from './id-ranges.ts';
import { type RowFilter, type TextCondition, textAfter } from './row-filter.ts';
import type { RowQuery } from './row-query.ts';
import type { SortOrder } from './sort-key.ts';

type Accepted = Omit<RowFilter, 'field' | 'defaultValue'>;

const noText: TextCondition = { by: 'texts', texts: [] };

/** Returns the text that sorts next after all texts that a list takes for equal to one. */
const textBehind = (field: string, text: string): string =>
  isLongTextField(field) ? `${text}\u0001` : textAfter(text);

function equalTo({ field, ranks }: SortOrder, value: Value): Accepted {
  if (value === null) return { condition: noText, acceptsNull: true };
  // All values without a rank are equal.
  if (ranks && !ranks.includes(value)) return { condition: { by: 'texts', texts: ranks }, isNegated: true };
  return isLongTextField(field)
    ? { condition: { by: 'range', from: value, to: textBehind(field, value) } }
    : { condition: { by: 'texts', texts: [value] } };
}

function lessThan({ ranks }: SortOrder, value: Value): Accepted {
  if (value === null) return { condition: noText };
  if (!ranks) return { condition: { by: 'range', from: '', to: value }, acceptsNull: true };
  const rank = ranks.indexOf(value);
  if (rank < 0) return { condition: noText, acceptsNull: true };
  return { condition: { by: 'texts', texts: ranks.slice(rank) }, isNegated: true, acceptsNull: true };
}

function greaterThan({ field, ranks }: SortOrder, value: Value): Accepted {
  if (value === null) return { condition: noText, isNegated: true };
  if (!ranks) return { condition: { by: 'range', from: textBehind(field, value), to: undefined } };
  return { condition: { by: 'texts', texts: ranks.slice(ranks.indexOf(value) + 1) } };
}

const before = (order: SortOrder, value: Value): Accepted =>
  order.isDescending ? greaterThan(order, value) : lessThan(order, value);

const filterOf = ({ field, defaultValue = null }: SortOrder, accepted: Accepted): RowFilter => ({
  field,
  ...accepted,
  defaultValue,
});

function idsUpTo({ ids, isDescending }: RowQuery, id: string): readonly IdRange[] {
  const { from, to } = rangeOfId(id);
  const own: IdRange = isDescending ? { from, to: allIds.to } : { from: allIds.from, to };
  return ids ? intersectRanges(ids, [own]) : [own];
}

/** Returns queries whose totals add up to the number of rows up to a place, that of the place included. */
export function rowsUpTo(query: RowQuery, { values, id }: Place): RowQuery[] {
  const { filters, orders } = query;
  const whole = { ...query, orders: [], skip: 0, after: undefined, limit: 0, countBy: [], sumBy: [] };
  const valueAt = (level: number): Value => values[level] ?? null;
  const equal = orders.map((order, level) => filterOf(order, equalTo(order, valueAt(level))));
  const parts = orders.map((order, level): RowQuery => {
    const own = filterOf(order, before(order, valueAt(level)));
    return { ...whole, filters: [...filters, ...equal.slice(0, level), own] };
  });
  return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }];
}
