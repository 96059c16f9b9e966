/**
 * Query plans: what serves a list. A list by id is one read. The list engine selects the page of every other list. An index has the entities of
 * the page next to each other if the list is in the order of creation with at most a parent and a status.
 */
import { isStatus } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { kindPartition, parentPartition } from '../model/keys.ts';
import type { Filter, ListQuery } from '../model/list-query.ts';
import { type Kind, type Relation, referencesOf } from '../model/relations.ts';
import type { IndexFamily, IndexName } from '../model/table.ts';
import { creationFields, distinctFilters, isArray } from './filters.ts';
import type { IndexListing } from './index-listing.ts';
import type { ParentListing } from './small-parent.ts';
import { hasTies } from './to-row-query.ts';

/** Indexes that serve a list of the engine, beside columns. */
export interface Indexes {
  /** Lists what matches, in the order of creation. */
  readonly listing?: IndexListing | undefined;
  /** Lists the children of a parent that all matches have: it serves the list if the parent has few. */
  readonly parent?: ParentListing | undefined;
}

/** What serves a list. */
export type QueryPlan =
  /** Nothing can match. */
  | { readonly by: 'nothing' }
  /** At most the entity with this id matches. */
  | { readonly by: 'id'; readonly id: string }
  | ({ readonly by: 'engine' } & Indexes);

/** The values that fields must have. */
type Values = ReadonlyMap<string, string>;

/** Returns the index that lists what has some values; `undefined` when there is none. */
function listingOf(tenant: string, kind: Kind, values: Values): IndexListing | undefined {
  const { status, ...others } = Object.fromEntries(values);
  const [parent, ...more] = Object.entries(others);
  if (!parent) return { family: 'all', partition: kindPartition(tenant, kind), status };
  const relation = referencesOf(kind).find(({ field, index }) => index && field === parent[0]);
  if (!relation?.index || more.length > 0) return undefined;
  return { family: relation.index, partition: parentPartition(tenant, relation, parent[1]), status };
}

/** Returns the index of the first parent that filters name and that has one. */
function parentOf(tenant: string, kind: Kind, values: Values): ParentListing | undefined {
  const relation = referencesOf(kind).find(({ field, index }) => index && values.has(field));
  if (!relation?.index) return undefined;
  const { field, index: family } = relation;
  const parentId = values.get(field) ?? '';
  return { family, partition: parentPartition(tenant, relation, parentId), field, parentId };
}

/** Returns whether a filter can match at all. Texts that are no ids and no statuses must not become part of a key. */
function canMatch(kind: Kind, { field, operator, values }: Filter): boolean {
  if (operator === 'in') return values.length > 0;
  const [value = ''] = values;
  if (operator !== 'eq') return true;
  if (field === 'id' || referencesOf(kind).some((relation) => relation.field === field)) return isId(value);
  return field !== 'status' || isStatus(value);
}

/** Returns the plan of a list. */
export function planQuery(
  tenant: string,
  kind: Kind,
  { filters, sort, countBy }: Pick<ListQuery, 'filters' | 'sort' | 'countBy'>,
): QueryPlan {
  if (!filters.every((filter) => canMatch(kind, filter))) return { by: 'nothing' };
  const distinct = distinctFilters(filters);
  const exact = distinct.filter(({ field, operator }) => operator === 'eq' && !isArray(kind, field));
  const values = new Map(exact.map((filter) => [filter.field, filter.values[0] ?? '']));
  // No entity has two values of one field.
  if (values.size < exact.length) return { by: 'nothing' };
  const id = values.get('id');
  if (id !== undefined) return { by: 'id', id };
  const isByCreation = creationFields.has(sort[0]?.field ?? '') && !hasTies(sort) && countBy.length === 0;
  const isExact = exact.length === distinct.length;
  const listing = isByCreation && isExact ? listingOf(tenant, kind, values) : undefined;
  return { by: 'engine', listing, parent: parentOf(tenant, kind, values) };
}

const familiesOf = (relations: readonly Relation[], nestedBy: string): IndexFamily[] =>
  relations.flatMap(({ field, index }) => (index && field === nestedBy ? [index] : []));

/**
 * Returns the indexes that lists of a kind may read, over all their query plans.
 * @param nestedBy the field that a nested list always filters by.
 */
export function reachableIndexes(kind: Kind, nestedBy?: string): IndexName[] {
  const relations = referencesOf(kind).filter(({ index }) => index !== undefined);
  const families = relations.map(({ index }) => index as IndexFamily);
  const listed = nestedBy === undefined ? (['all', ...families] as const) : familiesOf(relations, nestedBy);
  const byListing = listed.flatMap((family) => [family, `${family}-by-status` as const]);
  // A filter can name another parent, and the first one that is named can have few children.
  const own = relations.findIndex(({ field }) => field === nestedBy);
  const first = own < 0 ? families : families.slice(0, own + 1);
  return [...new Set([...byListing, ...first])].sort();
}
