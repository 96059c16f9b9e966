/**
 * Query plans: what serves a list. The counted index serves lists in the order of creation with at most a parent and a counted status. A list
 * by id is one read. The list engine serves every other list, unless the list is of a parent with few children.
 */
import { isCountedStatus, isStatus } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { kindPartition, parentPartition } from '../model/keys.ts';
import type { ListQuery } from '../model/list-query.ts';
import { type Kind, type Relation, referencesOf } from '../model/relations.ts';
import type { IndexFamily, IndexName } from '../model/table.ts';
import type { Listing } from './counted-index/page.ts';

/** What serves a list. */
export type QueryPlan =
  /** Nothing can match. */
  | { readonly by: 'nothing' }
  /** At most the entity with this id matches. */
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'counted-index'; readonly listing: Listing }
  /** By the index of a parent, if it has few children, and otherwise by the engine. */
  | { readonly by: 'engine'; readonly parent?: Listing | undefined };

/** Fields whose order is the order of creation. */
export const creationFields: ReadonlySet<string> = new Set(['createdAt', 'id']);

/** Returns the listing of the counted index that filters name; `undefined` when there is none. */
function listingOf(tenant: string, kind: Kind, filters: ReadonlyMap<string, string>): Listing | undefined {
  const { status, ...others } = Object.fromEntries(filters);
  if (status !== undefined && !isCountedStatus(status)) return undefined;
  const [parent, ...more] = Object.entries(others);
  if (!parent) return { family: 'all', partition: kindPartition(tenant, kind), status };
  const relation = referencesOf(kind).find(({ field, index }) => index && field === parent[0]);
  if (!relation?.index || more.length > 0) return undefined;
  return { family: relation.index, partition: parentPartition(tenant, relation, parent[1]), status };
}

/** Returns the listing of the first parent that filters name and that has an index. */
function parentOf(tenant: string, kind: Kind, filters: ReadonlyMap<string, string>): Listing | undefined {
  const relation = referencesOf(kind).find(({ field, index }) => index && filters.has(field));
  if (!relation?.index) return undefined;
  const parentId = filters.get(relation.field) ?? '';
  return { family: relation.index, partition: parentPartition(tenant, relation, parentId) };
}

/** Returns whether a filter can match at all. Texts that are no ids and no statuses must not become part of a key. */
const canMatch = (kind: Kind, [field, value]: ListQuery['filters'][number]): boolean => {
  if (field === 'id' || referencesOf(kind).some((relation) => relation.field === field)) return isId(value);
  return field !== 'status' || isStatus(value);
};

/** Returns the plan of a list. */
export function planQuery(
  tenant: string,
  kind: Kind,
  { filters, sortBy }: Pick<ListQuery, 'filters' | 'sortBy'>,
): QueryPlan {
  if (!filters.every((filter) => canMatch(kind, filter))) return { by: 'nothing' };
  const values = new Map(filters);
  const id = values.get('id');
  if (id !== undefined) return { by: 'id', id };
  // A nested list can filter by its own field once more, with another value.
  const isRepeated = filters.some(([field, value]) => values.get(field) !== value);
  const isCounted = creationFields.has(sortBy) && !isRepeated;
  const listing = isCounted ? listingOf(tenant, kind, values) : undefined;
  return listing
    ? { by: 'counted-index', listing }
    : { by: 'engine', parent: parentOf(tenant, kind, values) };
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
  const counted = nestedBy === undefined ? (['all', ...families] as const) : familiesOf(relations, nestedBy);
  const byCountedIndex = counted.flatMap((family) => [family, `${family}-by-status` as const]);
  // A filter can name another parent, and the first one that is named can have few children.
  const own = relations.findIndex(({ field }) => field === nestedBy);
  const first = own < 0 ? families : families.slice(0, own + 1);
  return [...new Set([...byCountedIndex, ...first])].sort();
}
