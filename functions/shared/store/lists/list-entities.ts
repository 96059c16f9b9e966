/** Lists of entities, by the query plan. */
import type { StoredEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Kind } from '../model/relations.ts';
import { toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findEntity, readTexts } from '../unit-of-work/whole-entities.ts';
import { type ListSource, type RowPage, readPagePlace, readRows } from './engine/list-rows.ts';
import { readState } from './engine/read-state.ts';
import { matchesRow } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import { readUntilCurrent, StaleRead } from './engine/snapshot.ts';
import { logCache, openLog } from './engine/table-log.ts';
import type { IndexListing } from './index-listing.ts';
import { type IndexPage, isNearBoundary, readIndexPage } from './index-page.ts';
import { planQuery } from './query-plan.ts';
import { readRowEntities } from './row-entities.ts';
import { isSmallParent, listSmallParent, type ParentListing } from './small-parent.ts';
import { toRowQuery } from './to-row-query.ts';

/** Returns the page of a list that filters by id. */
async function listById(session: Session, kind: Kind, id: string, query: ListQuery): Promise<Page> {
  const entity = (await findEntity(session, kind, id))?.entity;
  const { filters, ids } = toRowQuery(kind, query);
  const isInRange = !ids || (id >= ids.from && id < ids.to);
  if (!entity || !isInRange || !matchesRow(filters, toRow(entity))) return { entities: [], total: 0 };
  return { entities: query.page === 1 ? [entity] : [], total: 1 };
}

/** Returns what the list engine reads with. */
const sourceOf = ({ tenant, database }: Session, kind: Kind): ListSource => ({
  reader: openLog(database, tenant, kind),
  cache: logCache(database, tenant, kind),
  nowMs: Date.now(),
});

function unavailableIfStale(error: unknown): never {
  throw error instanceof StaleRead ? new StoreUnavailable(error) : error;
}

/** What serves a list of the engine, beside columns. */
export interface Indexes {
  /** Lists what matches, in the order of creation. */
  readonly listing?: IndexListing | undefined;
  /** Lists the children of a parent that all matches have. */
  readonly parent?: ParentListing | undefined;
}

/** Rows of a page, with entities that were read already. */
type FoundPage = RowPage & Partial<IndexPage>;

/** Returns the rows of a page; `undefined` when they are children of a parent with few. */
const readPage = (
  session: Session,
  source: ListSource,
  query: RowQuery,
  { listing, parent }: Indexes,
): Promise<FoundPage | undefined> =>
  readUntilCurrent(async () => {
    const state = await readState(source.reader, source.cache, source.nowMs);
    if (!listing && parent && (await isSmallParent(source, state, query, parent))) return undefined;
    const place = listing && (await readPagePlace(source, state, query));
    const { filters } = query;
    return (
      (place &&
        isNearBoundary(listing, place, query) &&
        (await readIndexPage(session, { listing, filters, state }, place, query))) ||
      readRows(source, state, query)
    );
  });

/** Times that a page is read again because its entities changed after its rows were listed. */
const maxAttempts = 3;

/** A page of entities that the list engine selects. */
interface EnginePage<Stored> {
  readonly stored: readonly Stored[];
  readonly total: number;
}

/** What a page is read for. */
interface PageRequest<Stored> {
  readonly query: RowQuery;
  readonly indexes: Indexes;
  /** Reads what is missing of entities. It leaves out those that were deleted meanwhile. */
  readonly complete: (stored: readonly StoredEntity[]) => Promise<readonly Stored[]>;
}

async function pageByEngine<Stored extends StoredEntity>(
  session: Session,
  kind: Kind,
  { query, indexes, complete }: PageRequest<Stored>,
): Promise<EnginePage<Stored>> {
  const { listing, parent } = indexes;
  for (let attempt = 1; ; attempt += 1) {
    const source = sourceOf(session, kind);
    const page = await readPage(session, source, query, indexes).catch(unavailableIfStale);
    if (!page && parent) {
      const small = await listSmallParent(session, { kind, parent, source }, query).catch(unavailableIfStale);
      const stored = await complete(small.stored);
      return { stored, total: small.total - (small.stored.length - stored.length) };
    }
    const { rows, total, found: known } = page as FoundPage;
    const found = await readRowEntities(session, kind, rows, known ?? listing);
    const completed = await complete(rows.flatMap(({ id }) => found.get(id) ?? []));
    const versions = new Map(completed.map(({ entity, version }) => [entity.id, version]));
    const isCurrent = rows.every(({ id, version }) => versions.get(id) === version);
    if (isCurrent || attempt === maxAttempts) {
      return { stored: completed, total: total - (rows.length - completed.length) };
    }
  }
}

/**
 * Returns a page of entities that the list engine selects, without their long texts.
 * @throws StoreUnavailable when the log changes so often that it cannot be read.
 */
export const listByEngine = (
  session: Session,
  kind: Kind,
  query: RowQuery,
): Promise<EnginePage<StoredEntity>> =>
  pageByEngine(session, kind, { query, indexes: {}, complete: async (stored) => stored });

/**
 * Returns one page of the entities that match, in a total order, and the exact total.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listEntities(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const plan = planQuery(session.tenant, kind, query);
  if (plan.by === 'nothing') return { entities: [], total: 0 };
  if (plan.by === 'id') return listById(session, kind, plan.id, query);
  const { stored, total } = await pageByEngine(session, kind, {
    query: toRowQuery(kind, query),
    indexes: plan,
    complete: (found) => readTexts(session, found),
  });
  return { entities: stored.map(({ entity }) => entity), total };
}
