/**
 * Rows in a segment, at most. In larger segments, columns would exceed an item; in smaller ones, more read units would be lost to columns
 * that fill their last 4 KB in part. Two bytes are enough for the ordinals of a field whose values are all different.
 */
const maxSegmentRows = 32_768;

/** Sizes that decide what a step writes. The simulation uses small ones, to see everything with few rows. */
export interface CompactionSizes {
  /** Rows in a segment, at most. */
  readonly maxRows: number;
  /**
   * Newer values are merged with an older patch when they are at least this share of its values. A value is then written again O(log n) times,
   * and a list reads few patches.
   */
  readonly maxShareOfPatch: number;
  /**
   * The values of all patches are merged with a column when they replace more than this share of its values. Patches take more bytes for a value than
   * columns, so this share is smaller.
   */
  readonly maxShareOfColumn: number;
  /** Columns that one step writes again because of this share, at most. The others wait for later steps. */
  readonly maxRewrittenColumns: number;
  /** Bytes of a patch above which each of its fields becomes an item of its own. */
  readonly maxWholePatchBytes: number;
  /** Bytes of a bucket of a column of ids, on average. Most buckets then stay below 4 KB with their keys, which is half a read unit. */
  readonly bucketBytes: number;
  /** Records after which one step stops reading. It reads whole pages of a query, so it can read some more. */
  readonly maxRecords: number;
  /** Records for which the first step of a log is worth its cost, and each further one. */
  readonly minFirstRecords: number;
  readonly minRecords: number;
}

export const defaultSizes: CompactionSizes = {
  maxRows: maxSegmentRows,
  maxShareOfPatch: 1 / 2,
  maxShareOfColumn: 1 / 10,
  maxRewrittenColumns: 16,
  maxWholePatchBytes: 8_192,
  bucketBytes: 3_600,
  maxRecords: 4_000,
  minFirstRecords: 128,
  minRecords: 48,
};
