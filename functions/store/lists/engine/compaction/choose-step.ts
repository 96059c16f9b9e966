/** Decides from a manifest alone what compaction writes again, beside absorbing records. */
import { firstIdAt } from '../../../model/ids.ts';
import type { Manifest, Segment } from '../format/manifest.ts';
import type { CompactionSizes } from './sizes.ts';

/** Neighbouring segments that become fewer ones. */
export interface Merge {
  /** Position of the first segment, and the position after the last one. */
  readonly from: number;
  readonly to: number;
}

/** Columns to write again. */
export type ColumnsToRewrite = ReadonlyMap<string, readonly string[]>;

/**
 * Milliseconds in which ids of later rows can appear. The rows of this time stay in segments of their own, which are small, because the later rows are
 * written among them. An older one is written into a larger segment.
 */
const youngMs = 5_000;

/** Returns the id from which on rows are young. */
export const youngIdAt = (nowMs: number): string => firstIdAt(Math.max(0, nowMs - youngMs));

/** The share of the rows of a segment above which merging it would save too little; and of the bytes of a column. */
const fullShareOfRows = 9 / 10;
const fullShareOfBytes = 3 / 4;

/** The share of an item that columns may fill together to be merged: then one item has room for them. */
const mergedShareOfBytes = 9 / 10;

/** The share of deleted rows above which a segment is written again without them. */
const maxDeletedShare = 1 / 4;

/** Rows that a merge reads, deleted ones included, for each row that it may write. */
const readShare = 2;

export const liveRows = ({ rows, deleted }: Segment): number => rows - deleted;

/** Returns about how many bytes the largest item has without the deleted rows. */
const liveBytes = (segment: Segment): number => (segment.bytes * liveRows(segment)) / segment.rows;

export const isFull = (segment: Segment, { maxRows, maxColumnBytes }: CompactionSizes): boolean =>
  liveRows(segment) >= fullShareOfRows * maxRows || liveBytes(segment) >= fullShareOfBytes * maxColumnBytes;

/** Returns whether columns are one item together. @param bytes of all of them. */
export const fitsOneColumn = (bytes: number, { maxColumnBytes }: CompactionSizes): boolean =>
  bytes <= mergedShareOfBytes * maxColumnBytes;

const sumOf = (segments: readonly Segment[], measure: (segment: Segment) => number): number =>
  segments.reduce((sum, segment) => sum + measure(segment), 0);

const isShrunk = ({ rows, deleted }: Segment): boolean => deleted > maxDeletedShare * rows;

/** Returns the first segment with many deleted rows, together with its neighbours while one segment has room for all. */
function mergeOfShrunk(segments: readonly Segment[], sizes: CompactionSizes): Merge | undefined {
  const first = segments.findIndex(
    (segment) => isShrunk(segment) && segment.rows <= readShare * sizes.maxMergedRows,
  );
  if (first < 0) return undefined;
  let merge: Merge = { from: first, to: first + 1 };
  const isPossible = ({ from, to }: Merge, added: Segment | undefined): boolean => {
    if (!added) return false;
    const all = segments.slice(from, to);
    // A large neighbour would cost more than what the deleted rows have cost.
    return (
      liveRows(added) <= sumOf(all, ({ rows }) => rows) - liveRows(added) &&
      sumOf(all, liveRows) <= sizes.maxRows &&
      fitsOneColumn(sumOf(all, liveBytes), sizes) &&
      sumOf(all, ({ rows }) => rows) <= readShare * sizes.maxMergedRows
    );
  };
  for (;;) {
    const right = { from: merge.from, to: merge.to + 1 };
    const left = { from: merge.from - 1, to: merge.to };
    if (isPossible(right, segments[merge.to])) merge = right;
    else if (isPossible(left, segments[merge.from - 1])) merge = left;
    else return merge;
  }
}

/**
 * Returns the first neighbours that are not full and of which none has more rows than the others together: a row is then written again
 * only as often as the logarithm of the number of rows. The first rows of them fill a segment, or one has room for all.
 */
function mergeOfOpen(segments: readonly Segment[], sizes: CompactionSizes): Merge | undefined {
  for (let from = 0; from < segments.length; from += 1) {
    let to = from;
    let rows = 0;
    let read = 0;
    let bytes = 0;
    let largest = 0;
    for (; rows < sizes.maxRows; to += 1) {
      const segment = segments[to];
      if (!segment || isFull(segment, sizes) || !fitsOneColumn(bytes + liveBytes(segment), sizes)) break;
      read += segment.rows;
      if (rows + liveRows(segment) > sizes.maxMergedRows || read > readShare * sizes.maxMergedRows) break;
      rows += liveRows(segment);
      bytes += liveBytes(segment);
      largest = Math.max(largest, liveRows(segment));
    }
    if (to - from > 1 && largest <= rows - largest) return { from, to };
  }
  return undefined;
}

const outOfOrderOf = ({ outOfOrder = 0 }: Segment): number => outOfOrder;

/**
 * Returns the segment that has the most out-of-order rows for its size, if they are worth that it is written again: then they are a certain share
 * of its rows. Or if so many wait that processes would take too long to make columns of them.
 */
function mergeOfOutOfOrder(
  segments: readonly Segment[],
  { minShareOfOutOfOrder, maxOutOfOrderRows }: CompactionSizes,
): (Merge & { readonly isUrgent: boolean }) | undefined {
  const isUrgent = sumOf(segments, outOfOrderOf) > maxOutOfOrderRows;
  let from = -1;
  let share = isUrgent ? 0 : minShareOfOutOfOrder;
  for (const [position, segment] of segments.entries()) {
    const own = outOfOrderOf(segment) / segment.rows;
    if (own < share || own === 0) continue;
    from = position;
    share = own;
  }
  return from < 0 ? undefined : { from, to: from + 1, isUrgent };
}

/** Returns the segments to merge next, if any are. One segment is merged with its out-of-order rows, or without its deleted ones. */
export function chooseMerge(
  { segments }: Manifest,
  sizes: CompactionSizes,
  nowMs: number,
): (Merge & { readonly isUrgent: boolean }) | undefined {
  const withOutOfOrder = mergeOfOutOfOrder(segments, sizes);
  if (withOutOfOrder) return withOutOfOrder;
  const youngId = youngIdAt(nowMs);
  const settled = segments.slice(0, segments.findLastIndex(({ last }) => last < youngId) + 1);
  const shrunk = mergeOfShrunk(settled, sizes);
  if (shrunk) return { ...shrunk, isUrgent: false };
  const open = mergeOfOpen(settled, sizes);
  if (!open) return undefined;
  const openSegments = settled.filter((segment) => !isFull(segment, sizes));
  return { ...open, isUrgent: openSegments.length > sizes.maxOpenSegments };
}

/** Returns the columns to write again, by segment: those with the largest share of values in patches. Small segments have no columns of their own. */
export function chooseColumns(
  { segments }: Manifest,
  { maxShareOfColumn, maxRewrittenColumns }: CompactionSizes,
): ColumnsToRewrite {
  const columns = segments
    .filter(({ isSmall }) => !isSmall)
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
