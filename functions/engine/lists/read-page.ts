/** Pages of entities: the list engine selects the rows of a page, then their entities are read. */

import { idsAfter } from '../columns/read/id-ranges.ts';
import { listRows, type RowPage } from '../columns/read/list-rows.ts';
import { openSource, readState } from '../columns/read/read-state.ts';
import type { RowFilter } from '../columns/read/row-filter.ts';
import { allRows, type RowQuery } from '../columns/read/row-query.ts';
import { addKeyReads, prefetch } from '../columns/read/shown-rows.ts';
import { StaleRead } from '../columns/read/stale-read.ts';
import type { Progress } from '../log/progress.ts';
import { isRestorable } from '../model/deletion.ts';
import type { AnyEntity, DeletedEntity, StoredEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { decodeAnyEntity, storedOfRow } from '../model/item-codec.ts';
import { entityKey, textKey } from '../model/keys.ts';
import { type Kind, settingsInUse } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readTexts } from '../table/stored-entities.ts';
import { type IndexPartition, readPageFromIndex } from './read-page-from-index.ts';
import { columnsOfRule, readVisibleRows, type Viewer } from './visible-set.ts';

interface EntityPage<Stored = StoredEntity> extends Omit<RowPage, 'rows'> {
  readonly stored: readonly Stored[];
  /** Also those of entities that were not read. */
  readonly ids: readonly string[];
  readonly log: PageLog;
}

export interface PageLog {
  /** How far the log was when the page was selected. */
  readonly progress: Progress;
  /** Whether the page shows that and nothing newer. */
  readonly isExact: boolean;
  /** The caller, if the page leaves out what the caller does not see. */
  readonly viewer?: Viewer | undefined;
}

interface PageOptions {
  readonly pageIndex?: IndexPartition | undefined;
  readonly withTexts?: boolean;
  /** Whether entities may be newer than the page, and match no more. Otherwise the page is read again. */
  readonly mayBeNewer?: boolean | undefined;
  /** Rows that are not in columns, at most: the page ends before the next one, whose entity would be read by key. */
  readonly maxKeyReads?: number | undefined;
  /** When more entities than these match, none of them is read: the page has only their total. */
  readonly maxTotal?: number | undefined;
}

/** Returns the query of rows in the order of their creation. @param after the id before the first one, or an empty text. */
export const queryAfter = (filters: readonly RowFilter[], limit: number, after = ''): RowQuery => ({
  ...allRows,
  filters,
  ids: idsAfter(after),
  limit,
});

/** Times that a page is read, at most, while the log or the entities of the page change. */
const maxAttempts = 5;

/** Pending records of which a list reports that it met them: it reports also while nothing compacts the log. */
const maxPendingRecords = 5_000;

async function selectPage(session: Session, kind: Kind, query: RowQuery) {
  const source = openSource(session, kind);
  const ahead = { ...query, filters: [...query.filters, ...columnsOfRule(session, kind)] };
  const state = await readState(source, (manifest) => prefetch(source, manifest, ahead));
  const pendingRecords = state.records.length;
  if (pendingRecords > maxPendingRecords)
    settingsInUse().logWarning('A list met many records that are not in columns.', {
      tenant: session.tenant,
      kind,
      pendingRecords,
    });
  const withDeleted = query.isOfDeleted === true;
  // Later than the state: what the list has was created after that through which it is seen.
  const { filter, viewer } = await readVisibleRows(session, kind);
  const filters = filter ? [...query.filters, filter] : query.filters;
  return { source, state, viewer, withDeleted, ...(await listRows(source, state, { ...query, filters })) };
}

/**
 * Returns the entities of a page. Those without a row come from an index or by key. Indexes and replicas of the table may lag behind: an entity that is
 * missing, or older than its row, is read by key, at last consistently. Long texts of which columns tell that they are items are read beside the entities.
 */
async function entitiesOfPage(
  session: Session,
  kind: Kind,
  page: Awaited<ReturnType<typeof selectPage>>,
  { pageIndex, withTexts }: PageOptions,
): Promise<AnyEntity[]> {
  const { tenant, database } = session;
  const { rows, source, withDeleted } = page;
  const ofRows = rows.flatMap(({ id, version, row }) => (row ? storedOfRow(kind, id, version, row) : []));
  if (ofRows.length === rows.length) return withTexts ? readTexts(session, ofRows) : ofRows;
  const before = database.consumption.readUnits;
  const withItems = rows.filter(({ hasTextItem }) => withTexts && hasTextItem);
  const textKeys = withItems.map(({ id }) => textKey(tenant, kind, id));
  const ahead = database.getMany(textKeys, false, { withDeleted });
  // Who waits for it gets the error.
  ahead.catch(() => undefined);
  const ofIndex = pageIndex
    ? await readPageFromIndex(
        database,
        pageIndex,
        rows.map(({ id }) => id),
      )
    : [];
  const found = new Map([...ofIndex, ...ofRows].map((stored) => [stored.entity.id, stored]));
  for (const isConsistent of [false, true]) {
    const missing = rows.filter(({ id, version }) => !((found.get(id)?.version ?? 0) >= version));
    const keys = missing.map(({ id }) => entityKey(tenant, kind, id));
    for (const stored of (await database.getMany(keys, isConsistent, { withDeleted })).map(decodeAnyEntity))
      found.set(stored.entity.id, stored);
  }
  const texts = await ahead;
  // Columns would save the entities, and not the texts, of which most cost half a unit.
  addKeyReads(source.memory, database.consumption.readUnits - before - texts.length / 2);
  // What a replica still has in an older version, and the consistent read has not found, has been deleted, or was restored.
  const current = rows.flatMap(({ id, version }) => {
    const stored = found.get(id);
    const isFound = stored && stored.version >= version && isRestorable(stored.deletion) === withDeleted;
    return isFound ? stored : [];
  });
  return withTexts ? readTexts(session, current, texts) : current;
}

/** @throws StaleRead when the log changes meanwhile. */
async function readOnce(session: Session, kind: Kind, query: RowQuery, options: PageOptions) {
  const { maxKeyReads = Number.POSITIVE_INFINITY, maxTotal = Number.POSITIVE_INFINITY } = options;
  const page = await selectPage(session, kind, query);
  const { total, skipped, counts, sums } = page;
  const tooMany = page.rows.filter(({ row }) => !row)[maxKeyReads];
  const rows = total > maxTotal ? [] : page.rows.slice(0, tooMany && page.rows.indexOf(tooMany));
  const last = rows.at(-1);
  const end = last && rows.length < page.rows.length ? { values: [], id: last.id } : page.end;
  const stored = await session.database.readRequested(() =>
    entitiesOfPage(session, kind, { ...page, rows }, options),
  );
  const versions = new Map(stored.map(({ entity, version }) => [entity.id, version]));
  const isCurrent = rows.every(({ id, version }) => versions.get(id) === version);
  const { progress, isComplete } = page.state;
  const log = { progress, isExact: isCurrent && isComplete, viewer: page.viewer };
  const ids = page.rows.map(({ id }) => id);
  const left = total - (rows.length - stored.length);
  return { stored, ids, total: left, skipped, end, counts, sums, isCurrent, log };
}

/**
 * Returns one page of the entities that match, the exact total, and the counts of values.
 * @throws StoreUnavailable when the log changes so often that it cannot be read.
 */
export const readPage = (session: Session, kind: Kind, query: RowQuery, options: PageOptions = {}) =>
  readAnyPage(session, kind, query, options) as Promise<EntityPage>;

/** Returns the same of deleted entities. They are in no index. */
export const readDeletedPage = (session: Session, kind: Kind, query: RowQuery, options: PageOptions = {}) =>
  readAnyPage(session, kind, { ...query, isOfDeleted: true }, options) as Promise<EntityPage<DeletedEntity>>;

async function readAnyPage(
  session: Session,
  kind: Kind,
  query: RowQuery,
  options: PageOptions,
): Promise<EntityPage<AnyEntity>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // An index is read once: a throttled one delays the writes of the table, and more reads would make that worse.
      const own = attempt === 1 ? options : { ...options, pageIndex: undefined };
      const page = await readOnce(session, kind, query, own);
      if (page.isCurrent || options.mayBeNewer || attempt === maxAttempts) return page;
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error;
      if (attempt === maxAttempts) throw new StoreUnavailable(error);
    }
  }
}
