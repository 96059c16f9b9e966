/**
 * The change feed: a caller reads all entities of a collection once, in the order of creation, and from then on their changes. The cursor says how
 * far. Changes come from the log, whose records have the rows, so most pages read nothing else.
 */
import { hash } from 'node:crypto';
import { isInRanges } from '../columns/read/id-ranges.ts';
import { rowPredicate } from '../columns/read/row-filter.ts';
import { allRows } from '../columns/read/row-query.ts';
import { toRowQuery } from '../lists/filters.ts';
import { listEntities } from '../lists/list-entities.ts';
import { type PageLog, readPage } from '../lists/read-page.ts';
import { advance, positionsOf } from '../log/progress.ts';
import { ruleOf } from '../model/access.ts';
import type { LogRecord } from '../model/change-log.ts';
import { type Entity, isWhole, type StoredEntity } from '../model/entity.ts';
import { CursorExpired, SightChanged } from '../model/errors.ts';
import { decodeEntity, entityOfRow } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { Digest, longTextOf, withLongText } from '../model/long-text.ts';
import { type Row, toRow } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readAnyStored, readTexts } from '../table/stored-entities.ts';
import type { ChangesCursor } from './cursor.ts';
import { readLog, startBudget } from './read-log.ts';
import { followGuards, sightOfRows } from './sight-of-feed.ts';

/** Its entities were created or changed, and match. They are without long texts if the query does not ask for them. */
export interface ChangesPage extends Pick<Page, 'entities' | 'versions'> {
  /** The ids of entities that were deleted, or do not match any more. */
  readonly removed: readonly string[];
  readonly cursor: ChangesCursor;
  readonly hasMore: boolean;
}

/** Read units of the item of an entity, of at most 4 KB, that is read from a replica. */
const itemUnits = 0.5;

/** Entities of a page that are read by key, at most: half a unit each, of the 280 that a page may cost. */
const maxKeyReads = 400;

/** Bytes of the entities of a page as JSON: with their versions, it has at most a megabyte. */
const maxPageBytes = 900_000;

/** Changes of a page, at most, for a caller who does not see all: each of its entities is read by key. */
const maxChangesOfViewer = 100;

/** Read units of the longest text: 10,000 characters of up to three bytes in UTF-8. */
const maxTextUnits = 4;

/** Bytes of the item of a long text besides the text. */
const textItemBytes = 200;

type RowMatcher = (id: string, row: Row) => boolean;

/** Returns whether rows match, also those that the caller does not see. */
function matcherOf(kind: Kind, query: ListQuery): RowMatcher {
  const { filters, ids } = toRowQuery(kind, query);
  const matches = rowPredicate(filters);
  return (id, row) => isInRanges(ids, id) && matches(row);
}

/** Returns a number of a table and a tenant. A cursor of another one would leave out what is before it. */
export const tableNumber = (tenant: string, tableName: string): number =>
  hash('sha256', `${tableName} ${tenant}`, 'buffer').readUInt32BE();

/** Returns how many of the first entries cost at most so much together: at least one, so that each page goes on. */
function affordable(costs: readonly number[], most: number): number {
  let total = 0;
  for (const [count, cost] of costs.entries()) {
    total += cost;
    if (total > most && count > 0) return count;
  }
  return costs.length;
}

/** Returns the bytes of an entity in a response, without its long text. */
const jsonBytes = (entity: object): number =>
  Buffer.byteLength(JSON.stringify(withLongText(entity, undefined)));

/** Returns the read units of the item of a text; 0 when the entity has all of it. */
function textUnits(stored: StoredEntity | undefined): number {
  const text = longTextOf(stored?.entity);
  if (!(text instanceof Digest)) return 0;
  return Math.ceil((text.bytes + textItemBytes) / 4_096) / 2;
}

async function walk(session: Session, kind: Kind, query: ListQuery, cursor: ChangesCursor | undefined) {
  const unitsLeft = startBudget(session.database);
  const after = cursor?.lastId === undefined ? 'start' : { values: [], id: cursor.lastId };
  // What changes meanwhile is in the log too, so no page is read again for it.
  const ofPage = { ...query, after, withTexts: false } as const;
  const page = await listEntities(session, kind, ofPage, { mayBeNewer: true, maxKeyReads });
  const progress = cursor?.progress ?? page.log.progress;
  const listed = page.entities.map((entity, place) => ({ kind, entity, version: page.versions[place] ?? 0 }));
  const withTexts = query.withTexts ? affordable(listed.map(textUnits), unitsLeft()) : listed.length;
  const count = Math.min(withTexts, affordable(page.entities.map(jsonBytes), maxPageBytes));
  const end = count < listed.length ? listed[count - 1]?.entity : page.end;
  const taken = listed.slice(0, count);
  const matches = matcherOf(kind, query);
  const found: readonly StoredEntity[] = query.withTexts ? await readTexts(session, taken) : taken;
  const shown = found.filter(({ entity }) => matches(entity.id, toRow(entity)));
  // One page has all that was written before it. What is newer than the log was comes again.
  const isExact = page.log.isExact && found.every(({ version }, place) => version === taken[place]?.version);
  const viewer = cursor ? cursor.viewer : page.log.viewer;
  return {
    entities: shown.map(({ entity }) => entity),
    versions: shown.map(({ version }) => version),
    removed: [],
    cursor: { ...cursorOf(session, { progress, viewer }), ...(end && { lastId: end.id }) },
    hasMore: end !== undefined || cursor !== undefined || !isExact,
  };
}

/** Returns the cursor of what a list shows: the feed continues it. */
export const cursorOf = (
  session: Session,
  { progress, viewer }: Pick<PageLog, 'progress' | 'viewer'>,
): ChangesCursor => ({
  table: tableNumber(session.tenant, session.database.tableName),
  progress,
  viewer,
});

async function beginNow(session: Session, kind: Kind): Promise<ChangesPage> {
  const { log } = await readPage(session, kind, { ...allRows, ids: [], limit: 0 });
  return { ...noChanges, cursor: cursorOf(session, log), hasMore: false };
}

const noChanges = { entities: [], versions: [], removed: [] } as const;

interface MergedChange {
  readonly id: string;
  readonly version: number;
  /** The row of this version, if it matches. Otherwise the entity was deleted, or does not match any more. */
  readonly after: Row | undefined;
}

/** Merges records in the order of their positions: later ones have later versions of an entity. Returns what concerns entities that match or matched. */
function mergeChanges(records: readonly LogRecord[], matches: RowMatcher): MergedChange[] {
  const changes = new Map<string, MergedChange>();
  for (const { id, version, before, after } of records.flatMap(({ entries }) => entries)) {
    const [matched, isMatch] = [before, after].map((row) => row !== undefined && matches(id, row));
    if (matched || isMatch || changes.has(id))
      changes.set(id, { id, version, after: isMatch ? after : undefined });
  }
  return [...changes.values()];
}

const fromRows = (kind: Kind, changes: readonly MergedChange[]): StoredEntity[] =>
  changes.flatMap(({ id, version, after }) =>
    after ? [{ kind, version, entity: entityOfRow(kind, id, after) }] : [],
  );

/**
 * Reads the descriptions of which rows have only the beginning: the items of most entities have all of it, and cost half a read unit each. Takes as many
 * of the first records as the read units allow, but one at least.
 * @returns the number of these records, and their entities by id. One that was deleted meanwhile is absent.
 */
async function readDescribed(
  session: Session,
  kind: Kind,
  records: readonly LogRecord[],
  { matches, unitsLeft }: { readonly matches: RowMatcher; readonly unitsLeft: () => number },
): Promise<{ readonly count: number; readonly described: ReadonlyMap<string, Entity> }> {
  const { tenant, database } = session;
  const inRows = new Map<string, StoredEntity>();
  const added = records.map((record) => {
    const cut = fromRows(kind, mergeChanges([record], matches)).filter((one) => !isWhole(one));
    const ids = cut.map(({ entity }) => entity.id).filter((id) => !inRows.has(id));
    for (const one of cut) inRows.set(one.entity.id, one);
    return ids;
  });
  const left = unitsLeft();
  // The others are for the texts, at least for the longest one.
  const forItems = Math.min(left / 2, left - maxTextUnits);
  const named = added.slice(
    0,
    affordable(
      added.map((ids) => itemUnits * ids.length),
      forItems,
    ),
  );
  const keys = named.flat().map((id) => entityKey(tenant, kind, id));
  for (const one of (await database.getMany(keys, false)).map(decodeEntity)) {
    // A replica can lag behind.
    if (one.version >= (inRows.get(one.entity.id)?.version ?? 0)) inRows.set(one.entity.id, one);
  }
  const costs = named.map((ids) => ids.reduce((sum, id) => sum + textUnits(inRows.get(id)), 0));
  const count = affordable(costs, unitsLeft());
  const wanted = named.slice(0, count).flatMap((ids) => ids.flatMap((id) => inRows.get(id) ?? []));
  const whole = await readTexts(session, wanted);
  return { count, described: new Map(whole.map(({ entity }) => [entity.id, entity])) };
}

/** Returns the entities that the caller sees as they are now, also deleted ones; all of a caller who sees all. */
async function readStillSeen(session: Session, kind: Kind, entities: readonly StoredEntity[]) {
  if (!session.sight || !ruleOf(kind)) return entities;
  const ids = entities.map(({ entity }) => entity.id);
  const seen = new Set((await readAnyStored(session, kind, ids)).map(({ entity }) => entity.id));
  return entities.filter(({ entity }) => seen.has(entity.id));
}

async function readChanges(
  session: Session,
  kind: Kind,
  query: ListQuery,
  { table, progress, viewer }: ChangesCursor,
): Promise<ChangesPage> {
  const matchesAny = matcherOf(kind, query);
  const unitsLeft = startBudget(session.database);
  const matchingIds = (record: LogRecord): string[] => mergeChanges([record], matchesAny).map(({ id }) => id);
  const limit = session.sight ? Math.min(query.limit, maxChangesOfViewer) : query.limit;
  const page = await readLog(session, kind, progress, { limit, matchingIds, unitsLeft });
  const visibilityOf = await sightOfRows(session, kind, page.records);
  const matches: RowMatcher = (id, row) => {
    if (!matchesAny(id, row)) return false;
    const visibility = visibilityOf(row);
    // Of what was erased, nobody knows whether the caller has something that was seen through it.
    if (visibility === 'unknown') throw new SightChanged();
    return visibility === 'seen';
  };
  const bytes = page.records.map((record) =>
    fromRows(kind, mergeChanges([record], matches)).reduce((sum, { entity }) => sum + jsonBytes(entity), 0),
  );
  const fitting = page.records.slice(0, affordable(bytes, maxPageBytes));
  const { count, described } = query.withTexts
    ? await readDescribed(session, kind, fitting, { matches, unitsLeft })
    : { count: fitting.length, described: undefined };
  const records = page.records.slice(0, count);
  const isCut = count < page.records.length;
  const changes = mergeChanges(records, matches);
  const hasMore = page.hasMore || isCut;
  // What follows can have hidden an entity of this page, which must not show what it was then.
  const rows = fromRows(kind, changes);
  const current = hasMore ? await readStillSeen(session, kind, rows) : rows;
  const stored = current.flatMap((one): StoredEntity[] => {
    if (!described || isWhole(one)) return [one];
    const whole = described.get(one.entity.id);
    if (!whole) return [];
    return [{ ...one, entity: withLongText(one.entity, longTextOf(whole)) }];
  });
  const shown = new Set(stored.map(({ entity }) => entity.id));
  const removed = changes.flatMap(({ id }) => (shown.has(id) ? [] : [id]));
  return {
    entities: stored.map(({ entity }) => entity),
    versions: stored.map(({ version }) => version),
    removed,
    cursor: { table, progress: isCut ? advance(progress, positionsOf(records)) : page.progress, viewer },
    hasMore,
  };
}

/**
 * Returns the next page of the changes of a collection. Every write that was acknowledged before is on one of the pages up to the first one without
 * more. Each record comes once, and the changes of an entity in their order. Until that page, an entity can come in an earlier version than before;
 * afterwards never, but a description that was read by itself can be newer than its version.
 * @param query in the order of creation.
 * @param cursor that of the page before; absent for the first page; `now` for a page without entities, which changes follow.
 * @throws CursorExpired, SightChanged when the caller must begin again.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listChanges(
  session: Session,
  kind: Kind,
  query: ListQuery,
  cursor: ChangesCursor | 'now' | undefined,
): Promise<ChangesPage> {
  if (cursor === 'now') return beginNow(session, kind);
  if (cursor && cursor.table !== tableNumber(session.tenant, session.database.tableName))
    throw new CursorExpired('the table or the tenant has changed');
  if (!cursor) return walk(session, kind, query, undefined);
  const { viewer, isBehind } = await followGuards(session, kind, cursor);
  const next = { ...cursor, viewer };
  if (isBehind) return { ...noChanges, cursor: next, hasMore: true };
  return next.lastId === undefined
    ? readChanges(session, kind, query, next)
    : walk(session, kind, query, next);
}
