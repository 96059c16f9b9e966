/**
 * Reads the log for a page of the feed, consistently, and not more than a page needs.
 *
 * 1. It reads upwards from the first hole of the cursor, and takes what the cursor has not seen. Holes that are far from the end are read by key.
 * 2. A query is no snapshot: it can return the later change of an entity without the earlier one, whose position was free a moment before. Each entry
 *    has the position of the entity's previous change. If the cursor has not seen it either, that record is read by key: it has been there by now.
 * 3. The page ends with the record that fills it. Records are never divided.
 * 4. A position that the cursor has not seen, that the columns contain, and that has no record, had one that has expired: 410.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { openLogReader, rangeQuery } from '../columns/dynamodb-storage.ts';
import { emptyManifest } from '../columns/format/manifest.ts';
import { type LogMemory, logMemory } from '../columns/process-memory.ts';
import { advance, completeUpTo, type Progress, positionsOf } from '../log/progress.ts';
import {
  decodeRecord,
  type LogIdentity,
  type LogRecord,
  recordKey,
  sequencerKey,
} from '../model/change-log.ts';
import { CursorExpired, StoreUnavailable } from '../model/errors.ts';
import type { Kind } from '../model/schema.ts';
import { itemBytes } from '../model/write-units.ts';
import type { Item } from '../model/writes.ts';
import { countOf, type Database } from '../table/database.ts';
import type { Session } from '../table/session.ts';

/** Read units of the log after which no more of it is read. Descriptions need others. */
const maxLogUnits = 40;

/** Records of the first query. Those of batches and jobs can have 25 to 45 entities each: four of them fill a page. */
const firstRecords = 4;

/** Records that say what the next ones are like. */
const manyRecords = 16;

/** Records that a read unit has, about: so many that were seen cost as much as one that is read by key. */
const recordsOfUnit = 16;

const maxHolesByKey = 40;

/** Entities of a record, at most: those of one transaction. */
const maxRecordEntities = 100;

const bytesPerUnit = 4_096;

/**
 * Read units of the largest record that is expected: one of 12 KB. A batch of 25 tasks takes about one unit, and more with the words of long descriptions.
 * Nobody knows how large the next records are. So no query asks for more than the request can pay if each of them is as large as this, or as the largest
 * one before.
 */
const maxRecordUnits = 3;

/** How full the units of a query are meant to be. Records differ in size, and a query that has a little more costs a whole unit more. */
const shareOfUnits = 0.95;

/** Read units that the log leaves: for the end of the page, and for one entity with its description. */
const reservedUnits = 7;

/** Read units of a request, at most, unless one record has a hundred entities with long descriptions. */
export const maxRequestUnits = 100;

/** Returns a function that returns the read units that a request may still use. */
export function startBudget({ consumption }: Database): () => number {
  const before = consumption.readUnits;
  return () => maxRequestUnits - (consumption.readUnits - before);
}

/** What records of a log were like. The next ones are probably like these. */
interface Measured {
  records: number;
  entries: number;
  bytes: number;
  /** Of the largest record. */
  largest: number;
}

/**
 * Returns the limit of a query: about the records that the page needs, and one more, which says whether the log ends behind them.
 * @param wanted changes that the page still takes. @param matched those that the measured records have.
 */
function limitOf(
  { records, bytes, largest }: Measured,
  wanted: number,
  matched: number,
  unitsLeft: number,
): number {
  // Filters leave few changes of many records.
  const needed = Math.ceil((wanted * records) / Math.max(1, matched)) + 1;
  const perUnit = (bytesPerUnit * records) / bytes;
  const affordable = Math.floor(unitsLeft / Math.max(maxRecordUnits, largest / bytesPerUnit));
  if (needed <= affordable) return Math.max(firstRecords, needed);
  const units = Math.floor(affordable / perUnit);
  return Math.max(1, units > 0 ? Math.floor(units * perUnit * shareOfUnits) : affordable);
}

function addMeasured(measured: Measured, items: readonly Item[], records: readonly LogRecord[]): void {
  measured.records += items.length;
  for (const { entries } of records) measured.entries += entries.length;
  for (const item of items) {
    const bytes = itemBytes(item);
    measured.bytes += bytes;
    measured.largest = Math.max(measured.largest, bytes);
  }
}

/** The names in the memory of a log: what the last records were like that this process has read, and what it knows of the log. */
const measuredName = 'measured-records';
const feedName = 'feed';

/** Bytes of each of them, about. */
const rememberedBytes = 100;

interface PageFilter {
  /** Changes of a page, at most; one record more can have more. */
  readonly limit: number;
  /** Returns the ids of the entities that a record is about, and that match or have matched. */
  readonly matchingIds: (record: LogRecord) => readonly string[];
  /** Returns the read units that the request may still use. */
  readonly unitsLeft: () => number;
}

const byPosition = (one: LogRecord, other: LogRecord): number => one.position - other.position;

/** Reads the greatest position that the sequencer of a log has handed out. @param isConsistent a replica can tell an earlier one. */
export async function readSequencer(
  { tenant, database }: Session,
  kind: Kind,
  isConsistent = true,
): Promise<number> {
  const [counter] = await database.getMany([sequencerKey({ tenant, kind })], isConsistent);
  return countOf(counter);
}

interface Log extends LogIdentity {
  readonly database: Database;
  readonly memory: LogMemory;
}

/** Reads upwards until the page is full, the log ends, or it costs enough. */
async function readUpwards(
  { tenant, kind, database, memory }: Log,
  above: number,
  isNew: (position: number) => boolean,
  { limit: maxChanges, matchingIds, unitsLeft }: PageFilter,
): Promise<{ readonly records: LogRecord[]; readonly isEnd: boolean }> {
  const last = memory.get(measuredName) as Measured | undefined;
  const measured: Measured = { records: 0, entries: 0, bytes: 0, largest: 0 };
  const records: LogRecord[] = [];
  const matched = new Set<string>();
  const forLog = (): number => unitsLeft() - reservedUnits;
  const minLeft = unitsLeft() - maxLogUnits;
  let limit =
    last && last.records >= manyRecords
      ? limitOf(last, maxChanges, last.entries, forLog())
      : firstRecords + 1;
  for (let start = above; ; ) {
    const range = { ...rangeQuery(tenant, kind, start), Limit: limit };
    const { items, next } = await database.query(range);
    const read = items.map(decodeRecord);
    addMeasured(measured, items, read);
    const found = read.filter((record) => isNew(record.position));
    records.push(...found);
    for (const id of found.flatMap(matchingIds)) matched.add(id);
    start = read.at(-1)?.position ?? start;
    if (measured.records > 0) memory.set(measuredName, measured, rememberedBytes);
    if (!next) return { records, isEnd: true };
    const isEnough = matched.size > maxChanges || unitsLeft() <= minLeft;
    if (isEnough) return { records, isEnd: false };
    limit = limitOf(measured, maxChanges - matched.size, matched.size, forLog());
  }
}

async function readByKey(log: Log, positions: readonly number[]): Promise<LogRecord[]> {
  const keys = positions.map((position) => recordKey(log, position));
  return (await log.database.getMany(keys)).map(decodeRecord);
}

/** Holes that are read by key at once: the record in each can be large. */
const holesAtOnce = 2;

/** Reads holes upwards, until their records cost enough: a caller can write any holes into a cursor. @returns the records, and whether these are all. */
async function readHoles(log: Log, holes: readonly number[], unitsLeft: () => number) {
  const minLeft = unitsLeft() - maxLogUnits;
  const records: LogRecord[] = [];
  for (let start = 0; start < holes.length; start += holesAtOnce) {
    if (records.length > 0 && unitsLeft() <= minLeft) return { records, areAll: false };
    records.push(...(await readByKey(log, holes.slice(start, start + holesAtOnce))));
  }
  return { records, areAll: true };
}

/** Adds the records of previous changes that the caller lacks. */
async function withPrevious(
  log: Log,
  records: readonly LogRecord[],
  isNew: (position: number) => boolean,
): Promise<LogRecord[]> {
  const found = new Map(records.map((record) => [record.position, record]));
  for (let added = records; added.length > 0; ) {
    const previous = added.flatMap(({ entries }) => entries.map((entry) => entry.previousPosition));
    const missing = [...new Set(previous)].filter((one) => one > 0 && isNew(one) && !found.has(one));
    added = await readByKey(log, missing);
    if (added.length < missing.length) throw new CursorExpired('the records have expired');
    for (const record of added) found.set(record.position, record);
  }
  return [...found.values()].sort(byPosition);
}

/**
 * Returns the first records that fill a page. Records of several entities that were read besides, and are paid for, are given too: a page has less than a
 * hundred changes too many, as if its last record were the largest.
 */
function takePage(records: readonly LogRecord[], { limit, matchingIds }: PageFilter): readonly LogRecord[] {
  const matched = new Set<string>();
  const end = records.findIndex((record) => {
    const ids = matchingIds(record);
    const isFull = matched.size >= limit;
    if (isFull && (ids.length === 1 || matched.size + ids.length >= limit + maxRecordEntities)) return true;
    for (const id of ids) matched.add(id);
    return false;
  });
  return end < 0 ? records : records.slice(0, end);
}

interface Start {
  /** The log is read upwards from there, again as far as the cursor has seen it. */
  readonly above: number;
  /** The holes below, which are read by key. */
  readonly byKey: readonly number[];
}

/** Returns the start that costs least: a record that is read by key costs a unit, as many that are read again. */
function chooseStart({ position, holes }: Progress): Start {
  let best: Start | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count <= Math.min(holes.length, maxHolesByKey); count += 1) {
    const above = (holes[count] ?? position + 1) - 1;
    const cost = count + (position - above) / recordsOfUnit;
    if (cost < least) best = { above, byKey: holes.slice(0, count) };
    least = Math.min(least, cost);
  }
  return best as Start;
}

interface FollowedLog {
  /** A position that the log has reached. */
  readonly head: number;
  /** A position that the columns had not passed. */
  readonly watermark: number;
  /** When, in milliseconds since 1970. */
  readonly readAt: number;
}

/** Milliseconds for which a process relies on a watermark: records live for days. */
const watermarkMs = 3_600_000;

/** Reads how far a log is. A replica can tell an earlier position. */
async function readHead(log: Log, position: number): Promise<number> {
  for (const isConsistent of [false, true]) {
    const head = await readSequencer(log, log.kind, isConsistent);
    if (position <= head) return head;
  }
  throw new CursorExpired('the data was restored');
}

/**
 * Checks that the log has been as far as a cursor says, and that no record is gone that the caller lacks.
 * @param missing the first position that the caller lacks, and that had no record.
 */
async function requireRecords(log: Log, { position, holes }: Progress, missing: number): Promise<void> {
  const { tenant, kind, database, memory } = log;
  const known = memory.get(feedName) as FollowedLog | undefined;
  const remember = (read: Omit<FollowedLog, 'readAt'>): void =>
    memory.set(feedName, { ...read, readAt: now() }, rememberedBytes);
  const isFresh = known !== undefined && Math.abs(now() - known.readAt) < watermarkMs;
  if (isFresh && position <= known.head && known.watermark < missing) return;
  const isHeadNeeded = holes.length === 0 || position > (known?.head ?? 0);
  const head = isHeadNeeded ? await readHead(log, position) : position;
  // Nothing is missing.
  if (missing > head) return remember({ head, watermark: head });
  const { watermark } = (await openLogReader(database, tenant, kind).readManifest()) ?? emptyManifest;
  // It can have been filled, and absorbed, since the log was read.
  if (missing <= watermark && (await readByKey(log, [missing])).length === 0)
    throw new CursorExpired('the records have expired');
  remember({ head, watermark });
}

function noteHead({ memory }: Log, position: number): void {
  const known = memory.get(feedName) as FollowedLog | undefined;
  if (known && known.head < position) memory.set(feedName, { ...known, head: position }, rememberedBytes);
}

/**
 * Reads the next records for a page.
 * @param progress of the caller.
 * @returns those that the caller had not seen, in the order of their positions, and the progress of a caller with them.
 * @throws CursorExpired when the caller must begin again.
 */
export async function readLog(
  { tenant, database }: Session,
  kind: Kind,
  progress: Progress,
  filter: PageFilter,
) {
  const log: Log = { tenant, kind, database, memory: logMemory(database, tenant, kind) };
  const { position, holes } = progress;
  const free = new Set(holes);
  const isNew = (one: number): boolean => one > position || free.has(one);
  const { above, byKey } = chooseStart(progress);
  const filled = await readHoles(log, byKey, filter.unitsLeft);
  // What is above holes that are left can follow their records.
  const read = filled.areAll ? await readUpwards(log, above, isNew, filter) : { records: [], isEnd: false };
  const found = await withPrevious(log, [...filled.records, ...read.records], isNew);
  const taken = takePage(found, filter);
  const next = advance(progress, positionsOf(taken));
  const records = taken.filter((record) => record.position <= next.position);
  const hasMore = !read.isEnd || records.length < found.length;
  noteHead(log, found.at(-1)?.position ?? 0);
  const missing = hasMore && records.length > 0 ? next.holes[0] : completeUpTo(next) + 1;
  if (missing !== undefined) await requireRecords(log, next, missing);
  // Behind more holes than a cursor has: compaction fills them. With this cursor, a caller would ask again at once.
  if (hasMore && records.length === 0) throw new StoreUnavailable('too many gaps of the log hide changes');
  return { records, progress: next, hasMore };
}
