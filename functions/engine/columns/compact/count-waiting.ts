import { placeOf, type Segment } from '../format/manifest.ts';

/** Returns segments with the numbers of the waiting rows among their ids. @param rows that wait. */
export function countWaiting(
  segments: readonly Segment[],
  rows: Iterable<{ readonly id: string }>,
): Segment[] {
  const counts = new Map<number, number>();
  for (const { id } of rows) {
    const place = placeOf({ segments }, id);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return segments.map((segment, position) => ({ ...segment, waiting: counts.get(position) }));
}
