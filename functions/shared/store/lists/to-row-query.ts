/** Translates the query of a list into one of the list engine. */

import { firstIdAt } from '../model/ids.ts';
import type { ListQuery } from '../model/list-query.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import { rowText, splitIds } from '../model/row.ts';
import type { RowFilter } from './engine/row-filter.ts';
import type { IdRange, RowQuery } from './engine/row-query.ts';
import { creationFields } from './query-plan.ts';

/** Contains no id. */
const noIds: IdRange = { from: '', to: '' };

/** Returns the ids of the entities that were created at a time. */
function idsCreatedAt(text: string): IdRange {
  const timeMs = Date.parse(text);
  // Only the form in which responses show times is the same text.
  const isTime = Number.isFinite(timeMs) && timeMs >= 0 && new Date(timeMs).toISOString() === text;
  return isTime ? { from: firstIdAt(timeMs), to: firstIdAt(timeMs + 1) } : noIds;
}

/** Returns whether a field of a kind is an array of ids. */
const isArray = (kind: Kind, field: string): boolean =>
  referencesOf(kind).some((relation) => relation.field === field && !relation.index);

function toFilter(
  kind: Kind,
  [field, value]: ListQuery['filters'][number],
  defaults: ListQuery['defaults'],
): RowFilter {
  if (isArray(kind, field)) return { field, accepts: (ids) => splitIds(ids ?? '').includes(value) };
  const text = rowText(field, value);
  const fallback = defaults?.[field] ?? null;
  return { field, text, accepts: (known) => (known === undefined ? fallback : known) === text };
}

/** Returns the row query of a list. */
export function toRowQuery(kind: Kind, query: ListQuery): RowQuery {
  const { filters, sortBy, sortOrder, page, limit, ranks, defaults } = query;
  const createdAt = filters.find(([field]) => field === 'createdAt')?.[1];
  // A nested list can be filtered once more by the same value.
  const unique = [...new Map(filters.map((filter) => [filter.join('='), filter])).values()];
  const byRow = unique.filter(([field]) => !creationFields.has(field));
  const defaultValue = defaults?.[sortBy];
  return {
    filters: byRow.map((filter) => toFilter(kind, filter, defaults)),
    ...(createdAt !== undefined && { ids: idsCreatedAt(createdAt) }),
    ...(!creationFields.has(sortBy) && {
      order: {
        field: sortBy,
        ranks: ranks?.[sortBy],
        defaultValue: typeof defaultValue === 'string' ? defaultValue : null,
      },
    }),
    isDescending: sortOrder === 'desc',
    skip: (page - 1) * limit,
    limit,
  };
}
