/** The state of a log: its manifest, and the changes since. */

import { type LogRecord, stampOf } from '../../../model/change-log.ts';
import { marginMs } from '../../../model/log-timing.ts';
import { emptyManifest, type Manifest } from '../format/manifest.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { LogMemory } from '../process-memory.ts';
import type { LogReader } from '../storage.ts';
import { StaleRead } from './stale-read.ts';

export interface LogState {
  readonly manifest: Manifest;
  /** The changes of pending records, merged by id: the columns do not contain them. */
  readonly pendingChanges: ReadonlyMap<string, RowChange>;
}

export interface ListSource {
  readonly reader: LogReader;
  readonly memory: LogMemory;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The stamp up to which all records are visible. Default: the margin before the time. */
  readonly settledMs?: number;
}

/** Milliseconds before the usual watermark at which a process begins that has not read the log yet. */
const guessMs = 10_000;

/** What a process remembers of a log. The next read continues above it. */
interface KnownLog {
  readonly watermark: number;
  /** Records with this stamp or an earlier one are settled: no others appear. */
  readonly settledUpTo: number;
  /** The settled records above the watermark. */
  readonly records: readonly LogRecord[];
  /** When all of them were read, in milliseconds since 1970. */
  readonly readAt: number;
}

/** The name of the known log in memory. */
const knownName = 'known-log';

/** Bytes of an entry in memory, about: a row before and a row after. */
const entryBytes = 2_500;

/** Bytes of a record without its entries. */
const recordBytes = 500;

/** Bytes of records that are remembered, at most. More would displace columns, and exist only while compaction stands still. */
const maxKnownBytes = 15_000_000;

const bytesOf = (records: readonly LogRecord[]): number =>
  records.reduce((sum, { entries }) => sum + recordBytes + entryBytes * entries.length, 0);

/**
 * Milliseconds for which records are remembered. A record that becomes visible later than the margin appears when they are read again;
 * and compaction moves on meanwhile.
 */
const maxKnownMs = 60_000;

function knownLog(memory: LogMemory, nowMs: number): KnownLog | undefined {
  const known = memory.get(knownName) as KnownLog | undefined;
  // The clock of a process can be set back.
  return known && known.readAt <= nowMs && known.readAt + maxKnownMs > nowMs ? known : undefined;
}

/**
 * Checks that no record is missing between the watermark and those that were read.
 * @throws StaleRead when an entity's earlier change is not there.
 */
function requireNoGap(
  pendingChanges: ReadonlyMap<string, RowChange>,
  { watermark, absorbed }: Manifest,
): void {
  const stamps = new Set(absorbed.map(stampOf));
  for (const { id, previousStamp } of pendingChanges.values()) {
    if (previousStamp > watermark && !stamps.has(previousStamp))
      throw new StaleRead(`an earlier record of ${id} is missing`);
  }
}

/**
 * Checks that the watermark is not ahead of the time: it hides records that were committed since, and the next step of compaction sets it back.
 * @param nowMs a time after the manifest was read.
 * @throws StaleRead when it is.
 */
export function requireSettled({ manifest: { watermark } }: LogState, nowMs: number): void {
  if (watermark > nowMs) throw new StaleRead('the watermark is ahead of the time');
}

/**
 * Reads the state of a log. One query of the last moments, when the process knows the earlier records.
 * @throws StaleRead when the log has changed in a way that makes the result inconsistent.
 */
export async function readState({
  reader,
  memory,
  nowMs,
  settledMs = nowMs - marginMs,
}: ListSource): Promise<LogState> {
  const known = knownLog(memory, nowMs);
  const above = known?.settledUpTo ?? Math.max(0, settledMs - guessMs);
  const head = await reader.readHead(above);
  const manifest = head.manifest ?? emptyManifest;
  const { watermark } = manifest;
  const isKnown = known !== undefined && known.watermark <= watermark;
  const unknown = !isKnown && watermark < above ? await reader.readRecords(watermark, above) : [];
  const earlier = isKnown ? known.records : unknown;
  const absorbed = new Set(manifest.absorbed);
  const records = [...head.records, ...earlier].filter(
    ({ stamp, key }) => stamp > watermark && !absorbed.has(key),
  );
  const pendingChanges = mergeRecords(records);
  // After a gap, the next attempt must read everything again.
  memory.set(knownName, undefined, 0);
  requireNoGap(pendingChanges, manifest);
  const settledUpTo = Math.max(watermark, settledMs);
  const settled = records.filter(({ stamp }) => stamp <= settledUpTo);
  const readAt = isKnown ? known.readAt : nowMs;
  const bytes = bytesOf(settled);
  if (bytes <= maxKnownBytes) {
    const next: KnownLog = { watermark, settledUpTo, records: settled, readAt };
    // It leaves the memory by itself, also when the log is never read again.
    memory.set(knownName, next, bytes + recordBytes, maxKnownMs);
  }
  return { manifest, pendingChanges };
}
