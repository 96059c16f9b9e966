/**
 * The state of a log at one moment: its manifest, and the changes since.
 *
 * 1. A process remembers a prefix of the log: all records above the watermark, up to the first position without one. Records are written once, so
 *    they are never read again.
 * 2. One query reads the rest downwards and consistently, from the manifest to the prefix. Earlier changes of an entity have smaller positions, so they
 *    are read later, and none is missing. It is one page: two could show a state that the log never had.
 * 3. If the rest exceeds a page, the prefix is extended upwards first, in any number of pages: it does not change any more.
 * 4. What exceeds a page behind a gap is read in some pages, then what is above them in one, and then the gaps below by key. If they still have no
 *    records, the pages have all that the log had at the moment of the query above them.
 * 5. The prefix grows by what was read without a gap.
 *
 * A process that knows little reads the manifest first, because the columns have most records by then. It can read columns beside the rest.
 */
import { now } from '../../../runtime/time-and-chance.ts';
import {
  advance,
  completeUpTo,
  maxHoles,
  missingBetween,
  type Progress,
  positionsOf,
  upTo,
} from '../../log/progress.ts';
import type { LogRecord } from '../../model/change-log.ts';
import { StoreUnavailable } from '../../model/errors.ts';
import type { Kind } from '../../model/schema.ts';
import type { Session } from '../../table/session.ts';
import { openLogReader } from '../dynamodb-storage.ts';
import { emptyManifest, type Manifest, namesItem } from '../format/manifest.ts';
import { type LogMemory, logMemory } from '../process-memory.ts';
import type { LogHead, LogReader } from '../storage.ts';
import { StaleRead } from './stale-read.ts';

export interface LogState {
  readonly manifest: Manifest;
  /** The pending ones: the columns do not contain them. */
  readonly records: readonly LogRecord[];
  readonly progress: Progress;
  /** Whether that is all. Otherwise some records are behind more holes than a reader remembers. */
  readonly isComplete: boolean;
}

export interface ListSource {
  readonly reader: LogReader;
  readonly memory: LogMemory;
}

export const openSource = ({ tenant, database }: Session, kind: Kind): ListSource => ({
  reader: openLogReader(database, tenant, kind),
  memory: logMemory(database, tenant, kind),
});

/** A prefix of a log. */
interface KnownLog {
  readonly watermark: number;
  /** That of the manifest. */
  readonly version?: number;
  /** No record up to this position is missing. */
  readonly upTo: number;
  readonly records: readonly LogRecord[];
  /** When it was read, in milliseconds since 1970. */
  readonly readAt: number;
}

/** Milliseconds after which compaction has probably absorbed most of what a process does not know. */
const freshMs = 10_000;

/** Times that a prefix is extended, at most, before a list gives up. */
const maxExtensions = 3;

/** Pages that a list reads behind a gap, at most: 4 MB, a thousand read units. */
const maxPagesBehindGap = 4;

const knownName = 'known-log';

/** Bytes of an entry in memory, about: a row before and a row after. */
const entryBytes = 2_500;

/** Bytes of a record without its entries. */
const recordBytes = 500;

/** Bytes of records that are remembered, at most. More would displace columns, and exist only while compaction stands still. */
const maxKnownBytes = 15_000_000;

/** Returns whether a process has read a log lately. */
export function isKnownLog(memory: LogMemory): boolean {
  const known = memory.get(knownName) as KnownLog | undefined;
  return known !== undefined && Math.abs(now() - known.readAt) < freshMs;
}

const bytesOf = (records: readonly LogRecord[]): number =>
  records.reduce((sum, { entries }) => sum + recordBytes + entryBytes * entries.length, 0);

/** Checks that no change is missing between the watermark and those that were read. */
function requireNoGap(
  records: readonly LogRecord[],
  watermark: number,
  positions: ReadonlySet<number>,
): void {
  for (const { id, previousPosition } of records.flatMap(({ entries }) => entries)) {
    if (previousPosition > watermark && !positions.has(previousPosition))
      throw new StaleRead(`an earlier record of ${id} is missing`);
  }
}

/** Returns what is known of a log whose columns have the records up to a watermark: a rebuild can set it back. */
const knownFrom = (known: KnownLog | undefined, watermark: number): KnownLog =>
  known && known.watermark <= watermark && known.upTo >= watermark
    ? known
    : { watermark, upTo: watermark, records: [], readAt: now() };

/** Reads the records that follow a prefix, up to the first gap. */
async function extend(reader: LogReader, known: KnownLog): Promise<KnownLog> {
  const endOf = (records: readonly LogRecord[]): number =>
    completeUpTo(advance(upTo(known.upTo), positionsOf(records)));
  const hasGap = (read: readonly LogRecord[]) => (read.at(-1)?.position ?? 0) > endOf(read);
  const read = await reader.oldestRecords(known.upTo, hasGap);
  const end = endOf(read);
  const added = read.filter(({ position }) => position <= end);
  return { ...known, upTo: end, records: [...known.records, ...added] };
}

/**
 * Reads the manifest, and the records behind a gap, as of one moment.
 * @throws StoreUnavailable when they are too many, or gaps are filled again and again meanwhile.
 */
async function readBehindGap(reader: LogReader, above: number): Promise<LogHead> {
  let pages = 0;
  let records = await reader.oldestRecords(above, () => {
    pages += 1;
    return pages > maxPagesBehindGap;
  });
  for (let look = 0; look <= maxExtensions && pages <= maxPagesBehindGap; look += 1) {
    const last = Math.max(above, ...positionsOf(records));
    const head = await reader.readHead(last);
    const gaps = missingBetween(above, last, positionsOf(records), maxHoles + 1);
    if (!head.isComplete || gaps.length > maxHoles) break;
    const filled = await reader.recordsAt(gaps);
    records = [...records, ...filled, ...head.records];
    if (filled.length === 0) return { ...head, records };
  }
  throw new StoreUnavailable('a gap of the log hides more than a list may read');
}

/**
 * Reads the state of a log, in one query if the process has read it lately.
 * @param prefetch reads columns meanwhile, when the process knows only the manifest. Its failure has no effect.
 * @throws StaleRead when the log has changed in a way that makes the result inconsistent.
 * @throws StoreUnavailable when more records wait behind a gap than a list may read. Compaction fills it in a minute or two.
 */
export async function readState(
  { reader, memory }: ListSource,
  prefetch?: (manifest: Manifest) => Promise<void>,
): Promise<LogState> {
  let known = memory.get(knownName) as KnownLog | undefined;
  let columns: Promise<void> | undefined;
  let isAtGap = false;
  if (!known || Math.abs(now() - known.readAt) >= freshMs) {
    const manifest = await reader.readManifest();
    known = knownFrom(known, manifest?.watermark ?? 0);
    // What fails is read again.
    columns = manifest && prefetch?.(manifest).catch(() => undefined);
  }
  for (let extension = 0; ; extension += 1) {
    const [head]: readonly [LogHead, unknown] = await Promise.all([
      isAtGap ? readBehindGap(reader, known.upTo) : reader.readHead(known.upTo),
      columns,
    ]);
    const manifest = head.manifest ?? emptyManifest;
    const { watermark } = manifest;
    if (head.isComplete && known.watermark <= watermark)
      return stateOf(memory, known, manifest, head.records);
    if (extension === maxExtensions) throw new StoreUnavailable('the log grows faster than it is read');
    const before = knownFrom(known, watermark);
    known = await extend(reader, before);
    isAtGap = !head.isComplete && known.upTo === before.upTo;
  }
}

function stateOf(
  memory: LogMemory,
  known: KnownLog,
  manifest: Manifest,
  newest: readonly LogRecord[],
): LogState {
  const { watermark, version } = manifest;
  if (known.version !== version) memory.keepItems(namesItem(manifest));
  const records = [...known.records, ...newest].filter(({ position }) => position > watermark);
  const positions = new Set(positionsOf(records));
  requireNoGap(records, watermark, positions);
  const progress = advance(upTo(watermark), positions);
  const end = completeUpTo(progress);
  const kept = records.filter(({ position }) => position <= end);
  const bytes = bytesOf(kept);
  const next: KnownLog = { watermark, version, upTo: end, records: kept, readAt: now() };
  memory.set(knownName, bytes <= maxKnownBytes ? next : undefined, bytes + recordBytes);
  return {
    manifest,
    records,
    progress,
    isComplete: records.every(({ position }) => position <= progress.position),
  };
}
