import type { Collection } from '../collection.ts';
import { type Fields, isIdentical } from '../fields.ts';
import type { ResourceTypes } from '../query.ts';
import type { SyncOptions } from '../sync.ts';

type Row = Fields & { readonly id: string; readonly version?: string };
type Page = { readonly data: readonly Row[]; readonly next?: string | null; readonly total?: number };
type Cached = Page | { readonly pages: readonly Page[] };
type Query = Fields | undefined;

/** The part of a `QueryClient` that is used. */
export interface Queries {
  getQueryCache(): {
    findAll(filters: { queryKey: readonly unknown[] }): readonly {
      readonly queryKey: readonly unknown[];
      readonly state: { readonly data: unknown; readonly fetchStatus: string };
    }[];
  };
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
  invalidateQueries(filters: { queryKey: readonly unknown[]; exact?: boolean }): Promise<void>;
}

/** What changed: a page of `sync`, or what writes have returned. */
export interface EntityChanges {
  readonly data: readonly { readonly id: string }[];
  readonly removed: readonly string[];
}

/** Returns the fields that decide what a list has, and in which order, and names that are no fields. */
const decidingFields = ({ fields: _, ...query }: Fields): readonly unknown[] => [
  ...Object.entries(query).flat(2),
  ...(query['search'] ? ['name', 'description'] : []),
  ...[query['expand']].flat().map((name) => (name === 'tags' ? 'tagIds' : `${name}Id`)),
];

/** Returns whether a filter certainly excludes an entity. The service decides about others. */
const isExcluded = (entity: Row, query: Fields): boolean =>
  Object.entries(query).some(([field, filter]) => {
    const value = entity[field];
    // Texts of times can differ, and a list of ids is no value.
    if (value === undefined || Array.isArray(value) || field.endsWith('At')) return false;
    if (typeof filter !== 'object') return filter !== undefined && String(value) !== String(filter);
    const { in: some, notIn } = filter as { readonly in?: unknown[]; readonly notIn?: unknown[] };
    return notIn?.includes(value) || some?.includes(value) === false;
  });

const versionOf = ({ version = '' }: Row): number => Number(/\d+(?="?$)/.exec(version)?.[0] ?? 0);

const isList = (cached: Cached | undefined): cached is Cached =>
  typeof cached === 'object' && ('pages' in cached || 'data' in cached);

const pagesOf = (cached: Cached): readonly Page[] => ('pages' in cached ? cached.pages : [cached]);

/** Returns whether an entity has come, has gone, or has changed in a field that decides about that. */
function isOutdated(cached: Cached, query: Fields, { data, removed }: EntityChanges): boolean {
  const pages = pagesOf(cached);
  const last = pages.at(-1);
  const rows = new Map(pages.flatMap((page) => page.data.map((row) => [row.id, row])));
  const deciding = decidingFields(query);
  /** Whether an entity belongs to pages that are not loaded. The newest come first, and ids are in the order of creation. */
  const isBehind = (entity: Row): boolean =>
    Boolean(last?.next) &&
    versionOf(entity) > 1 &&
    !('sortBy' in query || 'sortOrder' in query) &&
    entity.id < (last?.data.at(-1)?.id ?? '');
  if (removed.some((id) => rows.has(id) || pages[0]?.total !== rows.size)) return true;
  return (data as readonly Row[]).some((entity) => {
    const row = rows.get(entity.id);
    if (!row) return !isExcluded(entity, query) && !isBehind(entity);
    return (
      versionOf(row) < versionOf(entity) &&
      deciding.some((one) => !isIdentical(row[String(one)], entity[String(one)]))
    );
  });
}

/** Returns a page with the newer values of its rows. */
const patched = (page: Page, entities: readonly Row[]): Page => ({
  ...page,
  data: page.data.map((row): Row => {
    const newer = entities.find((one) => one.id === row.id && versionOf(one) > versionOf(row));
    const fields = Object.entries(newer ?? {}).filter(([field]) => field in row);
    return { ...row, ...Object.fromEntries(fields) };
  }),
});

/**
 * Puts changes into the cached lists. Reads a list again only if an entity comes, goes, or changes in a field by which the list filters, searches,
 * orders, counts or expands.
 * @param queryKey the beginning of the keys of the lists. The last part of each key is the query of its list.
 * @example
 * onSuccess: (task) => updateLists(queries, ['tasks'], { data: [task], removed: [] }),
 */
export function updateLists(queries: Queries, queryKey: readonly unknown[], changes: EntityChanges): void {
  if (changes.data.length + changes.removed.length === 0) return;
  const entities = changes.data as readonly Row[];
  for (const { queryKey: key, state } of queries.getQueryCache().findAll({ queryKey })) {
    const query = key.slice(queryKey.length).at(-1) as Query;
    const cached = state.data as Cached | undefined;
    // The response to a request that was sent before can be older.
    const isUnknown = state.fetchStatus === 'fetching' || typeof query !== 'object' || !isList(cached);

    if (isUnknown || isOutdated(cached, query, changes))
      void queries.invalidateQueries({ queryKey: key, exact: true });
    else if ('pages' in cached)
      queries.setQueryData(key, { ...cached, pages: cached.pages.map((page) => patched(page, entities)) });
    else queries.setQueryData(key, patched(cached, entities));
  }
}

/**
 * Follows the changes of a collection, and puts them into the cached lists, until the signal is aborted.
 * @throws ProblemError as `sync` of a collection.
 * @example
 * followLists(client.tasks, queries, ['tasks'], { live: true, signal, onError }).catch(onError);
 */
export async function followLists<Types extends ResourceTypes>(
  collection: Collection<Types>,
  queries: Queries,
  queryKey: readonly unknown[],
  options: SyncOptions = {},
): Promise<void> {
  // What was read before the first page can be older than it.
  let isStale = true;
  for await (const page of collection.sync({}, { since: 'now', ...options })) {
    isStale ||= page.isFirst;
    if (!isStale) updateLists(queries, queryKey, page);
    else if (page.isComplete) await queries.invalidateQueries({ queryKey });
    isStale &&= !page.isComplete;
  }
}
