import { countDeleted } from '../format/deleted-rows.ts';
import { chunkOfBoundary, chunkRows, positionOfBoundary } from '../format/ids.ts';
import type { Segment } from '../format/manifest.ts';
import type { ColumnReader } from './column-reader.ts';
import { type IdRange, intersectRanges } from './id-ranges.ts';
import type { OrderedColumn } from './ordered-column.ts';
import {
  alternativesOf,
  type FilteredColumn,
  isDeleted,
  isNotDeleted,
  matchingRows,
  type RowFilter,
  type RowRange,
  textAfter,
} from './row-filter.ts';
import type { RowQuery } from './row-query.ts';

export interface SegmentRows {
  readonly segment: Segment;
  readonly count: number;
  /** Absent when the page has no row of the segment. */
  readonly rows?: Uint32Array | undefined;
  readonly columns?: readonly OrderedColumn[] | undefined;
}

const idsOfSegment = (ids: readonly IdRange[], { first, last }: Segment): IdRange[] =>
  intersectRanges(ids, [{ from: first, to: textAfter(last) }]);

/** Returns how much of a segment is in a set of ids. Without a set, it is all of it. */
export function coverageOf(ids: readonly IdRange[] | undefined, segment: Segment): 'none' | 'part' | 'all' {
  if (!ids) return 'all';
  const [range, ...more] = idsOfSegment(ids, segment);
  if (!range) return 'none';
  const isWhole = more.length === 0 && range.from <= segment.first && range.to > segment.last;
  return isWhole ? 'all' : 'part';
}

async function rowRanges(
  columnReader: ColumnReader,
  segment: Segment,
  ids: readonly IdRange[] | undefined,
): Promise<RowRange[]> {
  if (!ids || coverageOf(ids, segment) === 'all') return [{ from: 0, to: segment.rows }];
  const own = idsOfSegment(ids, segment);
  await columnReader.loadFences([segment]);
  const fence = columnReader.fence(segment);
  const chunks = own.flatMap(({ from, to }) => [chunkOfBoundary(fence, from), chunkOfBoundary(fence, to)]);
  await columnReader.loadIds([...new Set(chunks)].map((chunk) => ({ segment, chunk })));
  const rowOf = (boundary: string): number => {
    const chunk = chunkOfBoundary(fence, boundary);
    return chunk * chunkRows + positionOfBoundary(columnReader.ids(segment, chunk), boundary);
  };
  return own.map(({ from, to }) => ({ from: rowOf(from), to: rowOf(to) }));
}

/** Returns the number of rows of a segment that exist, or of those that are deleted. */
export const rowsOf = ({ rows, deleted }: Segment, { isOfDeleted }: Pick<RowQuery, 'isOfDeleted'>): number =>
  isOfDeleted ? countDeleted(deleted) : rows - countDeleted(deleted);

function filtersOf(segment: Segment, query: RowQuery): readonly RowFilter[] {
  const isOne = rowsOf(segment, query) === segment.rows;
  return isOne ? query.filters : [query.isOfDeleted ? isDeleted : isNotDeleted, ...query.filters];
}

/** Returns the rows of a segment that match. Its columns are in memory. */
function segmentRows(
  columnReader: ColumnReader,
  segment: Segment,
  ranges: readonly RowRange[],
  query: RowQuery,
): SegmentRows {
  const known: Uint32Array[] = [];
  const filtered: FilteredColumn[] = [];
  for (const filter of filtersOf(segment, query)) {
    const rows = columnReader.rowsOfFilter(segment, filter);
    if (rows) known.push(rows);
    else filtered.push(columnReader.filteredColumn(segment, filter));
  }
  const rows = matchingRows(filtered, ranges, known);
  const columns = query.orders.map((order) => columnReader.orderedColumn(segment, order));
  return { segment, count: rows.length, rows, columns };
}

export const noRows = new Uint32Array(0);

export const fieldsOf = ({ filters, orders, countBy, sumBy }: RowQuery): string[] =>
  [...filters.flatMap(alternativesOf), ...orders, ...countBy, ...sumBy].map(({ field }) => field);

/** Reads what the filters, orders and counts of a query need. @returns the ranges of rows with the ids of the query, of segments that have such rows. */
export async function loadSegments(
  columnReader: ColumnReader,
  segments: readonly Segment[],
  query: RowQuery,
) {
  const covered = segments.filter(
    (segment) => coverageOf(query.ids, segment) !== 'none' && rowsOf(segment, query) > 0,
  );
  const filtered = covered.map((segment) => ({ segment, filters: filtersOf(segment, query) }));
  const fields = [...query.orders, ...query.countBy, ...query.sumBy];
  const [ranges] = await Promise.all([
    Promise.all(covered.map((segment) => rowRanges(columnReader, segment, query.ids))),
    columnReader.loadFilters(filtered, fields),
  ]);
  return new Map(covered.map((segment, position) => [segment, ranges[position]]));
}

export async function readSegments(
  columnReader: ColumnReader,
  segments: readonly Segment[],
  query: RowQuery,
): Promise<SegmentRows[]> {
  const rangesOf = await loadSegments(columnReader, segments, query);
  return segments.map((segment) => {
    const own = rangesOf.get(segment);
    if (!own) return { segment, count: 0, rows: noRows };
    columnReader.requireTime();
    return segmentRows(columnReader, segment, own, query);
  });
}
