/** Translates the query of a list into one of the list engine. */

import type { RowQuery } from '../columns/read/row-query.ts';
import type { ValueOrder } from '../columns/read/sort-key.ts';
import { creationFields, type ListQuery } from '../model/list-query.ts';
import { isArray } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import { defaultOf, distinctFilters, idsOf, toRowFilter } from './filters.ts';

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
      .map((filter) => toRowFilter(kind, filter, defaults)),
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
