/** Lists of entities, by the query plan. */
import type { StoredEntity, WholeEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Kind } from '../model/relations.ts';
import { toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findEntity, readTexts } from '../unit-of-work/whole-entities.ts';
import { type Listing, readWindow } from './counted-index/page.ts';
import { type ListedRow, type ListSource, listRows, type RowQuery } from './engine/list-rows.ts';
import { matchesRow } from './engine/row-filter.ts';
import { StaleRead } from './engine/snapshot.ts';
import { logCache, openLog } from './engine/table-log.ts';
import { planQuery } from './query-plan.ts';
import { toRowQuery } from './row-query.ts';
import { isSmallParent, listSmallParent } from './small-parent.ts';

/** Returns the page of entities that an index returned. An entity that was deleted before its text was read is left out. */
async function toPage(session: Session, stored: readonly StoredEntity[], total: number): Promise<Page> {
  const entities = (await readTexts(session, stored)).map(({ entity }) => entity);
  return { entities, total: total - (stored.length - entities.length) };
}

async function listByCountedIndex(
  session: Session,
  kind: Kind,
  listing: Listing,
  query: ListQuery,
): Promise<Page> {
  const { page, limit, sortOrder, fields } = query;
  const window = { order: sortOrder, skip: (page - 1) * limit, limit, members: fields };
  const { items, total } = await readWindow(session.database, listing, window);
  // The query reads the fields of the entities only.
  const stored = items.map((item) => ({ ...decodeEntity(item), kind }));
  return toPage(session, stored, total);
}

/** Returns the page of a list that filters by id. */
async function listById(session: Session, kind: Kind, id: string, query: ListQuery): Promise<Page> {
  const entity = (await findEntity(session, kind, id))?.entity;
  const { filters, ids } = toRowQuery(kind, query);
  const isInRange = !ids || (id >= ids.from && id < ids.to);
  if (!entity || !isInRange || !matchesRow(filters, toRow(entity))) return { entities: [], total: 0 };
  return { entities: query.page === 1 ? [entity] : [], total: 1 };
}

/** Reads the entities of rows: those that changed a moment ago consistently, and the others at half the price. */
async function readEntities(
  session: Session,
  kind: Kind,
  rows: readonly ListedRow[],
): Promise<Map<string, StoredEntity>> {
  const read = async (wanted: readonly ListedRow[], isConsistent: boolean): Promise<StoredEntity[]> => {
    const keys = wanted.map(({ id }) => entityKey(session.tenant, kind, id));
    return (await session.database.getMany(keys, isConsistent)).map(decodeEntity);
  };
  const [recent, others] = await Promise.all([
    read(
      rows.filter(({ isRecent }) => isRecent),
      true,
    ),
    read(
      rows.filter(({ isRecent }) => !isRecent),
      false,
    ),
  ]);
  const found = new Map([...recent, ...others].map((stored) => [stored.entity.id, stored]));
  const isStale = ({ id, version, isRecent }: ListedRow): boolean =>
    !isRecent && !((found.get(id)?.version ?? 0) >= version);
  for (const stored of await read(rows.filter(isStale), true)) found.set(stored.entity.id, stored);
  return found;
}

/** Reads the entities of rows with their long texts. An entity whose text has changed meanwhile may be of a later version. */
async function readWholeEntities(
  session: Session,
  kind: Kind,
  rows: readonly ListedRow[],
): Promise<Map<string, WholeEntity>> {
  const stored = [...(await readEntities(session, kind, rows)).values()];
  return new Map((await readTexts(session, stored)).map((whole) => [whole.entity.id, whole]));
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

/** Times that a page is read again because its entities changed after its rows were listed. */
const maxAttempts = 3;

/** A page of entities that the list engine selects. */
interface EnginePage<Stored> {
  readonly stored: readonly Stored[];
  readonly total: number;
}

/** @param read reads the entities of rows. */
async function pageByEngine<Stored extends StoredEntity>(
  session: Session,
  kind: Kind,
  query: RowQuery,
  read: (session: Session, kind: Kind, rows: readonly ListedRow[]) => Promise<Map<string, Stored>>,
): Promise<EnginePage<Stored>> {
  for (let attempt = 1; ; attempt += 1) {
    const { rows, total } = await listRows(sourceOf(session, kind), query).catch(unavailableIfStale);
    const found = await read(session, kind, rows);
    const isCurrent = rows.every(({ id, version }) => found.get(id)?.version === version);
    if (!isCurrent && attempt < maxAttempts) continue;
    const stored = rows.flatMap(({ id }) => found.get(id) ?? []);
    return { stored, total: total - (rows.length - stored.length) };
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
): Promise<EnginePage<StoredEntity>> => pageByEngine(session, kind, query, readEntities);

/**
 * Returns one page of the entities that match, in a total order, and the exact total.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listEntities(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const plan = planQuery(session.tenant, kind, query);
  if (plan.by === 'nothing') return { entities: [], total: 0 };
  if (plan.by === 'id') return listById(session, kind, plan.id, query);
  if (plan.by === 'counted-index') return listByCountedIndex(session, kind, plan.listing, query);
  const rowQuery = toRowQuery(kind, query);
  const { parent } = plan;
  if (parent !== undefined && (await isSmallParent(session, parent))) {
    const small = { kind, parent, source: sourceOf(session, kind) };
    const { stored, total } = await listSmallParent(session, small, rowQuery).catch(unavailableIfStale);
    return toPage(session, stored, total);
  }
  const { stored, total } = await pageByEngine(session, kind, rowQuery, readWholeEntities);
  return { entities: stored.map(({ entity }) => entity), total };
}
