/** Reads what a compaction step absorbs: the oldest records, up to the first hole. It fills old holes. */

import { dayMs } from '../../../runtime/time-and-chance.ts';
import { advance, completeUpTo, missingBetween, positionsOf, upTo } from '../../log/progress.ts';
import type { LogRecord } from '../../model/change-log.ts';
import { bytesOfValue } from '../format/dictionary.ts';
import type { Manifest } from '../format/manifest.ts';
import type { StepSource } from './compaction-source.ts';
import type { CompactionSizes } from './sizes.ts';

/** Milliseconds after which a record is absorbed however few there are: long before records expire. A step for one change costs as much as for fifty. */
export const maxWaitMs = 2 * dayMs;

/** Milliseconds after the time of a later record from which a hole is filled. Too early only makes its writer take another position. */
export const minHoleMs = 5_000;

/** Holes that one step fills, at most. */
const maxFilled = 1_000;

export interface CompactionInput {
  readonly records: readonly LogRecord[];
  /** Number of records that are too few for a step. */
  readonly waiting: number;
  readonly watermark: number;
  /** Whether records wait behind a hole. */
  readonly hasHole: boolean;
  /** Whether more records can be absorbed. */
  readonly hasMore: boolean;
}

function bytesOf({ entries }: LogRecord): number {
  let bytes = 0;
  for (const { after = {} } of entries)
    for (const field of Object.keys(after)) bytes += bytesOfValue(after[field]);
  return bytes;
}

/** Returns the number of changes. A filler counts as one: a step has to pass many of them too. */
const countChanges = (records: readonly LogRecord[]): number =>
  records.reduce((sum, { entries }) => sum + Math.max(1, entries.length), 0);

function countWithin(
  records: readonly LogRecord[],
  { maxChanges, maxChangedBytes }: CompactionSizes,
): number {
  let changes = 0;
  let bytes = 0;
  for (const [position, record] of records.entries()) {
    changes += countChanges([record]);
    bytes += bytesOf(record);
    if (changes > maxChanges || bytes > maxChangedBytes) return position;
  }
  return records.length;
}

/** Fills the holes below the last record that is old enough. Returns the records in the order of their positions, with those that were found. */
async function fillHoles(
  { writer, nowMs }: StepSource,
  above: number,
  records: readonly LogRecord[],
): Promise<readonly LogRecord[]> {
  const last = records.findLast(({ time }) => time + minHoleMs < nowMs)?.position ?? 0;
  // However many holes follow each other: readers do not go past more than `maxHoles`, and nobody else fills them.
  const old = missingBetween(above, last, positionsOf(records), maxFilled);
  if (old.length === 0) return records;
  return [...records, ...(await writer.fill(old))].sort((one, other) => one.position - other.position);
}

/** Reads the oldest records up to the first hole, as far as they are within limits. */
async function readOldest(
  source: StepSource,
  above: number,
): Promise<Pick<CompactionInput, 'records' | 'hasHole' | 'hasMore'>> {
  const isEnough = (read: readonly LogRecord[]) => countWithin(read, source.sizes) < read.length;
  const found = await source.writer.oldestRecords(above, isEnough);
  const filled = await fillHoles(source, above, found);
  const end = completeUpTo(advance(upTo(above), positionsOf(filled)));
  const records = filled.filter(({ position }) => position <= end);
  // One record that exceeds the limits is absorbed alone.
  const count = Math.max(1, countWithin(records, source.sizes));
  return {
    records: records.slice(0, count),
    hasHole: records.length < filled.length,
    hasMore: count < records.length,
  };
}

/** Reads the oldest pending records. The watermark moves if they are worth a step. */
export async function readInput(source: StepSource, { watermark }: Manifest): Promise<CompactionInput> {
  const { nowMs, isForced, sizes } = source;
  const { records, hasHole, hasMore } = await readOldest(source, watermark);
  const isOld = records.some(({ time }) => time + maxWaitMs < nowMs);
  const changes = countChanges(records);
  const isWorthAStep = hasMore || isOld || (isForced ? records.length > 0 : changes >= sizes.minChanges);
  if (!isWorthAStep) return { records: [], waiting: records.length, watermark, hasHole, hasMore: false };
  return { records, watermark: records.at(-1)?.position ?? watermark, waiting: 0, hasHole, hasMore };
}
