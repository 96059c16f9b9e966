/** Decides which segments a compaction step writes again. */
import type { Segment } from '../format/manifest.ts';
import type { SegmentRow } from './new-segments.ts';

/** Neighbouring segments that become new ones, and the rows that they get. */
export interface Rewrite {
  /** Position of the first segment, and the position after the last one. */
  readonly from: number;
  readonly to: number;
  readonly inserts: readonly SegmentRow[];
}

/** The share of deleted rows above which a segment is written again without them. */
const maxDeletedShare = 1 / 4;

/** Segments that one step writes again only because of their deleted rows, at most. The others wait for later steps. */
const maxShrunkSegments = 2;

/** The share of the rows of a segment, at most, above which merging it would save too little. */
const fullShare = 9 / 10;

/**
 * Returns the first of the last segments that new rows are merged with: those that have at most as many rows as all after them, so that a
 * row is written again only as often as the logarithm of the number of rows, until they fill a segment. A list that reads columns pays for the
 * dictionary of each segment. Segments whose ids overlap with the new ones are merged as well.
 */
function firstToMerge(segments: readonly Segment[], inserts: readonly SegmentRow[], maxRows: number): number {
  const firstId = inserts[0]?.id ?? '';
  let rows = inserts.length;
  let from = segments.length;
  for (; from > 0; from -= 1) {
    const segment = segments[from - 1] as Segment;
    const live = segment.rows - segment.deleted;
    const overlaps = segment.last > firstId;
    const isFull = live >= fullShare * maxRows;
    if (!overlaps && (live > rows || isFull || rows >= maxRows)) return from;
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
    bySegment.set(position, [...(bySegment.get(position) ?? []), row]);
  }
  return bySegment;
}

/**
 * Returns the segments to write again, in their order.
 * @param inserts rows that no segment has, in the order of their ids.
 * @param youngId ids from this one on are expected to be followed by others that are not much greater.
 */
export function chooseRewrites(
  segments: readonly Segment[],
  inserts: readonly SegmentRow[],
  youngId: string,
  maxRows: number,
): Rewrite[] {
  // A row that comes out of order belongs among the ids of an earlier segment, which may be large: only that one is written again.
  const last = segments.findLast(({ last: lastId }) => lastId < youngId)?.last ?? '';
  const recent = inserts.filter(({ id }) => id > last);
  const outOfOrder = bySegmentOf(
    segments,
    inserts.filter(({ id }) => id <= last),
  );
  const tail = recent.length > 0 ? firstToMerge(segments, recent, maxRows) : segments.length;
  const rewrites: Rewrite[] = [];
  const merged = [...recent];
  let shrunk = 0;
  for (const [position, segment] of segments.entries()) {
    const own = outOfOrder.get(position) ?? [];
    const rewrite = { from: position, to: position + 1, inserts: own };
    if (position >= tail) merged.push(...own);
    else if (own.length > 0) rewrites.push(rewrite);
    else if (segment.deleted > maxDeletedShare * segment.rows && shrunk < maxShrunkSegments) {
      shrunk += 1;
      rewrites.push(rewrite);
    }
  }
  if (recent.length > 0) {
    merged.sort((one, other) => (one.id < other.id ? -1 : 1));
    rewrites.push({ from: tail, to: segments.length, inserts: merged });
  }
  return rewrites;
}
