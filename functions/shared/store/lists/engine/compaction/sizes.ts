/** Sizes of compaction. */
import { maxKnownShardsMs } from '../../../model/log-timing.ts';

/**
 * Rows in a segment, at most. In larger segments, columns would exceed an item; in smaller ones, more read units would be lost to columns
 * that fill their last 4 KB in part. Two bytes are enough for the ordinals of a field whose values are all different.
 */
const maxSegmentRows = 32_768;

/** Write units that one partition takes in a second. */
const partitionWriteUnits = 1_000;

/** Sizes that decide what a step writes. The simulation uses small ones, to see everything with few rows. */
export interface CompactionSizes {
  /** Rows in a segment, at most. */
  readonly maxRows: number;
  /** The share of changed values above which a column is written again. */
  readonly maxPatchedShare: number;
  /** Columns that one step writes again because of this share, at most. The others wait for later steps. */
  readonly maxRewrittenColumns: number;
  /** Runs of one level that are merged into one of the next. */
  readonly fanOut: number;
  /** Bytes of a run above which each of its fields becomes an item of its own. */
  readonly maxWholeRunBytes: number;
  /** Bytes of a bucket of facets or of a column of ids, on average. Most buckets then stay below 4 KB with their keys, which is half a read unit. */
  readonly bucketBytes: number;
  /** Records after which one step stops reading. It reads whole pages of a query, so it can read some more. */
  readonly maxRecords: number;
  /** Records below the watermark after which one step stops looking for late ones. A busy log has more in the healing window. */
  readonly maxHealingRecords: number;
  /** Write units per second above which the records of a log are spread over several partitions. */
  readonly maxWriteUnitsPerSecond: number;
  /** Milliseconds for which they are spread after that. Processes of writers read the shards of a log once in half of this time. */
  readonly shardsMs: number;
  /** Records for which the first step of a log is worth its cost, and each further one. */
  readonly minFirstRecords: number;
  readonly minRecords: number;
}

export const defaultSizes: CompactionSizes = {
  maxRows: maxSegmentRows,
  maxPatchedShare: 0.1,
  maxRewrittenColumns: 16,
  fanOut: 4,
  maxWholeRunBytes: 8_192,
  bucketBytes: 3_600,
  maxRecords: 4_000,
  maxHealingRecords: 20_000,
  maxWriteUnitsPerSecond: 0.75 * partitionWriteUnits,
  shardsMs: 2 * maxKnownShardsMs,
  minFirstRecords: 128,
  minRecords: 48,
};
