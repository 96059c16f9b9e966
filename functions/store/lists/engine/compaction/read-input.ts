/** Reads what a compaction step absorbs: the oldest records that are settled. */
import type { LogRecord } from '../../../model/change-log.ts';
import { marginMs as defaultMarginMs } from '../../../model/log-timing.ts';
import type { Manifest } from '../format/manifest.ts';
import type { CompactionSource } from './compaction-source.ts';
import { bytesOfValue } from './row-block.ts';
import { type CompactionSizes, defaultSizes } from './sizes.ts';

/** Milliseconds after which a record is absorbed however few there are: long before records expire. */
const maxWaitMs = 86_400_000;

export interface CompactionInput {
  readonly records: readonly LogRecord[];
  /** Number of settled records that are too few for a step. */
  readonly waiting: number;
  /** Number of their changes. */
  readonly waitingChanges: number;
  readonly watermark: number;
  /** Keys of records that the columns have already, those above the watermark among them. */
  readonly absorbed: readonly string[];
  /** Whether the records are late: those who follow the log may have missed them. */
  readonly isRepair?: true;
  /** Whether more records are settled. */
  readonly hasMore: boolean;
}

/** How much one step absorbs. */
export type InputLimits = Pick<CompactionSizes, 'maxChanges' | 'maxChangedBytes'>;

function bytesOf({ entries }: LogRecord): number {
  let bytes = 0;
  for (const { after = {} } of entries)
    for (const field of Object.keys(after)) bytes += bytesOfValue(after[field]);
  return bytes;
}

const countChanges = (records: readonly LogRecord[]): number =>
  records.reduce((sum, { entries }) => sum + entries.length, 0);

/** Returns the number of the first records that are within limits. */
function countWithin(records: readonly LogRecord[], { maxChanges, maxChangedBytes }: InputLimits): number {
  let changes = 0;
  let bytes = 0;
  for (const [position, record] of records.entries()) {
    changes += record.entries.length;
    bytes += bytesOf(record);
    if (changes > maxChanges || bytes > maxChangedBytes) return position;
  }
  return records.length;
}

/** Settled records: all up to a stamp. */
type SettledRecords = Pick<CompactionInput, 'records' | 'watermark' | 'hasMore'>;

/**
 * Returns the first records, up to a stamp: there may be more of the next one. Records of one stamp are absorbed together, also when they
 * exceed the limits.
 * @param count of the records that are within the limits.
 * @returns `undefined` when all records have one stamp.
 */
function upToStamp(records: readonly LogRecord[], count: number): SettledRecords | undefined {
  const first = records[0]?.stamp ?? 0;
  const end = records.slice(count).find(({ stamp }) => stamp > first)?.stamp;
  if (end === undefined) return undefined;
  return { records: records.filter(({ stamp }) => stamp < end), watermark: end - 1, hasMore: true };
}

/** Reads the oldest settled records that are within limits. */
async function readSettled(
  { writer }: CompactionSource,
  above: number,
  upTo: number,
  limits: InputLimits,
): Promise<SettledRecords> {
  const records: LogRecord[] = [];
  if (upTo <= above) return { records, watermark: above, hasMore: false };
  for await (const page of writer.oldestRecords(above, upTo)) {
    records.push(...page.records);
    const count = countWithin(records, limits);
    if (count === records.length && page.hasMore) continue;
    if (count === records.length) break;
    const settled = upToStamp(records, count);
    if (settled) return settled;
  }
  return { records, watermark: upTo, hasMore: false };
}

/** Reads the oldest pending records that are settled. The watermark moves if they are worth a step. */
export async function readInput(
  source: CompactionSource,
  { watermark, absorbed }: Manifest,
  limits: InputLimits,
): Promise<CompactionInput> {
  const { nowMs, marginMs = defaultMarginMs, isForced, sizes = defaultSizes } = source;
  const settled = await readSettled(source, watermark, nowMs - marginMs, limits);
  const known = new Set(absorbed);
  const records = settled.records.filter(({ key }) => !known.has(key));
  const [oldest] = records;
  const isOld = oldest !== undefined && oldest.stamp + maxWaitMs < nowMs;
  const waitingChanges = countChanges(records);
  const isWorthAStep = settled.hasMore || isOld || waitingChanges >= (isForced ? 1 : sizes.minChanges);
  if (!isWorthAStep)
    return { records: [], waiting: records.length, waitingChanges, watermark, absorbed, hasMore: false };
  return { ...settled, records, waiting: 0, waitingChanges: 0, absorbed };
}
