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
import type { ChangesCursor, LogCursor, WalkCursor } from './cursor.ts';
import { entityOfRow } from './entity-of-row.ts';
import { hashKeys } from './key-hashes.ts';
import { ChangesMerger, type MergedChange, type RowMatcher } from './merge-changes.ts';
import { readLog, readManifest } from './read-log.ts';

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
  const generation = cursor?.generation ?? generationOf(session.database, await readManifest(session, kind));
  const after = cursor ? { values: [], id: cursor.lastId } : 'start';
  // What changes meanwhile is in the log too, so no page is read again for it.
  const page = await listEntities(session, kind, { ...query, after }, { mayBeNewer: true });
  const { end } = page;
  const matches = matcherOf(kind, query);
  const isMatching = page.entities.map((entity) => matches(entity.id, toRow(entity)));
  const next: ChangesCursor = end
    ? { by: 'walk', from, generation, lastId: end.id }
    : { by: 'log', from, generation, isAhead: true, hashes: [] };
  // One page has all that was written before it. What was written between two pages is in the log.
  return {
    entities: page.entities.filter((_, place) => isMatching[place]),
    versions: page.versions.filter((_, place) => isMatching[place]),
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

const byId = (stored: readonly StoredEntity[]): Map<string, StoredEntity> =>
  new Map(stored.map((one) => [one.entity.id, one]));

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
  { from, generation }: LogCursor,
  keys: readonly string[],
  {
    horizon,
    hasMore,
    isAhead,
  }: { readonly horizon: number; readonly hasMore: boolean; readonly isAhead: boolean },
): LogCursor {
  const last = keys.at(-1);
  // Of the last stamp of a page, there can be more records.
  const end = hasMore && last !== undefined ? Math.min(horizon, stampOf(last) - 1) : horizon;
  const next = Math.max(from, end);
  const above = keys.filter((key) => stampOf(key) > next);
  return { by: 'log', from: next, generation, isAhead, at: above.at(-1), hashes: hashKeys(above, next) };
}

async function readChanges(
  session: Session,
  kind: Kind,
  query: ListQuery,
  cursor: LogCursor,
  nowMs: number,
): Promise<ChangesPage> {
  const matches = matcherOf(kind, query);
  const maxChanges = cursor.isAhead ? Math.min(query.limit, maxReadEntities) : query.limit;
  const merger = new ChangesMerger(cursor, matches, maxChanges);
  const end = await readLog(session, kind, cursor.from, merger);
  // The next page begins behind this one, so what is missing is not noticed later.
  const isOld = cursor.from < nowMs - recordLifeMs(minHistoryDays);
  const read = end.hasMore ? isOld && (await readManifest(session, kind)) : end.manifest;
  if (read) requireRecords(session, cursor, { manifest: read, nowMs });
  const { changes, keys } = merger;
  // The rest of the log can have the version that the caller has: the entity as it is now is not older.
  const isRead = end.hasMore && cursor.isAhead;
  const stored = isRead ? await fromTable(session, kind, changes) : fromRecords(kind, changes);
  const current = divide(kind, changes, byId(stored), matches);
  const found =
    query.withTexts && !isRead ? await withInlineTexts(session, kind, current.stored) : current.stored;
  const whole = query.withTexts ? await readTexts(session, found) : found;
  // An entity whose text was read can be newer than its record, and match no more.
  const shown = divide(kind, changes, byId(whole), matches);
  const versions = new Map(whole.map(({ entity: { id }, version }) => [id, version]));
  const isNewer = current.stored.some(({ entity: { id }, version }) => versions.get(id) !== version);
  const isAhead = isRead || isNewer;
  const horizon = Math.max(cursor.from, nowMs - marginMs);
  return {
    entities: shown.stored.map(({ entity }) => entity),
    versions: shown.stored.map(({ version }) => version),
    removed: shown.removed,
    cursor: nextCursor(cursor, keys, { horizon, hasMore: end.hasMore, isAhead }),
    hasMore: end.hasMore,
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
