/** Page places: where a page in the order of creation is, known without the columns of any segment. */
import { facetKeyOf } from './facets.ts';
import { allIds, type IdRange } from './id-ranges.ts';
import type { Segment } from './manifest.ts';
import { groupDeltas, type RowDelta, sumOf } from './row-delta.ts';
import type { RowRange } from './row-filter.ts';
import { overlapping } from './row-groups.ts';
import type { RowQuery } from './row-query.ts';
import { coverageOf, readSegments } from './segment-rows.ts';
import type { Snapshot } from './snapshot.ts';
import type { LogReader } from './storage.ts';

/** The rows of one segment that match, and those of them that are on the page. */
export interface PagePart extends RowRange {
  /** The ids that belong to the segment; those after all segments are a part of their own. */
  readonly ids: IdRange;
  /** Number of rows that match. The page has those at the positions `from` up to, but without, `to`. */
  readonly count: number;
}

export interface PagePlace {
  /** Number of rows that match, in all segments. */
  readonly total: number;
  /** Number of rows that match in each segment, as the columns have them. */
  readonly counts: readonly number[];
  /** The segments that have rows of the page in their columns. */
  readonly segments: readonly Segment[];
  /** In the order of ids. */
  readonly parts: readonly PagePart[];
}

/** Returns the window of a page in the order of creation, counted from the lowest row. */
export function windowOf({ isDescending, skip, limit }: RowQuery, total: number): RowRange {
  const [from, to] = isDescending ? [total - skip - limit, total - skip] : [skip, skip + limit];
  return { from: Math.max(0, from), to: Math.max(0, Math.min(total, to)) };
}

/** Returns the sum of the rows of segments and of what the tail adds and removes. */
export const totalOf = (counts: readonly number[], deltas: readonly RowDelta[]): number =>
  counts.reduce((sum, count) => sum + count, 0) + sumOf(deltas);

/** Returns the number of rows in a set of ids in each segment. Only the segments at the edges of the set are read. */
async function countIds(reader: LogReader, snapshot: Snapshot, query: RowQuery): Promise<number[]> {
  const { segments } = snapshot.manifest;
  const edges = segments.filter((segment) => coverageOf(query.ids, segment) === 'part');
  const read = await readSegments(reader, snapshot, edges, query);
  const counts = new Map(read.map(({ segment, count }) => [segment, count]));
  return segments.map((segment) => {
    const isCovered = coverageOf(query.ids, segment) === 'all';
    return counts.get(segment) ?? (isCovered ? segment.rows - segment.deleted : 0);
  });
}

/**
 * Returns the number of rows that match in each segment, if there are no filters, or if facets count what matches them; `undefined` when only
 * the columns of all segments tell it, or when the list counts values.
 */
async function countBySegment(
  reader: LogReader,
  snapshot: Snapshot,
  query: RowQuery,
): Promise<number[] | undefined> {
  const { filters, ids, orders, countBy } = query;
  if (orders.length > 0 || countBy.length > 0) return undefined;
  if (filters.length === 0) return countIds(reader, snapshot, query);
  if (ids) return undefined;
  const key = facetKeyOf(snapshot.manifest.facets.fields, filters);
  return key === undefined ? undefined : snapshot.countRows(key);
}

/** Returns the ids that belong to a segment, as `segmentOf` and `tailDeltas` decide; after the last segment, all greater ids. */
function idsOf(segments: readonly Segment[], position: number): IdRange {
  const isLast = position === segments.length - 1;
  // Sorts after the id itself and before all greater ones.
  const afterLast = `${segments.at(-1)?.last ?? ''}~`;
  const from = position < segments.length ? (segments[position] as Segment).first : afterLast;
  const to = isLast ? afterLast : (segments[position + 1]?.first ?? allIds.to);
  return { from: position === 0 ? allIds.from : from, to };
}

/** Returns the place of a page; `undefined` when only the columns of all segments tell it. */
export async function locatePage(
  reader: LogReader,
  snapshot: Snapshot,
  deltas: readonly RowDelta[],
  query: RowQuery,
): Promise<PagePlace | undefined> {
  const counts = await countBySegment(reader, snapshot, query);
  if (!counts) return undefined;
  const { segments } = snapshot.manifest;
  const bySegment = groupDeltas(deltas, ({ segment }) => segment);
  const groups = [...counts, 0].map((count, position) => ({
    ids: idsOf(segments, position),
    segment: segments[position],
    count: count + sumOf(bySegment.get(position) ?? []),
  }));
  const total = totalOf(counts, deltas);
  const parts = overlapping(groups, windowOf(query, total));
  return { total, counts, segments: parts.flatMap(({ segment }) => segment ?? []), parts };
}
