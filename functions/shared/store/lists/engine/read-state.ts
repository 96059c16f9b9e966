/** The state of a log: its manifest, and the changes since. */

import { marginMs } from '../../model/log-timing.ts';
import type { ColumnCache } from './column-cache.ts';
import { emptyManifest, type Manifest } from './manifest.ts';
import { mergeRecords, type RowChange } from './row-change.ts';
import { StaleRead } from './snapshot.ts';
import type { LogReader } from './storage.ts';

export interface LogState {
  readonly manifest: Manifest;
  /** The changes that the manifest's columns do not contain, by id. */
  readonly tail: ReadonlyMap<string, RowChange>;
}

/** Milliseconds before the usual watermark at which a process begins that has not read the log yet. */
const guessMs = 10_000;

/** The watermark that a process read last. */
interface KnownWatermark {
  readonly watermark: number;
  /** Milliseconds since 1970. */
  readonly readAt: number;
}

/** The name of the known watermark in the cache. */
const watermarkName = 'watermark';

const watermarkBytes = 16;

/** Milliseconds for which a known watermark is used. From an older one, a busy log would be read from far below its watermark. */
const maxKnownMs = 60_000;

function firstStamp(cache: ColumnCache, nowMs: number): number {
  const known = cache.get(watermarkName) as KnownWatermark | undefined;
  if (known && known.readAt + maxKnownMs > nowMs) return known.watermark;
  return Math.max(0, nowMs - marginMs - guessMs);
}

/**
 * Checks that no record is missing between the watermark and those that were read.
 * @throws StaleRead when an entity's earlier change is not there.
 */
function requireNoGap(tail: ReadonlyMap<string, RowChange>, watermark: number): void {
  for (const { id, previousStamp } of tail.values()) {
    if (previousStamp > watermark) throw new StaleRead(`an earlier record of ${id} is missing`);
  }
}

/**
 * Reads the state of a log. One query, when the process knows the watermark.
 * @throws StaleRead when the log has changed in a way that makes the result inconsistent.
 */
export async function readState(reader: LogReader, cache: ColumnCache, nowMs: number): Promise<LogState> {
  const above = firstStamp(cache, nowMs);
  const head = await reader.readHead(above);
  const manifest = head.manifest ?? emptyManifest;
  const { watermark } = manifest;
  const earlier = watermark < above ? await reader.readRecords(watermark, above) : [];
  cache.set(watermarkName, { watermark, readAt: nowMs } satisfies KnownWatermark, watermarkBytes);
  const tail = mergeRecords([...head.records, ...earlier].filter(({ stamp }) => stamp > watermark));
  requireNoGap(tail, watermark);
  return { manifest, tail };
}
