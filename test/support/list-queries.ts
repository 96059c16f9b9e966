import type { Direction, Filter, ListQuery, SortField } from '#functions/engine/model/list-query.ts';

export const isValue = (field: string, value: string): Filter => ({
  field,
  operator: 'eq',
  values: [value],
});

export const sortedBy = (field: string, direction: Direction = 'asc'): SortField[] => [{ field, direction }];

/** Returns a query: without more, the first page of all entities in the order of creation. */
export const listQuery = (more: Partial<ListQuery> = {}): ListQuery => ({
  filters: [],
  sort: sortedBy('createdAt'),
  countBy: [],
  sumBy: [],
  page: 1,
  limit: 20,
  withTexts: true,
  ...more,
});
