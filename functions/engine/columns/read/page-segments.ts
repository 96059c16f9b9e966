/** Pages in the order of creation without filters: the manifest tells which segments have their rows. */
import { groupBy } from '../../../runtime/group-by.ts';
import type { Segment } from '../format/manifest.ts';
import type { ColumnReader } from './column-reader.ts';
import { overlapping } from './divide-by-sort-key.ts';
import { coverageOf, readSegments, rowsOf, type SegmentRows } from './match-rows.ts';
import { type RowDelta, sumOf } from './pending-changes.ts';
import type { RowRange } from './row-filter.ts';
import type { RowQuery } from './row-query.ts';

/** Returns the sum of the rows of segments and of what pending changes add and remove. */
export const totalOf = (counts: readonly number[], deltas: readonly RowDelta[]): number =>
  counts.reduce((sum, count) => sum + count, 0) + sumOf(deltas);

/** Returns the window of a page in the order of creation, counted from the lowest row. */
function windowOf({ isDescending, skip, limit }: RowQuery, total: number): RowRange {
  const [from, to] = isDescending ? [total - skip - limit, total - skip] : [skip, skip + limit];
  return { from: Math.max(0, from), to: Math.max(0, Math.min(total, to)) };
}

/** Returns the number of rows in a set of ids in each segment. Only the segments at the edges of the set are read. */
async function countIds(columnReader: ColumnReader, query: RowQuery): Promise<number[]> {
  const { segments } = columnReader.manifest;
  const edges = segments.filter((segment) => coverageOf(query.ids, segment) === 'part');
  const read = await readSegments(columnReader, edges, query);
  const counts = new Map(read.map(({ segment, count }) => [segment, count]));
  return segments.map((segment) => {
    const isCovered = coverageOf(query.ids, segment) === 'all';
    return counts.get(segment) ?? (isCovered ? rowsOf(segment, query) : 0);
  });
}

/** Returns the rows of all segments; of segments that have no row of the page, only their number. */
export async function readPageSegments(
  columnReader: ColumnReader,
  deltas: readonly RowDelta[],
  query: RowQuery,
): Promise<SegmentRows[]> {
  const { segments } = columnReader.manifest;
  const counts = await countIds(columnReader, query);
  const bySegment = groupBy(deltas, ({ segment }) => segment);
  const groups = counts.map((count, position) => ({
    segment: segments[position] as Segment,
    count: count + sumOf(bySegment.get(position) ?? []),
  }));
  const onPage = overlapping(groups, windowOf(query, totalOf(counts, deltas)));
  const read = await readSegments(
    columnReader,
    onPage.map(({ segment }) => segment),
    query,
  );
  const rowsOf = new Map(read.map((rows) => [rows.segment, rows]));
  return segments.map(
    (segment, position) => rowsOf.get(segment) ?? { segment, count: counts[position] as number },
  );
}
