/** Page places: where a page in the order of creation is, known without the columns of any segment. */
import { facetKeyOf } from './facets.ts';
import type { Segment } from './manifest.ts';
import { overlapping } from './page-rows.ts';
import { groupDeltas, type RowDelta, sumOf } from './row-delta.ts';
import type { RowRange } from './row-filter.ts';
import type { IdRange, RowQuery } from './row-query.ts';
import type { Snapshot } from './snapshot.ts';

/** The segments that have rows of a page. Rows that the columns do not contain yet belong to a segment by their ids. */
export interface PagePlace {
  /** Number of rows that match, in all segments. */
  readonly total: number;
  /** Number of rows that match in each segment, as the columns have them. */
  readonly counts: readonly number[];
  readonly segments: readonly Segment[];
  /** The ids of all rows of these segments, and of later ones if the page has such. */
  readonly ids: IdRange;
  /** Number of rows that match among these ids. */
  readonly count: number;
  /** The positions of the page among them. */
  readonly window: RowRange;
}

/** Less and greater than every id. A sort key cannot be empty. */
const beforeAllIds = '0';
const afterAllIds = 'g';

/** Returns the window of a page, counted from the lowest row. */
export function windowOf({ isDescending, skip, limit }: RowQuery, total: number): RowRange {
  const [from, to] = isDescending ? [total - skip - limit, total - skip] : [skip, skip + limit];
  return { from: Math.max(0, from), to: Math.max(0, Math.min(total, to)) };
}

/** Returns the sum of the rows of segments and of what the tail adds and removes. */
export const totalOf = (counts: readonly number[], deltas: readonly RowDelta[]): number =>
  counts.reduce((sum, count) => sum + count, 0) + sumOf(deltas);

/** Returns the number of rows that match in each segment, if there are no filters, or if facets count what matches them. */
async function countBySegment(
  snapshot: Snapshot,
  { filters, ids, order }: RowQuery,
): Promise<number[] | undefined> {
  if (order || ids) return undefined;
  const { segments, facets } = snapshot.manifest;
  if (filters.length === 0) return segments.map(({ rows, deleted }) => rows - deleted);
  const key = facetKeyOf(facets.fields, filters);
  return key === undefined ? undefined : snapshot.countRows(key);
}

/** Returns the place of a page; `undefined` when only the columns of all segments tell it. */
export async function locatePage(
  snapshot: Snapshot,
  deltas: readonly RowDelta[],
  query: RowQuery,
): Promise<PagePlace | undefined> {
  const counts = await countBySegment(snapshot, query);
  if (!counts) return undefined;
  const { segments } = snapshot.manifest;
  const bySegment = groupDeltas(deltas, ({ segment }) => segment);
  // The last group has the rows whose ids are greater than all in the columns.
  const groups = [...counts, 0].map((count, position) => ({
    position,
    count: count + sumOf(bySegment.get(position) ?? []),
  }));
  const total = totalOf(counts, deltas);
  const { from, to } = windowOf(query, total);
  const onPage = overlapping(groups, from, to);
  const first = onPage[0]?.position ?? segments.length;
  const end = (onPage.at(-1)?.position ?? first) + 1;
  const start = onPage[0]?.from ?? 0;
  return {
    total,
    counts,
    segments: segments.slice(first, end),
    ids: {
      // Ids before those of all segments belong to the first one.
      from: first === 0 ? beforeAllIds : (segments[first]?.first ?? `${segments.at(-1)?.last}~`),
      to: segments[end]?.first ?? (end > segments.length ? afterAllIds : `${segments.at(-1)?.last}~`),
    },
    count: onPage.reduce((sum, { count }) => sum + count, 0),
    window: { from: start, to: start + to - from },
  };
}
