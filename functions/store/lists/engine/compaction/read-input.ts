/** Reads what a compaction step absorbs: records that are settled, and from time to time those that became visible late. */

import { type LogRecord, retentionDays } from '../../../model/change-log.ts';
import { healingIntervalMs, healingWindowMs, marginMs } from '../../../model/log-timing.ts';
import type { Manifest } from '../format/manifest.ts';
import type { LogMemory } from '../process-memory.ts';
import type { LogWriter } from '../storage.ts';
import type { CompactionSizes } from './sizes.ts';

const dayMs = 86_400_000;

/** Milliseconds after which a record is absorbed however few there are: long before records expire. */
const maxWaitMs = dayMs;

/** Milliseconds after which no record is late. Older records expire in any order: the creation of a deleted row could expire last. */
const maxLateMs = (retentionDays - 1) * dayMs;

export interface CompactionSource {
  readonly writer: LogWriter;
  readonly memory: LogMemory;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Milliseconds after which a record is settled. */
  readonly marginMs?: number;
  /** Absorbs also a few recent records. */
  readonly isForced?: boolean;
  readonly sizes?: CompactionSizes;
}

export interface CompactionInput {
  readonly records: readonly LogRecord[];
  /** Records below the watermark, most of which were absorbed before. */
  readonly healing: readonly LogRecord[];
  /** Number of settled records that are too few for a step. */
  readonly waiting: number;
  readonly watermark: number;
  readonly healedAt: number;
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

/** Reads the records that are settled and not absorbed, and from time to time those below the watermark again. */
export async function readInput(
  source: CompactionSource,
  manifest: Manifest,
  sizes: CompactionSizes,
): Promise<CompactionInput> {
  const { writer, nowMs } = source;
  const { watermark, healedAt, rebuiltUpTo } = manifest;
  const upTo = nowMs - (source.marginMs ?? marginMs);
  const isHealing = nowMs >= healedAt + healingIntervalMs;
  const healing =
    isHealing && watermark + maxLateMs > nowMs
      ? await writer.readRecords(
          Math.max(watermark - healingWindowMs, rebuiltUpTo),
          watermark,
          sizes.maxHealingRecords,
        )
      : [];
  const { records, reached, hasMore } = await readSettled(writer, watermark, upTo, sizes.maxRecords);
  const isWorthwhile = source.isForced || isWorthAStep(records, manifest, nowMs, sizes);
  const waiting = isWorthwhile ? 0 : records.length;
  return {
    records: isWorthwhile ? records : [],
    healing,
    waiting,
    watermark: waiting === 0 ? Math.max(watermark, reached) : watermark,
    healedAt: isHealing ? nowMs : healedAt,
    hasMore,
  };
}
