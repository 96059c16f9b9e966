/**
 * The change feed: a caller reads all entities of a collection once, in the order of creation, and from then on their changes. The cursor says how
 * far. Changes come from the log, whose records have the rows, so most pages read nothing else.
 */
import { hash } from 'node:crypto';
import type { Database } from '../../dynamodb/database.ts';
import { minHistoryDays, recordLifeMs, stampOf } from '../../model/change-log.ts';
import { type ItemFields, isWhole, type StoredEntity } from '../../model/entity.ts';
import { CursorExpired } from '../../model/errors.ts';
import { decodeEntity } from '../../model/item-codec.ts';
import { entityKey } from '../../model/keys.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { marginMs } from '../../model/log-timing.ts';
import { Digest } from '../../model/long-text.ts';
import type { Kind } from '../../model/relations.ts';
import { toRow } from '../../model/row.ts';
import type { Session } from '../../unit-of-work/session.ts';
import { readTexts } from '../../unit-of-work/whole-entities.ts';
import type { Manifest } from '../engine/format/manifest.ts';
import { canHaveExpired } from '../engine/newest-stamps.ts';
import { isInRanges } from '../engine/read/id-ranges.ts';
import { rowPredicate } from '../engine/read/row-filter.ts';
import { listEntities } from '../list-entities.ts';
import { toRowQuery } from '../to-row-query.ts';
import { type ChangesCursor, type LogCursor, logCursor, type WalkCursor } from './cursor.ts';
import { entityOfRow } from './entity-of-row.ts';
import { hashKeys } from './key-hashes.ts';
import { ChangesMerger, type MergedChange, type PageEnd, type RowMatcher } from './merge-changes.ts';
import { readLog, readManifest } from './read-log.ts';
import { RequestBudget } from './request-budget.ts';

export interface ChangesPage {
  /** Entities that were created or changed, and match. Without long texts if the query does not ask for them. */
  readonly entities: readonly ItemFields[];
  /** The versions of these entities, in the same order. */
  readonly versions: readonly number[];
  /** The ids of entities that were deleted, or do not match any more. */
  readonly removed: readonly string[];
  readonly cursor: ChangesCursor;
  readonly hasMore: boolean;
}

/** Entities that a page reads by key, at most: each of them costs a read unit. */
const maxReadEntities = 40;

/** Read units of the item of an entity, of at most 4 KB, that is read from a replica. */
const itemUnits = 0.5;

/** Read units of the longest description: 10,000 characters of up to three bytes in UTF-8. */
const maxTextUnits = 4;

/** Bytes of the item of a description besides the text. */
const textItemBytes = 200;

interface Changes {
  readonly stored: readonly StoredEntity[];
  readonly removed: readonly string[];
}

function matcherOf(kind: Kind, query: ListQuery): RowMatcher {
  const { filters, ids } = toRowQuery(kind, query);
  const matches = rowPredicate(filters);
  return (id, row) => isInRanges(ids, id) && matches(row);
}

/**
 * Returns a number of what the records lead to: another one after a repair of the columns, and in a restored table, which has another name and
 * need not have what the caller has.
 */
export function generationOf({ tableName }: Pick<Database, 'tableName'>, { generation }: Manifest): number {
  // The operator returns a signed number.
  return (hash('sha256', tableName, 'buffer').readUInt32BE() ^ generation) >>> 0;
}

/** Returns how many of the first entries cost at most so many read units together: at least one, so that each page goes on. */
function affordable(costs: readonly number[], units: number): number {
  let total = 0;
  for (const [count, cost] of costs.entries()) {
    total += cost;
    if (total > units && count > 0) return count;
  }
  return costs.length;
}

/** Returns the read units for the items of entities: the others are for their descriptions, at least for the longest one. */
const unitsOfItems = ({ left }: RequestBudget, withTexts: boolean): number =>
  withTexts ? Math.min(left / 2, left - maxTextUnits) : left;

/** Returns the read units of the description of an entity; 0 when its item has all of it. */
function textUnits(stored: StoredEntity | undefined): number {
  const text = stored?.entity.description;
  if (!(text instanceof Digest)) return 0;
  return text.bytes === 0 ? maxTextUnits : Math.ceil((text.bytes + textItemBytes) / 4_096) / 2;
}

/** @param cursor absent for the first page. */
async function walk(
  session: Session,
  kind: Kind,
  query: ListQuery,
  cursor: WalkCursor | undefined,
  nowMs: number,
): Promise<ChangesPage> {
  // Before the first page: what changes during the walk is above it.
  const from = cursor?.from ?? Math.max(0, nowMs - marginMs);
  const budget = new RequestBudget(session.database);
  const generation = cursor?.generation ?? generationOf(session.database, await readManifest(session, kind));
  const after = cursor ? { values: [], id: cursor.lastId } : 'start';
  // What changes meanwhile is in the log too, so no page is read again for it.
  const page = await listEntities(session, kind, { ...query, after, withTexts: false }, { mayBeNewer: true });
  const listed = page.entities.map((entity, place) => ({ kind, entity, version: page.versions[place] ?? 0 }));
  const count = query.withTexts ? affordable(listed.map(textUnits), budget.left) : listed.length;
  const end = count < listed.length ? listed[count - 1]?.entity : page.end;
  const taken = listed.slice(0, count);
  const matches = matcherOf(kind, query);
  const found: readonly StoredEntity[] = query.withTexts ? await readTexts(session, taken) : taken;
  const shown = found.filter(({ entity }) => matches(entity.id, toRow(entity)));
  const next: ChangesCursor = end
    ? { by: 'walk', from, generation, lastId: end.id }
    : logCursor({ from, generation, isAhead: true });
  // One page has all that was written before it. What was written between two pages is in the log.
  return {
    entities: shown.map(({ entity }) => entity),
    versions: shown.map(({ version }) => version),
    removed: [],
    cursor: next,
    hasMore: end !== undefined || cursor !== undefined,
  };
}

/** @throws CursorExpired when records above the cursor can be gone. */
function requireRecords(
  { database }: Session,
  { from, at, generation }: LogCursor,
  { manifest, nowMs }: { readonly manifest: Manifest; readonly nowMs: number },
): void {
  if (generationOf(database, manifest) !== generation) throw new CursorExpired('the data was rebuilt');
  const given = at === undefined ? from : stampOf(at);
  // Records of a quiet log expire too, but there are no others.
  if (canHaveExpired(manifest.newestStamps, { above: from, given, nowMs }))
    throw new CursorExpired('the records have expired');
}

/** Divides entities as they are now by whether they match. */
function divide(
  kind: Kind,
  changes: readonly MergedChange[],
  found: ReadonlyMap<string, StoredEntity>,
  matches: RowMatcher,
): Changes {
  const stored: StoredEntity[] = [];
  const removed: string[] = [];
  for (const { id } of changes) {
    const one = found.get(id);
    if (one?.kind === kind && matches(id, toRow(one.entity))) stored.push(one);
    else removed.push(id);
  }
  return { stored, removed };
}

const idOf = ({ entity }: StoredEntity): string => entity.id;

const byId = (stored: readonly StoredEntity[]): Map<string, StoredEntity> =>
  new Map(stored.map((one) => [idOf(one), one]));

/** Returns the entities as the records have them. */
const fromRecords = (kind: Kind, changes: readonly MergedChange[]): StoredEntity[] =>
  changes.flatMap(({ id, version, stamp, after }) =>
    after ? [{ kind, version, stamp, entity: entityOfRow(kind, id, after) }] : [],
  );

async function fromTable(
  { tenant, database }: Session,
  kind: Kind,
  changes: readonly MergedChange[],
): Promise<StoredEntity[]> {
  const items = await database.getMany(changes.map(({ id }) => entityKey(tenant, kind, id)));
  return items.map(decodeEntity);
}

/**
 * Reads the entities whose rows have only the beginning of a description: the items of most of them have all of it, and cost half a read unit each.
 * @returns the others as they are.
 */
async function withInlineTexts(
  { tenant, database }: Session,
  kind: Kind,
  stored: readonly StoredEntity[],
): Promise<StoredEntity[]> {
  const cut = stored.filter((one) => !isWhole(one));
  const keys = cut.map(({ entity }) => entityKey(tenant, kind, entity.id));
  const found = byId((await database.getMany(keys, false)).map(decodeEntity));
  return stored.map((one) => {
    const read = found.get(one.entity.id);
    // A replica of the table can lag behind.
    return read && read.version >= one.version ? read : one;
  });
}

/**
 * Returns the cursor behind a page.
 * @param horizon no record with this stamp or an earlier one appears any more.
 */
function nextCursor(
  { cursor }: ChangesMerger,
  { keys, atEntries }: PageEnd,
  {
    horizon,
    hasMore,
    isAhead,
  }: { readonly horizon: number; readonly hasMore: boolean; readonly isAhead: boolean },
): LogCursor {
  const { from, generation } = cursor;
  const last = keys.at(-1);
  // Of the last stamp of a page, there can be more records.
  const end = hasMore && last !== undefined ? Math.min(horizon, stampOf(last) - 1) : horizon;
  const next = Math.max(from, end);
  const above = keys.filter((key) => stampOf(key) > next);
  return {
    by: 'log',
    from: next,
    generation,
    isAhead,
    at: above.at(-1),
    atEntries,
    given: above.length,
    hashes: hashKeys(above, next),
  };
}

interface ShowOptions {
  readonly matches: RowMatcher;
  /** Whether entities come with long descriptions. */
  readonly withTexts: boolean;
  /** Whether all entities are read by key, because the caller can have later versions than those of the records. */
  readonly isRead: boolean;
  readonly budget: RequestBudget;
}

interface Shown extends Changes {
  /** Number of changes that the page has: as many of the first ones as the read units allow. */
  readonly count: number;
  /** Whether an entity is newer than the records that were read. */
  readonly isNewer: boolean;
}

/** Returns what a page shows of changes, with the descriptions that the query asks for. */
async function showChanges(
  session: Session,
  kind: Kind,
  changes: readonly MergedChange[],
  { matches, withTexts, isRead, budget }: ShowOptions,
): Promise<Shown> {
  const inRecords = fromRecords(kind, changes);
  const cut = new Set(withTexts ? inRecords.filter((one) => !isWhole(one)).map(idOf) : []);
  const itemCosts = changes.map(({ id }) => (isRead ? 1 : cut.has(id) ? itemUnits : 0));
  const named = changes.slice(0, affordable(itemCosts, unitsOfItems(budget, withTexts)));
  const stored = isRead ? await fromTable(session, kind, named) : fromRecords(kind, named);
  const current = divide(kind, named, byId(stored), matches);
  if (!withTexts) return { ...current, count: named.length, isNewer: false };
  const found = byId(isRead ? current.stored : await withInlineTexts(session, kind, current.stored));
  const textCosts = named.map(({ id }) => textUnits(found.get(id)));
  const shown = named.slice(0, affordable(textCosts, budget.left));
  const whole = byId(
    await readTexts(
      session,
      shown.flatMap(({ id }) => found.get(id) ?? []),
    ),
  );
  const before = byId(current.stored);
  return {
    // An entity whose text was read can be newer than its record, and match no more.
    ...divide(kind, shown, whole, matches),
    count: shown.length,
    isNewer: shown.some(({ id }) => before.has(id) && whole.get(id)?.version !== before.get(id)?.version),
  };
}

async function readChanges(
  session: Session,
  kind: Kind,
  query: ListQuery,
  cursor: LogCursor,
  nowMs: number,
): Promise<ChangesPage> {
  const matches = matcherOf(kind, query);
  const budget = new RequestBudget(session.database);
  const maxChanges = cursor.isAhead ? Math.min(query.limit, maxReadEntities) : query.limit;
  const merger = new ChangesMerger(cursor, matches, maxChanges);
  const log = await readLog(session, { kind, page: merger, budget });
  // The next page begins behind this one, so what is missing is not noticed later.
  const isOld = cursor.from < nowMs - recordLifeMs(minHistoryDays);
  const read = log.hasMore ? isOld && (await readManifest(session, kind)) : log.manifest;
  if (read) requireRecords(session, cursor, { manifest: read, nowMs });
  // The rest of the log can have the version that the caller has: the entity as it is now is not older.
  const isRead = log.hasMore && cursor.isAhead;
  const changes = merger.changes.slice(0, query.limit);
  const shown = await showChanges(session, kind, changes, {
    matches,
    withTexts: query.withTexts,
    isRead,
    budget,
  });
  const end = merger.endAfter(shown.count);
  const hasMore = log.hasMore || end.isCut;
  const horizon = Math.max(cursor.from, nowMs - marginMs);
  const isAhead = isRead || shown.isNewer || end.isAhead;
  return {
    entities: shown.stored.map(({ entity }) => entity),
    versions: shown.stored.map(({ version }) => version),
    removed: shown.removed,
    cursor: nextCursor(merger, end, { horizon, hasMore, isAhead }),
    hasMore,
  };
}

/**
 * Returns the next page of the changes of a collection. Every write that was acknowledged before is on one of the pages up to the first one without
 * more. A change can come twice; an entity never comes in an earlier version than before.
 * @param query in the order of creation.
 * @param cursor that of the page before; absent for the first page.
 * @param startedAt when the request began, before anything was read, in milliseconds since 1970. By default, now.
 * @throws CursorExpired when the caller must begin again.
 * @throws StoreUnavailable when the time of the request does not suffice.
 */
export async function listChanges(
  session: Session,
  kind: Kind,
  query: ListQuery,
  cursor: ChangesCursor | undefined,
  startedAt?: number,
): Promise<ChangesPage> {
  const nowMs = startedAt ?? (await session.database.time());
  return cursor?.by === 'log'
    ? readChanges(session, kind, query, cursor, nowMs)
    : walk(session, kind, query, cursor, nowMs);
}
