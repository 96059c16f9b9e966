import { chunkRows } from '../format/ids.ts';
import { maxItemBytes } from '../format/manifest.ts';

/**
 * Rows in a segment, at most. In larger segments, columns would exceed an item; in smaller ones, more read units would be lost to columns
 * that fill their last 4 KB in part. Two bytes are enough for the ordinals of a field whose values are all different.
 */
const maxSegmentRows = 32_768;

/** Sizes that decide what a step writes. The simulation uses small ones, to see everything with few rows. */
export interface CompactionSizes {
  /** Rows in a segment, at most. */
  readonly maxRows: number;
  /** Bytes of an item of a column, at most. */
  readonly maxColumnBytes: number;
  /** Words of all rows of a segment, at most, unless a single row has more. To index so many takes about four seconds of a vCPU. */
  readonly maxWords: number;
  /** Bytes up to which a patch is one item. */
  readonly maxSmallBytes: number;
  /** Bytes of a bucket of a column of ids, on average. Most buckets then stay below 4 KB with their keys, which is half a read unit. */
  readonly bucketBytes: number;
  /** Changes that one step absorbs, at most, unless a single record has more. */
  readonly maxChanges: number;
  /** Bytes in memory of the values that one step absorbs, about. */
  readonly maxChangedBytes: number;
  /** Rows that a merge writes, at most. It reads some more, which have expired. */
  readonly maxMergedRows: number;
  /** Waiting rows behind the last segment that become one. The first list of a process reads those that wait: 240 rows are 2.5 read units. */
  readonly minSegmentRows: number;
  /** Segments that are not full, above which those that can be merged are merged before more records are absorbed. Lists read them all. */
  readonly maxOpenSegments: number;
  /**
   * Newer values are merged with an older patch when they are at least this share of its values. A value is then written again O(log n) times,
   * and a list reads few patches.
   */
  readonly maxShareOfPatch: number;
  /** Bytes of the patches that one step merges, at most. */
  readonly maxMergedPatchBytes: number;
  /**
   * The values of all patches are merged with a column when they replace more than this share of its values. Patches take more bytes for a value than
   * columns, so this share is smaller.
   */
  readonly maxShareOfColumn: number;
  /** Columns that one step writes again because of this share, at most. The others wait for later steps. */
  readonly maxRewrittenColumns: number;
  /** The share of the rows of a segment from which on the waiting ones among its ids are written among them. Each costs the segment's bytes by this share. */
  readonly minShareOfWaiting: number;
  /** The share of the rows of a segment whose deletion has expired, above which it is written again without them. */
  readonly maxShareOfExpired: number;
  /** Rows of items of waiting rows for each row that waits, at most: the others are gone, have expired, or are older versions. */
  readonly maxRowsOfOne: number;
  /** Rows that wait among the ids of segments, about. Each list looks at all of them. */
  readonly maxWaitingRows: number;
  /** Changes for which a step is worth its cost. */
  readonly minChanges: number;
}

export const defaultSizes: CompactionSizes = {
  maxRows: maxSegmentRows,
  maxColumnBytes: maxItemBytes,
  maxWords: 4_000_000,
  maxSmallBytes: 8_192,
  bucketBytes: 3_600,
  maxChanges: 10_000,
  maxChangedBytes: 16 * 1024 * 1024,
  maxMergedRows: 2 * maxSegmentRows,
  minSegmentRows: chunkRows,
  maxOpenSegments: 8,
  maxShareOfPatch: 1 / 2,
  maxMergedPatchBytes: 1024 * 1024,
  maxShareOfColumn: 1 / 10,
  maxRewrittenColumns: 16,
  minShareOfWaiting: 1 / 128,
  maxShareOfExpired: 1 / 4,
  maxRowsOfOne: 2,
  maxWaitingRows: 4_096,
  minChanges: 48,
};
