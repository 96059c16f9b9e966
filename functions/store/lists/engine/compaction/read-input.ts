/** Reads what a compaction step absorbs: the oldest settled records, and changes that are late. */

import { type LogRecord, stampOf } from '../../../model/change-log.ts';
import { marginMs } from '../../../model/log-timing.ts';
import type { Manifest } from '../format/manifest.ts';
import type { LogMemory } from '../process-memory.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { LogWriter } from '../storage.ts';
import { type LateChanges, lateRecords } from './late-changes.ts';
import { readSetBack } from './set-back.ts';
import type { CompactionSizes } from './sizes.ts';

const dayMs = 86_400_000;

/** Milliseconds after which a record is absorbed however few there are: long before records expire. */
const maxWaitMs = dayMs;

export interface CompactionSource {
  readonly writer: LogWriter;
  readonly memory: LogMemory;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Milliseconds after which a record is settled. */
  readonly marginMs?: number;
  /** Absorbs also a few recent records. */
  readonly isForced?: boolean;
  /** Changes that the watermark may have passed without them. */
  readonly late?: LateChanges | undefined;
  readonly sizes?: CompactionSizes;
}

export interface CompactionInput {
  readonly records: readonly LogRecord[];
  /** Late changes that the columns do not have. */
  readonly late: readonly LogRecord[];
  /** Number of settled records that are too few for a step. */
  readonly waiting: number;
  readonly watermark: number;
  /** Keys of records above the watermark that the columns have. */
  readonly absorbed: readonly string[];
  readonly hasMore: boolean;
}

/** Settled records: all up to a stamp. */
interface SettledRecords {
  readonly records: readonly LogRecord[];
  readonly reached: number;
  readonly hasMore: boolean;
}

/** Reads the oldest settled records, about as many as `maxRecords`. */
async function readSettled(
  writer: LogWriter,
  above: number,
  upTo: number,
  maxRecords: number,
): Promise<SettledRecords> {
  if (upTo <= above) return { records: [], reached: above, hasMore: false };
  const { records, hasMore } = await writer.readOldestRecords(above, upTo, maxRecords);
  const last = records.at(-1);
  if (!last || !hasMore) return { records, reached: upTo, hasMore: false };
  // Of the last stamp, there may be more records.
  const complete = records.filter(({ stamp }) => stamp < last.stamp);
  if (complete.length === 0) return readSettled(writer, above, upTo, 2 * maxRecords);
  return { records: complete, reached: last.stamp - 1, hasMore: true };
}

/** Returns whether records are many enough, or old enough, for a step. */
function isWorthAStep(
  records: readonly LogRecord[],
  { version }: Manifest,
  nowMs: number,
  { minFirstRecords, minRecords }: CompactionSizes,
): boolean {
  const [oldest] = records;
  if (!oldest) return false;
  return records.length >= (version === 0 ? minFirstRecords : minRecords) || oldest.stamp + maxWaitMs < nowMs;
}

/** Reads the pending records that are settled. */
async function readPending(
  source: CompactionSource,
  manifest: Manifest,
  sizes: CompactionSizes,
): Promise<Omit<CompactionInput, 'late'>> {
  const { writer, nowMs } = source;
  const { watermark } = manifest;
  const upTo = nowMs - (source.marginMs ?? marginMs);
  const { reached, hasMore, ...settled } = await readSettled(writer, watermark, upTo, sizes.maxRecords);
  const absorbed = new Set(manifest.absorbed);
  const records = settled.records.filter(({ key }) => !absorbed.has(key));
  const isWorthwhile = source.isForced || isWorthAStep(records, manifest, nowMs, sizes);
  if (!isWorthwhile)
    return { records: [], waiting: records.length, watermark, absorbed: [...absorbed], hasMore };
  const next = Math.max(watermark, reached);
  return {
    records,
    waiting: 0,
    watermark: next,
    absorbed: [...absorbed].filter((key) => stampOf(key) > next),
    hasMore,
  };
}

/** Reads what a step absorbs. A step whose watermark is ahead of the time sets it back. */
export async function readInput(
  source: CompactionSource,
  columnReader: ColumnReader,
  sizes: CompactionSizes,
): Promise<CompactionInput> {
  const { writer, nowMs, late } = source;
  const { manifest } = columnReader;
  if (manifest.watermark > nowMs) {
    const watermark = nowMs - (source.marginMs ?? marginMs);
    const setBack = await readSetBack(columnReader, writer, watermark, sizes.maxRecords);
    return { ...setBack, late: [], waiting: 0, watermark, hasMore: true };
  }
  const input = await readPending(source, manifest, sizes);
  return { ...input, late: await lateRecords(columnReader, late, input.watermark) };
}
