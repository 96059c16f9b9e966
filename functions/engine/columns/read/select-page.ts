/**
 * Page rows: which rows are on a page. Only the groups of rows that overlap the page are divided further: by each sort key, by segment,
 * by chunk of ids, and at last by id. Changes that the columns do not contain yet add rows to these groups or remove rows from them.
 */

import { groupBy } from '../../../runtime/group-by.ts';
import { firstPosition } from '../format/binary-search.ts';
import { chunkOf, chunkOfRow, chunkRows } from '../format/ids.ts';
import type { Segment } from '../format/manifest.ts';
import type { ColumnReader } from './column-reader.ts';
import {
  divideBySortKey,
  divideInDirection,
  type Group,
  type GroupPart,
  overlapping,
} from './divide-by-sort-key.ts';
import { noRows, type SegmentRows } from './match-rows.ts';
import type { OrderedColumn } from './ordered-column.ts';
import { type RowDelta, sumOf } from './pending-changes.ts';
import type { RowRange } from './row-filter.ts';
import type { RowQuery } from './row-query.ts';

export type PageRow = { readonly segment: Segment; readonly row: number } | { readonly id: string };

/** Rows of one segment, or added ones that are in no segment. */
interface SegmentGroup extends RowRange {
  readonly segment: Segment | undefined;
  readonly rows: Uint32Array;
  readonly deltas: readonly RowDelta[];
  readonly count: number;
}

interface Rows {
  readonly segments: readonly SegmentRows[];
  readonly deltas: readonly RowDelta[];
  readonly total: number;
}

function partOf({ segment, count, rows }: SegmentRows, position: number): GroupPart {
  const requireRows = (): Uint32Array => {
    if (!rows) throw new Error(`The rows of the segment ${segment.id} were not read.`);
    return rows;
  };
  return { segment: position, count, rows: requireRows };
}

function divideBySegment(
  segments: readonly SegmentRows[],
  { parts, deltas, ...window }: Group,
): SegmentGroup[] {
  const byPosition = new Map(parts.map((part) => [part.segment, part]));
  const deltasOf = groupBy(deltas, ({ segment }) => segment);
  const groups = [...new Set([...byPosition.keys(), ...deltasOf.keys()])]
    .sort((one, other) => one - other)
    .map((position) => {
      const part = byPosition.get(position);
      const own = deltasOf.get(position) ?? [];
      const segment = segments[position]?.segment;
      return { segment, part, deltas: own, count: (part?.count ?? 0) + sumOf(own) };
    });
  return overlapping(groups, window).map(({ part, ...group }) => ({
    ...group,
    rows: part?.rows() ?? noRows,
  }));
}

/** Returns the rows of each chunk. It looks at a few rows of each, because a segment has many more than a page. */
function divideRowsByChunk(rows: Uint32Array): Map<number, Uint32Array> {
  const parts = new Map<number, Uint32Array>();
  for (let from = 0; from < rows.length; ) {
    const chunk = chunkOfRow(rows[from] as number);
    const end = (chunk + 1) * chunkRows;
    const to = firstPosition(from, rows.length, (position) => (rows[position] as number) >= end);
    parts.set(chunk, rows.subarray(from, to));
    from = to;
  }
  return parts;
}

function divideByChunk(fence: Buffer, { rows, deltas, from, to, segment }: SegmentGroup): SegmentGroup[] {
  const byChunk = groupBy(deltas, ({ id }) => chunkOf(fence, id));
  const parts = divideRowsByChunk(rows);
  const chunks = [...new Set([...byChunk.keys(), ...parts.keys()])].sort((one, other) => one - other);
  const groups = chunks.map((chunk) => {
    const own = byChunk.get(chunk) ?? [];
    const part = parts.get(chunk) ?? noRows;
    return { segment, rows: part, deltas: own, count: part.length + sumOf(own) };
  });
  return overlapping(groups, { from, to });
}

/** A row of a group that is not divided any more. */
type OrderedRow = RowRange & { readonly count: 1; readonly pageRow: PageRow };

/** Divides a group without deltas, or one whose chunk of ids was read, into its rows. */
function divideById(
  columnReader: ColumnReader,
  { segment, rows, deltas, from, to }: SegmentGroup,
): OrderedRow[] {
  const toOrdered = (pageRow: PageRow): OrderedRow => ({ count: 1, from: 0, to: 1, pageRow });
  if (segment && deltas.length === 0)
    return Array.from(rows.subarray(from, to), (row) => toOrdered({ segment, row }));
  const removed = new Set(deltas.filter(({ count }) => count < 0).map(({ id }) => id));
  const found: { readonly id: string; readonly pageRow: PageRow }[] = deltas
    .filter(({ count }) => count > 0)
    .map(({ id }) => ({ id, pageRow: { id } }));
  for (const row of segment ? rows : noRows) {
    const id = columnReader.idOf(segment as Segment, row);
    if (!removed.has(id)) found.push({ id, pageRow: { segment: segment as Segment, row } });
  }
  return found
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(from, to)
    .map(({ pageRow }) => toOrdered(pageRow));
}

const needsIds = ({ rows, deltas, segment }: SegmentGroup): boolean =>
  segment !== undefined && rows.length > 0 && deltas.length > 0;

const segmentsOf = (groups: readonly SegmentGroup[]): Segment[] =>
  groups.flatMap((group) => (needsIds(group) ? [group.segment as Segment] : []));

export async function selectRows(
  columnReader: ColumnReader,
  { segments, deltas, total }: Rows,
  { orders, isDescending, skip, limit }: RowQuery,
): Promise<PageRow[]> {
  const to = Math.min(total, skip + limit);
  if (to <= skip) return [];
  const parts = segments.map(partOf).filter(({ count }) => count > 0);
  let groups: Group[] = [{ parts, deltas, count: total, from: skip, to }];
  for (const [level, order] of orders.entries()) {
    const columnOf = (position: number) => segments[position]?.columns?.[level] as OrderedColumn;
    groups = groups.flatMap((group) =>
      divideInDirection(group, order.isDescending, (one) => divideBySortKey(one, level, columnOf)),
    );
  }
  const bySegment = groups.flatMap((group) =>
    divideInDirection(group, isDescending, (one) => divideBySegment(segments, one)),
  );
  await columnReader.loadFences(segmentsOf(bySegment));
  const byChunk = bySegment.flatMap((group) =>
    needsIds(group)
      ? divideInDirection(group, isDescending, (one) =>
          divideByChunk(columnReader.fence(one.segment as Segment), one),
        )
      : [group],
  );
  await columnReader.loadIds(
    byChunk.filter(needsIds).map((group) => ({
      segment: group.segment as Segment,
      chunk: chunkOfRow(group.rows[0] as number),
    })),
  );
  return byChunk
    .flatMap((group) => divideInDirection(group, isDescending, (one) => divideById(columnReader, one)))
    .map(({ pageRow }) => pageRow);
}
