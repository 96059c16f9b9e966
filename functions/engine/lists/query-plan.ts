/**
 * Query plans: what serves a list. A list by id is one read. The list engine selects the rows of every other list. A query of an index can read their
 * entities for less than reads by key.
 */

import { isStatus } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { kindPartition, statusPrefix } from '../model/keys.ts';
import { creationFields, type Filter, type ListQuery } from '../model/list-query.ts';
import { isArray, referencesOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import { distinctFilters } from './filters.ts';
import type { IndexPartition } from './read-page-from-index.ts';

/** What serves a list. */
type QueryPlan =
  /** Nothing can match. */
  | { readonly by: 'nothing' }
  /** At most the entity with this id matches. */
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'engine'; readonly pageIndex: IndexPartition | undefined };

/** The values that fields must have. */
type Values = ReadonlyMap<string, string>;

/** Returns the partition that has exactly the entities with some values, in the order of creation. */
function exactIndex(tenant: string, kind: Kind, values: Values): IndexPartition | undefined {
  const partition = kindPartition(tenant, kind);
  if (values.size === 0) return { index: 'by-creation', partition, prefix: '' };
  const status = values.get('status');
  if (values.size > 1 || status === undefined) return undefined;
  return { index: 'by-status', partition, prefix: statusPrefix(status) };
}

/** Returns whether a filter can match at all. Texts that are no ids and no statuses must not become part of a key. */
function canMatch(kind: Kind, { field, operator, values }: Filter): boolean {
  if (operator === 'in') return values.length > 0;
  const [value = ''] = values;
  if (operator !== 'eq') return true;
  if (field === 'id' || referencesOf(kind).some((relation) => relation.field === field)) return isId(value);
  return field !== 'status' || isStatus(value);
}

/** Returns whether the entities that a filter accepts follow each other in the order of creation. */
const isRange = ({ field, operator }: Filter): boolean =>
  creationFields.has(field) && ['eq', 'lt', 'lte', 'gt', 'gte'].includes(operator);

export function planQuery(tenant: string, kind: Kind, { filters, sort }: ListQuery): QueryPlan {
  if (!filters.every((filter) => canMatch(kind, filter))) return { by: 'nothing' };
  const distinct = distinctFilters(filters);
  const id = distinct.filter(({ field, operator }) => field === 'id' && operator === 'eq');
  const others = distinct.filter((filter) => !isRange(filter));
  const exact = others.filter(({ field, operator }) => operator === 'eq' && !isArray(kind, field));
  const values = new Map(exact.map((filter) => [filter.field, filter.values[0] ?? '']));
  // No entity has two values of one field.
  if (values.size < exact.length || id.length > 1) return { by: 'nothing' };
  if (id[0]) return { by: 'id', id: id[0].values[0] ?? '' };
  const isDense = creationFields.has(sort[0]?.field ?? '') && others.length === exact.length;
  return { by: 'engine', pageIndex: isDense ? exactIndex(tenant, kind, values) : undefined };
}
