/** Lists of entities, by the query plan. */
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Kind } from '../model/relations.ts';
import { toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findEntity, readTexts } from '../unit-of-work/whole-entities.ts';
import { isInRanges } from './engine/id-ranges.ts';
import { type ListSource, readPagePlace, readRows } from './engine/list-rows.ts';
import { readState } from './engine/read-state.ts';
import { rowPredicate } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import { readUntilCurrent } from './engine/stale-read.ts';
import { countRows } from './engine/value-counts.ts';
import { type EntityPage, type FoundPage, readEnginePage } from './engine-page.ts';
import { readListed } from './index-listing.ts';
import { readIndexPage } from './index-page.ts';
import { type Indexes, planQuery } from './query-plan.ts';
import { isSmallParent, readSmallParent } from './small-parent.ts';
import { toRowQuery } from './to-row-query.ts';

const toPage = ({ stored, total, counts }: EntityPage): Page => ({
  entities: stored.map(({ entity }) => entity),
  versions: stored.map(({ version }) => version),
  total,
  counts,
});

/** Returns the page of a list that filters by id. */
async function listById(session: Session, kind: Kind, id: string, query: RowQuery): Promise<Page> {
  const { filters, ids, skip, countBy } = query;
  const stored = isInRanges(ids, id) ? await findEntity(session, kind, id) : undefined;
  const matching = stored && rowPredicate(filters)(toRow(stored.entity)) ? [stored] : [];
  const rows = matching.map(({ entity }) => toRow(entity));
  return toPage({
    stored: skip === 0 ? matching : [],
    total: matching.length,
    counts: countRows(countBy, rows),
  });
}

/** Reads of an index for one list, at most. Each reads about one page. */
const maxIndexReads = 3;

/**
 * Returns a function that tells whether the list may read an index once more. Without an index, it reads columns, and entities by key. A
 * throttled index delays the writes of the table, also those of other tenants, and reading it again would make that worse.
 */
function indexReads({ database }: Session): () => boolean {
  let reads = 0;
  return () => {
    reads += 1;
    return reads === 1 || (reads <= maxIndexReads && database.throttles === 0);
  };
}

/** How a list is read. */
interface ListPlan extends Indexes {
  /** Counts a read of an index, and tells whether it may be made. */
  readonly mayReadIndex: () => boolean;
}

/**
 * Returns the rows of a page, with entities that an index had.
 * @throws StaleRead when the log changes so often that it cannot be read.
 */
const readPage = (
  session: Session,
  source: ListSource,
  query: RowQuery,
  { listing, parent, mayReadIndex }: ListPlan,
): Promise<FoundPage> =>
  readUntilCurrent(async () => {
    const state = await readState(source.reader, source.cache, source.nowMs);
    if (!listing) {
      const isSmall = parent && (await isSmallParent(source, state, parent)) && mayReadIndex();
      const fromParent = isSmall && (await readSmallParent(session, source, query, parent));
      return fromParent || readRows(source, state, query);
    }
    // The columns of statuses are small, those of parents are not.
    const place = listing.family === 'all' ? undefined : await readPagePlace(source, state, query);
    const { filters } = query;
    const fromIndex =
      place && mayReadIndex() && (await readIndexPage(session, { listing, filters, state }, place, query));
    if (fromIndex) return fromIndex;
    const page = await readRows(source, state, query);
    if (!mayReadIndex()) return page;
    const ids = page.rows.map(({ id }) => id);
    return { ...page, found: await readListed(session.database, listing, ids) };
  });

/**
 * Returns one page of the entities that match, in a total order, the exact total, and the counts of values.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listEntities(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const plan = planQuery(session.tenant, kind, query);
  const rowQuery = toRowQuery(kind, query);
  const isEmpty = plan.by === 'nothing' || rowQuery.ids?.length === 0;
  if (isEmpty) return toPage({ stored: [], total: 0, counts: countRows(rowQuery.countBy, []) });
  if (plan.by === 'id') return listById(session, kind, plan.id, rowQuery);
  const mayReadIndex = indexReads(session);
  const page = await readEnginePage(session, kind, {
    readPage: (source) => readPage(session, source, rowQuery, { ...plan, mayReadIndex }),
    complete: async (found) => (query.withTexts ? readTexts(session, found) : found),
  });
  return toPage(page);
}
