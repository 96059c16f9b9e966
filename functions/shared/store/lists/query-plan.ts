/** Query plans: which index holds the fewest entities that filters can match, and which filters remain. */
import { isStatus } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { kindPartition, namePrefix, parentPartition } from '../model/keys.ts';
import type { ListQuery } from '../model/list-query.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import type { IndexName } from '../model/table.ts';
import type { Listing } from './counted-index/page.ts';

type Filters = ListQuery['filters'];

export interface QueryPlan {
  readonly listing: Listing;
  /** The one id, or the beginning of the keys by name. */
  readonly key?: { readonly is: string } | { readonly startsWith: string };
  /** Filters that the index does not decide. */
  readonly residualFilters: Filters;
}

/**
 * Returns the plan of a list; `undefined` when nothing can match: a text that cannot be an id, or one that cannot be a status.
 * Neither may reach a key condition, where DynamoDB refuses empty and long values.
 */
export function planQuery(tenant: string, kind: Kind, filters: Filters): QueryPlan | undefined {
  const values = new Map(filters);
  const residual = (...fields: string[]): Filters =>
    filters.filter(([field, value]) => !(fields.includes(field) && values.get(field) === value));
  const all: Listing = { family: 'all', partition: kindPartition(tenant, kind) };

  const id = values.get('id');
  if (id !== undefined) {
    return isId(id) ? { listing: all, key: { is: id }, residualFilters: residual('id') } : undefined;
  }
  const name = values.get('name');
  // A key by name may hold only the beginning of a long name: the filter remains.
  if (name !== undefined) {
    return { listing: all, key: { startsWith: namePrefix(name) }, residualFilters: filters };
  }
  const status = values.get('status');
  if (status !== undefined && !isStatus(status)) return undefined;
  const relation = referencesOf(kind).find(({ field, index }) => index && values.has(field));
  if (!relation?.index) return { listing: { ...all, status }, residualFilters: residual('status') };
  const parentId = values.get(relation.field) ?? '';
  if (!isId(parentId)) return undefined;
  const partition = parentPartition(tenant, relation, parentId);
  return {
    listing: { family: relation.index, partition, status },
    residualFilters: residual('status', relation.field),
  };
}

/** Returns the indexes that the list of a plan may read, in any order. */
function indexesOf({ listing: { family, status }, key }: QueryPlan): IndexName[] {
  if (key) return ['is' in key ? family : 'all-by-name'];
  if (status !== undefined) return [`${family}-by-status`];
  return family === 'all' ? ['all', 'all-by-name'] : [family];
}

/** Values that every filter accepts, so that a plan exists. */
const sampleId = '00000000-0000-7000-8000-000000000000';

/**
 * Returns the indexes that lists of a kind may read, over all combinations of filters.
 * @param nestedBy the field that a nested list always filters by.
 */
export function reachableIndexes(kind: Kind, nestedBy?: string): IndexName[] {
  const fields = ['id', 'name', 'status', ...referencesOf(kind).map(({ field }) => field)];
  const indexes = new Set<IndexName>();
  for (let combination = 0; combination < 2 ** fields.length; combination += 1) {
    const chosen = fields.filter(
      (field, position) => (combination >> position) % 2 === 1 || field === nestedBy,
    );
    const plan = planQuery(
      '',
      kind,
      chosen.map((field) => [field, sampleId] as const),
    );
    if (plan) for (const index of indexesOf(plan)) indexes.add(index);
  }
  return [...indexes].sort();
}
