/** Translates the query of a list into one of the list engine. */
import type { ListQuery, SortField } from '../model/list-query.ts';
import type { Kind } from '../model/relations.ts';
import type { RowQuery } from './engine/row-query.ts';
import type { ValueOrder } from './engine/sort-key.ts';
import { creationFields, defaultOf, distinctFilters, idsOf, isArray, toRowFilter } from './filters.ts';

/** Returns the sort fields that decide between entities of one millisecond, if ids in the direction of `createdAt` do not. */
function tieFields(
  sort: readonly SortField[],
): { readonly fields: readonly SortField[]; readonly last: SortField } | undefined {
  const position = sort.findIndex(({ field }) => creationFields.has(field));
  const [first, creation] = [sort[0], sort[position]];
  if (!first || creation?.field !== 'createdAt') return undefined;
  const fields = sort.slice(position + 1).filter(({ field }) => field !== 'createdAt');
  const isDecided = fields.length === 0 && first.direction === creation.direction;
  return isDecided ? undefined : { fields, last: first };
}

/** Returns whether a list orders entities of one millisecond by anything but their ids in its direction. */
export const hasTies = (sort: readonly SortField[]): boolean => tieFields(sort) !== undefined;

/** Returns the orders of sort fields up to one that leaves nothing to decide, and the direction of ids. */
function ordersOf(
  sort: readonly SortField[],
  lastFields: ReadonlySet<string>,
  orderOf: (field: string) => ValueOrder,
): Pick<RowQuery, 'orders'> & { readonly last: SortField | undefined } {
  const position = sort.findIndex(({ field }) => lastFields.has(field));
  const decisive = position < 0 ? sort : sort.slice(0, position);
  return {
    orders: decisive.map(({ field, direction }) => ({
      ...orderOf(field),
      isDescending: direction === 'desc',
    })),
    last: sort[position],
  };
}

/** Returns the row query of a list. */
export function toRowQuery(kind: Kind, query: ListQuery): RowQuery {
  const { sort, countBy, page, limit, ranks, defaults } = query;
  const filters = distinctFilters(query.filters);
  const ids = idsOf(filters);
  const orderOf = (field: string): ValueOrder => ({
    field,
    ranks: ranks?.[field],
    defaultValue: defaultOf(field, defaults),
  });
  // No two rows have the same id, and few are created in the same millisecond.
  const { orders, last } = ordersOf(sort, creationFields, orderOf);
  const isDescending = (last ?? sort[0])?.direction === 'desc';
  const tied = tieFields(sort);
  const ties = tied && ordersOf(tied.fields, new Set(['id']), orderOf);
  return {
    filters: filters
      .filter(({ field }) => !creationFields.has(field))
      .map((filter) => toRowFilter(kind, filter, defaults)),
    ...(ids && { ids }),
    orders,
    isDescending,
    ...(ties && {
      ties: { orders: ties.orders, isDescending: (ties.last ?? tied.last).direction === 'desc' },
    }),
    skip: (page - 1) * limit,
    limit,
    countBy: countBy.map((field) => ({ ...orderOf(field), isArray: isArray(kind, field) })),
  };
}
