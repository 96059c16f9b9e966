/** Decides which segments an absorbing step writes again because of its new rows. */
import type { Segment } from '../format/manifest.ts';
import { fitsOneColumn, isFull, liveRows } from './choose-step.ts';
import { blockOf, largestColumn, type SegmentRow } from './row-block.ts';
import type { CompactionSizes } from './sizes.ts';

/** Neighbouring segments that become new ones, and the rows that they get. */
export interface Placement {
  /** Position of the first segment, and the position after the last one. */
  readonly from: number;
  readonly to: number;
  readonly inserts: readonly SegmentRow[];
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

/** Returns rows by the segment whose ids they are among. */
function bySegmentOf(
  segments: readonly Segment[],
  inserts: readonly SegmentRow[],
): Map<number, SegmentRow[]> {
  const bySegment = new Map<number, SegmentRow[]>();
  for (const row of inserts) {
    const found = segments.findLastIndex(({ first }) => first <= row.id);
    const position = Math.max(0, found);
    const own = bySegment.get(position) ?? [];
    bySegment.set(position, own);
    own.push(row);
  }
  return bySegment;
}

/**
 * Returns the segments to write again, in their order.
 * @param inserts rows that no segment has, in the order of their ids.
 * @param youngId ids from this one on are expected to be followed by others that are not much greater.
 */
export function placeRows(
  segments: readonly Segment[],
  inserts: readonly SegmentRow[],
  youngId: string,
  sizes: CompactionSizes,
): Placement[] {
  // A row that comes out of order belongs among the ids of an earlier segment, which may be large: only that one is written again.
  const last = segments.findLast(({ last: lastId }) => lastId < youngId)?.last ?? '';
  const recent = inserts.filter(({ id }) => id > last);
  const outOfOrder = bySegmentOf(
    segments,
    inserts.filter(({ id }) => id <= last),
  );
  const tail = recent.length > 0 ? firstToMerge(segments, recent, sizes) : segments.length;
  const placements: Placement[] = [];
  const merged = [...recent];
  for (const position of segments.keys()) {
    const own = outOfOrder.get(position) ?? [];
    if (position >= tail) merged.push(...own);
    else if (own.length > 0) placements.push({ from: position, to: position + 1, inserts: own });
  }
  if (recent.length > 0) {
    merged.sort((one, other) => (one.id < other.id ? -1 : 1));
    placements.push({ from: tail, to: segments.length, inserts: merged });
  }
  return placements;
}
