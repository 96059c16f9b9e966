/** Decides from a manifest alone what compaction writes again, beside absorbing records. */
import { groupBy } from '../../../runtime/group-by.ts';
import { countExpired } from '../format/deleted-rows.ts';
import type { Manifest, Segment } from '../format/manifest.ts';
import type { CompactionSizes } from './sizes.ts';

/** Neighbouring segments that become fewer ones. */
export interface Merge {
  /** Position of the first segment, and the position after the last one. */
  readonly from: number;
  readonly to: number;
}

interface MergeCandidate extends Merge {
  /** Whether it comes before more records are absorbed. */
  readonly isUrgent: boolean;
  /** Number of rows that it writes for each one that is better placed then. */
  readonly cost: number;
}

export type ColumnsToRewrite = ReadonlyMap<string, readonly string[]>;

/** The share of the rows of a segment above which merging it would save too little; and of the bytes of a column. */
const fullShareOfRows = 9 / 10;
const fullShareOfBytes = 3 / 4;

/** The share of an item that columns may fill together to be merged: then one item has room for them. */
const mergedShareOfBytes = 9 / 10;

/** Rows that a merge reads, those that have expired included, for each row that it may write. */
const readShare = 2;

/** A segment, and the number of its rows whose deletion has expired. A merge leaves them out. */
interface AgedSegment extends Segment {
  readonly expired: number;
}

const keptRows = ({ rows, expired }: AgedSegment): number => rows - expired;

/**
 * Returns about how many bytes the largest item has without the rows that have expired; none if that may be a column of lists as texts, which a merge
 * writes as lists. Such a segment is written again once.
 */
const keptBytes = (segment: AgedSegment): number =>
  segment.hasLists ? (segment.bytes * keptRows(segment)) / segment.rows : 0;

export const isFull = (segment: AgedSegment, { maxRows, maxColumnBytes }: CompactionSizes): boolean =>
  keptRows(segment) >= fullShareOfRows * maxRows || keptBytes(segment) >= fullShareOfBytes * maxColumnBytes;

const isShrunk = ({ rows, expired }: AgedSegment, { maxShareOfExpired }: CompactionSizes): boolean =>
  expired > maxShareOfExpired * rows;

const waitingOf = ({ waiting = 0 }: Segment): number => waiting;

const sumOf = (segments: readonly AgedSegment[], measure: (segment: AgedSegment) => number): number =>
  segments.reduce((sum, segment) => sum + measure(segment), 0);

/** Returns the cost of a merge. Rows are better placed in a larger segment, without expired ones, and when they do not wait any more. */
function costOf(merged: readonly AgedSegment[]): number {
  const written = sumOf(merged, keptRows) + sumOf(merged, waitingOf);
  const largest = Math.max(...merged.map(keptRows));
  return written / (written - largest + sumOf(merged, ({ expired }) => expired));
}

/** Returns the segments with enough waiting rows, or expired ones, to be written again. */
function mergesOfOne(segments: readonly AgedSegment[], sizes: CompactionSizes): MergeCandidate[] {
  // Each list looks at all of them.
  const isUrgent = sumOf(segments, waitingOf) > sizes.maxWaitingRows;
  const minShare = isUrgent ? 0 : sizes.minShareOfWaiting;
  return segments.flatMap((segment, from) => {
    const waiting = waitingOf(segment);
    const hasEnough = waiting > 0 && waiting >= minShare * segment.rows;
    if (!(hasEnough || isShrunk(segment, sizes)) || segment.rows > readShare * sizes.maxMergedRows) return [];
    return { from, to: from + 1, isUrgent: isUrgent && hasEnough, cost: costOf([segment]) };
  });
}

/**
 * Returns the position behind the neighbours that are merged with an open segment: up to those that fill a segment, while the columns of all fit one
 * item, and as many rows as a step may merge.
 */
function endOfMerge(segments: readonly AgedSegment[], from: number, sizes: CompactionSizes): number {
  let rows = 0;
  let read = 0;
  let bytes = 0;
  let to = from;
  for (; rows < sizes.maxRows; to += 1) {
    const segment = segments[to];
    if (!segment || isFull(segment, sizes)) break;
    rows += keptRows(segment);
    read += segment.rows;
    bytes += keptBytes(segment);
    if (bytes > mergedShareOfBytes * sizes.maxColumnBytes) break;
    if (rows > sizes.maxMergedRows || read > readShare * sizes.maxMergedRows) break;
  }
  return to;
}

/**
 * Returns the neighbours that are not full and of which none has more rows than the others together: a row is then written again only as often as
 * the logarithm of the number of rows. The first rows of them fill a segment, or one has room for all.
 */
function mergesOfOpen(segments: readonly AgedSegment[], sizes: CompactionSizes): MergeCandidate[] {
  const isUrgent = segments.filter((segment) => !isFull(segment, sizes)).length > sizes.maxOpenSegments;
  return segments.flatMap((_, from) => {
    const to = endOfMerge(segments, from, sizes);
    const merged = segments.slice(from, to);
    const isBalanced = 2 * Math.max(...merged.map(keptRows)) <= sumOf(merged, keptRows);
    return to - from > 1 && isBalanced ? { from, to, isUrgent, cost: costOf(merged) } : [];
  });
}

/**
 * Returns the segments to merge next, if any are: of the urgent merges, or else of all of them, the one with the lowest cost.
 * @param nowMs milliseconds since 1970: which deletions have expired.
 */
export function chooseMerge(
  manifest: Pick<Manifest, 'segments'>,
  sizes: CompactionSizes,
  nowMs: number,
): MergeCandidate | undefined {
  const segments = manifest.segments.map((one) => ({ ...one, expired: countExpired(one.deleted, nowMs) }));
  const candidates = [...mergesOfOpen(segments, sizes), ...mergesOfOne(segments, sizes)];
  const urgent = candidates.filter(({ isUrgent }) => isUrgent);
  const [best] = (urgent.length > 0 ? urgent : candidates).sort((one, other) => one.cost - other.cost);
  return best;
}

/** Returns whether most rows of the items of waiting rows are not kept: then those that are, are written again. */
export function isWaitingShrunk(
  { waiting }: Manifest,
  { maxRowsOfOne }: CompactionSizes,
  nowMs: number,
): boolean {
  const rows = waiting.reduce((sum, item) => sum + item.rows, 0);
  const expired = waiting.reduce((sum, { deleted = {} }) => sum + countExpired(deleted, nowMs), 0);
  return rows > maxRowsOfOne * (rows - expired);
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
  const bySegment = groupBy(columns, ({ id }) => id);
  return new Map([...bySegment].map(([id, own]) => [id, own.map(({ field }) => field)]));
}
