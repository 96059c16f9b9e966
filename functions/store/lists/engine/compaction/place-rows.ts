/** Decides where an absorbing step writes new rows. */
import { type Segment, segmentOf } from '../format/manifest.ts';
import { fitsOneColumn, isFull, liveRows } from './choose-step.ts';
import { blockOf, largestColumn, type SegmentRow } from './row-block.ts';
import type { CompactionSizes } from './sizes.ts';

interface Placement {
  /** Position of the first segment that is written again. All segments after it are, too. */
  readonly from: number;
  /** The rows that these segments get, in the order of their ids. */
  readonly inserts: readonly SegmentRow[];
  /** The rows that wait: their ids are among those of earlier segments, which may be large. */
  readonly outOfOrder: readonly SegmentRow[];
}

/**
 * Returns the first of the last segments that new rows are merged with: those that have at most as many rows as all after them, so that a
 * row is written again only as often as the logarithm of the number of rows. A list that reads columns pays for the dictionary of each
 * segment. Segments whose ids overlap with the new ones are merged as well. All others are left to a merge if they make the step too large.
 */
function firstToMerge(
  segments: readonly Segment[],
  inserts: readonly SegmentRow[],
  sizes: CompactionSizes,
): number {
  const firstId = inserts[0]?.id ?? '';
  let rows = inserts.length;
  let bytes = largestColumn(blockOf(inserts));
  let from = segments.length;
  for (; from > 0; from -= 1) {
    const segment = segments[from - 1] as Segment;
    const live = liveRows(segment);
    bytes += segment.bytes;
    const isTooLarge = rows + live > sizes.maxChanges || !fitsOneColumn(bytes, sizes);
    const overlaps = segment.last > firstId;
    if (!overlaps && (live > rows || isFull(segment, sizes) || isTooLarge)) return from;
    rows += live;
  }
  return from;
}

/**
 * Returns which segments a step writes again, and which rows wait.
 * @param inserts rows that no segment has, in the order of their ids: new ones, and those that have waited.
 * @param youngId ids from this one on are expected to be followed by others that are not much greater.
 */
export function placeRows(
  segments: readonly Segment[],
  inserts: readonly SegmentRow[],
  youngId: string,
  sizes: CompactionSizes,
): Placement {
  const last = segments.findLast(({ last: lastId }) => lastId < youngId)?.last ?? '';
  const recent = inserts.filter(({ id }) => id > last);
  const from = recent.length > 0 ? firstToMerge(segments, recent, sizes) : segments.length;
  // Rows among the ids of segments that are written again do not have to wait.
  const firstId = from === 0 ? '' : segments[from]?.first;
  const isInserted = ({ id }: SegmentRow): boolean => id > last || (firstId !== undefined && id >= firstId);
  return {
    from,
    inserts: inserts.filter(isInserted),
    outOfOrder: inserts.filter((row) => !isInserted(row)),
  };
}

/** Returns segments with the numbers of the out-of-order rows among their ids. @param ids of these rows. */
export function countOutOfOrder(
  segments: readonly Segment[],
  rows: readonly { readonly id: string }[],
): Segment[] {
  const counts = new Map<number, number>();
  for (const { id } of rows) {
    const position = segmentOf({ segments }, id);
    counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  return segments.map(({ outOfOrder: _, ...segment }, position) => {
    const count = counts.get(position);
    return count === undefined ? segment : { ...segment, outOfOrder: count };
  });
}
