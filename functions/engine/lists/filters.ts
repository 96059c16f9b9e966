/** Translates the query of a list into one of the list engine: its filters become conditions on ids or on rows. */

import {
  allIds,
  complementRanges,
  type IdRange,
  intersectRanges,
  rangeOfId,
  unionRanges,
} from '../columns/read/id-ranges.ts';
import { type RowFilter, textAfter } from '../columns/read/row-filter.ts';
import type { RowQuery } from '../columns/read/row-query.ts';
import { toSearchText } from '../columns/read/search-texts.ts';
import type { ValueOrder } from '../columns/read/sort-key.ts';
import { firstIdAt } from '../model/ids.ts';
import { creationFields, type Filter, type ListQuery } from '../model/list-query.ts';
import { isArray } from '../model/relations.ts';
import { rowText, toValue, type Value } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';

/** Returns filters without those that repeat another one. A nested list can be filtered by its own field once more. */
export const distinctFilters = (filters: readonly Filter[]): Filter[] => [
  ...new Map(
    filters.map((filter) => [JSON.stringify([filter.field, filter.operator, filter.values]), filter]),
  ).values(),
];

function defaultOf(field: string, defaults: ListQuery['defaults']): Value {
  return toValue(field, defaults?.[field] ?? null);
}

function unknownOperator({ field, operator }: Filter): TypeError {
  return new TypeError(`Lists cannot compare "${field}" with the operator "${operator}".`);
}

/** Returns the ids that the value of a filter stands for: one id, or all ids of a time. */
function pointOf({ field, operator }: Filter, value: string): IdRange {
  if (field === 'id') return rangeOfId(value);
  const timeMs = Date.parse(value);
  // Callers send exact texts: only the form in which responses show times is the same text.
  const isTime = Number.isFinite(timeMs) && (operator !== 'eq' || new Date(timeMs).toISOString() === value);
  return isTime ? { from: firstIdAt(timeMs), to: firstIdAt(timeMs + 1) } : { from: '', to: '' };
}

/** Returns the ids of the entities that meet a filter on `id` or `createdAt`. @throws TypeError for an operator that these do not have. */
export function toIdRanges(filter: Filter): IdRange[] {
  const points = filter.values.map((value) => pointOf(filter, value));
  const [{ from, to } = allIds] = points;
  switch (filter.operator) {
    case 'eq':
    case 'in':
      return unionRanges(points);
    case 'ne':
    case 'notIn':
      return complementRanges(unionRanges(points));
    case 'lt':
      return unionRanges([{ from: allIds.from, to: from }]);
    case 'lte':
      return unionRanges([{ from: allIds.from, to }]);
    case 'gt':
      return unionRanges([{ from: to, to: allIds.to }]);
    case 'gte':
      return unionRanges([{ from, to: allIds.to }]);
    default:
      throw unknownOperator(filter);
  }
}

/** Returns the ids that all filters on `id` and `createdAt` accept; `undefined` when there is no such filter. */
function idsOf(filters: readonly Filter[]): IdRange[] | undefined {
  const [first, ...more] = filters.filter(({ field }) => creationFields.has(field)).map(toIdRanges);
  return first && more.reduce(intersectRanges, first);
}

type Condition = Omit<RowFilter, 'field' | 'defaultValue'>;

function textCondition(filter: Filter): Condition {
  const { field, operator, values } = filter;
  const [text = ''] = values;
  const isNegated = true;
  const acceptsNull = true;
  const isOneOf = {
    condition: { by: 'texts', texts: values.map((value) => rowText(field, value)) },
  } as const;
  const range = (from: string, to?: string): Condition => ({ condition: { by: 'range', from, to } });
  switch (operator) {
    case 'eq':
    case 'in':
      return isOneOf;
    case 'ne':
    case 'notIn':
      return { ...isOneOf, isNegated, acceptsNull };
    case 'lt':
      return range('', text);
    case 'lte':
      return range('', textAfter(text));
    case 'gt':
      return range(textAfter(text));
    case 'gte':
      return range(text);
    case 'startsWith':
      return { condition: { by: 'beginning', text: toSearchText(text) } };
    case 'contains':
      return { condition: { by: 'part', text: toSearchText(text) } };
    case 'search':
      return { condition: { by: 'words', words: values } };
    case 'isNull': {
      const condition = { by: 'texts', texts: [] } as const;
      return text === 'true' ? { condition, acceptsNull } : { condition, isNegated };
    }
    default:
      throw unknownOperator(filter);
  }
}

/** Returns the conditions that are met together. */
function arrayConditions(filter: Filter): Condition[] {
  const { operator, values } = filter;
  switch (operator) {
    case 'eq':
    case 'in':
      return [{ condition: { by: 'anyId', ids: values } }];
    case 'all':
      return values.map((id) => ({ condition: { by: 'anyId', ids: [id] } }));
    case 'isEmpty': {
      const isEmpty = values[0] === 'true';
      return [{ condition: { by: 'anyId' }, isNegated: isEmpty, acceptsNull: isEmpty }];
    }
    default:
      throw unknownOperator(filter);
  }
}

function toRowFilters(kind: Kind, filter: Filter, defaults: ListQuery['defaults']): RowFilter[] {
  const { field } = filter;
  const conditions = isArray(kind, field) ? arrayConditions(filter) : [textCondition(filter)];
  return conditions.map((one) => ({ field, ...one, defaultValue: defaultOf(field, defaults) }));
}

/** Returns the row query of a list. No two entities have the same id, so `id` and `createdAt` end the order. */
export function toRowQuery(kind: Kind, query: ListQuery): RowQuery {
  const { sort, countBy, sumBy, page, after, limit, ranks, defaults } = query;
  const filters = distinctFilters(query.filters);
  const ids = idsOf(filters);
  const orderOf = (field: string): ValueOrder => ({
    field,
    ranks: ranks?.[field],
    defaultValue: defaultOf(field, defaults),
  });
  const end = sort.findIndex(({ field }) => creationFields.has(field));
  return {
    filters: filters
      .filter(({ field }) => !creationFields.has(field))
      .flatMap((filter) => toRowFilters(kind, filter, defaults)),
    ...(ids && { ids }),
    orders: sort
      .slice(0, end < 0 ? sort.length : end)
      .map(({ field, direction }) => ({ ...orderOf(field), isDescending: direction === 'desc' })),
    isDescending: sort[Math.max(0, end)]?.direction === 'desc',
    skip: after === undefined ? (page - 1) * limit : 0,
    ...(after !== undefined && after !== 'start' && { after }),
    limit,
    countBy: countBy.map((field) => ({ ...orderOf(field), isArray: isArray(kind, field) })),
    sumBy: sumBy.map((sum) => ({ ...sum, defaultValue: defaultOf(sum.field, defaults) })),
  };
}
