/** Decides from a manifest alone what compaction writes again, beside absorbing records. */
import type { Manifest, Segment } from '../format/manifest.ts';
import type { CompactionSizes } from './sizes.ts';

/** Neighbouring segments that become fewer ones. */
export interface Merge {
  /** Position of the first segment, and the position after the last one. */
  readonly from: number;
  readonly to: number;
}

/** A merge that may come next. */
interface MergeCandidate extends Merge {
  /** Whether it comes before more records are absorbed. */
  readonly isUrgent: boolean;
  /** Number of rows that it writes for each one that is better placed then. */
  readonly cost: number;
}

/** Columns to write again. */
export type ColumnsToRewrite = ReadonlyMap<string, readonly string[]>;

/** The share of the rows of a segment above which merging it would save too little; and of the bytes of a column. */
const fullShareOfRows = 9 / 10;
const fullShareOfBytes = 3 / 4;

/** The share of an item that columns may fill together to be merged: then one item has room for them. */
const mergedShareOfBytes = 9 / 10;

/** The share of deleted rows above which a segment is written again without them. */
const maxDeletedShare = 1 / 4;

/** Rows that a merge reads, deleted ones included, for each row that it may write. */
const readShare = 2;

const liveRows = ({ rows, deleted }: Segment): number => rows - deleted;

/** Returns about how many bytes the largest item has without the deleted rows. */
const liveBytes = (segment: Segment): number => (segment.bytes * liveRows(segment)) / segment.rows;

export const isFull = (segment: Segment, { maxRows, maxColumnBytes }: CompactionSizes): boolean =>
  liveRows(segment) >= fullShareOfRows * maxRows || liveBytes(segment) >= fullShareOfBytes * maxColumnBytes;

/** Returns whether columns are one item together. @param bytes of all of them. */
const fitsOneColumn = (bytes: number, { maxColumnBytes }: CompactionSizes): boolean =>
  bytes <= mergedShareOfBytes * maxColumnBytes;

const isShrunk = ({ rows, deleted }: Segment): boolean => deleted > maxDeletedShare * rows;

const waitingOf = ({ waiting = 0 }: Segment): number => waiting;

const sumOf = (segments: readonly Segment[], measure: (segment: Segment) => number): number =>
  segments.reduce((sum, segment) => sum + measure(segment), 0);

/** Returns the cost of a merge. Rows are better placed in a larger segment, without deleted ones, and when they do not wait any more. */
function costOf(merged: readonly Segment[]): number {
  const written = sumOf(merged, liveRows) + sumOf(merged, waitingOf);
  const largest = Math.max(...merged.map(liveRows));
  return written / (written - largest + sumOf(merged, ({ deleted }) => deleted));
}

/** Returns the segments with enough waiting rows, or deleted ones, to be written again. */
function mergesOfOne(segments: readonly Segment[], sizes: CompactionSizes): MergeCandidate[] {
  // Each list looks at all of them.
  const isUrgent = sumOf(segments, waitingOf) > sizes.maxWaitingRows;
  const minShare = isUrgent ? 0 : sizes.minShareOfWaiting;
  return segments.flatMap((segment, from) => {
    const waiting = waitingOf(segment);
    const hasEnough = waiting > 0 && waiting >= minShare * segment.rows;
    if (!(hasEnough || isShrunk(segment)) || segment.rows > readShare * sizes.maxMergedRows) return [];
    return { from, to: from + 1, isUrgent: isUrgent && hasEnough, cost: costOf([segment]) };
  });
}

/**
 * Returns the position behind the neighbours that are merged with an open segment: up to those that fill a segment, while the columns of all fit one
 * item, and as many rows as a step may merge.
 */
function endOfMerge(segments: readonly Segment[], from: number, sizes: CompactionSizes): number {
  let rows = 0;
  let read = 0;
  let bytes = 0;
  let to = from;
  for (; rows < sizes.maxRows; to += 1) {
    const segment = segments[to];
    if (!segment || isFull(segment, sizes)) break;
    rows += liveRows(segment);
    read += segment.rows;
    bytes += liveBytes(segment);
    if (!fitsOneColumn(bytes, sizes)) break;
    if (rows > sizes.maxMergedRows || read > readShare * sizes.maxMergedRows) break;
  }
  return to;
}

/**
 * Returns the neighbours that are not full and of which none has more rows than the others together: a row is then written again only as often as
 * the logarithm of the number of rows. The first rows of them fill a segment, or one has room for all.
 */
function mergesOfOpen(segments: readonly Segment[], sizes: CompactionSizes): MergeCandidate[] {
  const isUrgent = segments.filter((segment) => !isFull(segment, sizes)).length > sizes.maxOpenSegments;
  return segments.flatMap((_, from) => {
    const to = endOfMerge(segments, from, sizes);
    const merged = segments.slice(from, to);
    const isBalanced = 2 * Math.max(...merged.map(liveRows)) <= sumOf(merged, liveRows);
    return to - from > 1 && isBalanced ? { from, to, isUrgent, cost: costOf(merged) } : [];
  });
}

/** Returns the segments to merge next, if any are: of the urgent merges, or else of all of them, the one with the lowest cost. */
export function chooseMerge({ segments }: Manifest, sizes: CompactionSizes): MergeCandidate | undefined {
  const candidates = [...mergesOfOpen(segments, sizes), ...mergesOfOne(segments, sizes)];
  const urgent = candidates.filter(({ isUrgent }) => isUrgent);
  const [best] = (urgent.length > 0 ? urgent : candidates).sort((one, other) => one.cost - other.cost);
  return best;
}

/** Returns the columns to write again, by segment: those with the largest share of values in patches. */
export function chooseColumns(
  { segments }: Manifest,
  { maxShareOfColumn, maxRewrittenColumns }: CompactionSizes,
): ColumnsToRewrite {
  const columns = segments
    .flatMap(({ id, rows, patched }) =>
      Object.entries(patched).map(([field, count]) => ({ id, field, share: count / rows })),
    )
    .filter(({ share }) => share > maxShareOfColumn)
    .sort((one, other) => other.share - one.share)
    .slice(0, maxRewrittenColumns);
  const bySegment = new Map<string, string[]>();
  for (const { id, field } of columns) bySegment.set(id, [...(bySegment.get(id) ?? []), field]);
  return bySegment;
}
