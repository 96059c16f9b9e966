/** Lists of entities, by the query plan. */
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Kind } from '../model/relations.ts';
import { toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findEntity, readTexts } from '../unit-of-work/whole-entities.ts';
import { type ListSource, readPagePlace, readRows } from './engine/list-rows.ts';
import { readState } from './engine/read-state.ts';
import { matchesRow } from './engine/row-filter.ts';
import { isInRange, type RowQuery } from './engine/row-query.ts';
import { readUntilCurrent } from './engine/snapshot.ts';
import { type FoundPage, readEnginePage } from './engine-page.ts';
import { readListed } from './index-listing.ts';
import { readIndexPage } from './index-page.ts';
import { type Indexes, planQuery } from './query-plan.ts';
import { isSmallParent, readSmallParent } from './small-parent.ts';
import { toRowQuery } from './to-row-query.ts';

/** Returns the page of a list that filters by id. */
async function listById(session: Session, kind: Kind, id: string, query: ListQuery): Promise<Page> {
  const entity = (await findEntity(session, kind, id))?.entity;
  const { filters, ids } = toRowQuery(kind, query);
  if (!entity || !isInRange(ids, id) || !matchesRow(filters, toRow(entity)))
    return { entities: [], total: 0 };
  return { entities: query.page === 1 ? [entity] : [], total: 1 };
}

/**
 * Returns the rows of a page, with entities that an index had.
 * @throws StaleRead when the log changes so often that it cannot be read.
 */
const readPage = (
  session: Session,
  source: ListSource,
  query: RowQuery,
  { listing, parent }: Indexes,
): Promise<FoundPage> =>
  readUntilCurrent(async () => {
    const state = await readState(source.reader, source.cache, source.nowMs);
    if (!listing) {
      const isSmall = parent && (await isSmallParent(source, state, query, parent));
      return isSmall ? readSmallParent(session, source, query, parent) : readRows(source, state, query);
    }
    // The columns of statuses are small, those of parents are not.
    const place = listing.family === 'all' ? undefined : await readPagePlace(source, state, query);
    const { filters } = query;
    const fromIndex = place && (await readIndexPage(session, { listing, filters, state }, place, query));
    if (fromIndex) return fromIndex;
    const page = await readRows(source, state, query);
    const ids = page.rows.map(({ id }) => id);
    return { ...page, found: await readListed(session.database, listing, ids) };
  });

/**
 * Returns one page of the entities that match, in a total order, and the exact total.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listEntities(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const plan = planQuery(session.tenant, kind, query);
  if (plan.by === 'nothing') return { entities: [], total: 0 };
  if (plan.by === 'id') return listById(session, kind, plan.id, query);
  const rowQuery = toRowQuery(kind, query);
  const { stored, total } = await readEnginePage(session, kind, {
    readPage: (source) => readPage(session, source, rowQuery, plan),
    complete: (found) => readTexts(session, found),
  });
  return { entities: stored.map(({ entity }) => entity), total };
}
