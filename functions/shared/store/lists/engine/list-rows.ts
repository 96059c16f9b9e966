/** Lists of rows: any filters, any order and any page, with the exact total. */
import type { ColumnCache } from './column-cache.ts';
import { chunkOf, chunkOfRow, chunkRows, positionOfId } from './ids.ts';
import { type Segment, versionField } from './manifest.ts';
import { locatePage, type PagePlace, totalOf, windowOf } from './page-place.ts';
import { type PageRow, type SegmentRows, selectRows } from './page-rows.ts';
import { type LogState, readState } from './read-state.ts';
import { type RowDelta, tailDeltas } from './row-delta.ts';
import { isNotDeleted, matchingRows, type RowRange } from './row-filter.ts';
import type { IdRange, RowQuery } from './row-query.ts';
import { readUntilCurrent, Snapshot, StaleRead } from './snapshot.ts';
import { SortedColumn } from './sort-key.ts';
import type { LogReader } from './storage.ts';

/** A row of a page. */
export interface ListedRow {
  readonly id: string;
  /** The entity's version at the moment of the list. */
  readonly version: number;
}

export interface RowPage {
  readonly rows: readonly ListedRow[];
  readonly total: number;
}

/** What a list reads with. */
export interface ListSource {
  readonly reader: LogReader;
  readonly cache: ColumnCache;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Returns the rows of a segment whose ids are in a range. */
async function rowRange(snapshot: Snapshot, segment: Segment, ids: IdRange | undefined): Promise<RowRange> {
  const all = { from: 0, to: segment.rows };
  if (!ids || (segment.first >= ids.from && segment.last < ids.to)) return all;
  if (segment.last < ids.from || segment.first >= ids.to) return { from: 0, to: 0 };
  await snapshot.loadFences([segment]);
  const fence = snapshot.fence(segment);
  const positionOf = async (id: string): Promise<number> => {
    const chunk = chunkOf(fence, id);
    await snapshot.loadIds([{ segment, chunk }]);
    return chunk * chunkRows + positionOfId(snapshot.ids(segment, chunk), id);
  };
  const [from, to] = await Promise.all([positionOf(ids.from), positionOf(ids.to)]);
  return { from, to };
}

/** Returns the rows of a segment that match. Their columns are in memory. */
async function segmentRows(snapshot: Snapshot, segment: Segment, query: RowQuery): Promise<SegmentRows> {
  const { filters, order, ids } = query;
  const all = segment.deleted > 0 ? [isNotDeleted(versionField), ...filters] : filters;
  const columns = all.map(({ field }) => snapshot.column(segment, field));
  const rows = matchingRows(all, columns, await rowRange(snapshot, segment, ids));
  const sorted = order && new SortedColumn(snapshot.column(segment, order.field), order, rows);
  return { segment, count: rows.length, rows, sorted };
}

/** Reads the columns of segments, and returns their rows that match. */
async function readSegments(
  { reader }: ListSource,
  snapshot: Snapshot,
  segments: readonly Segment[],
  query: RowQuery,
): Promise<SegmentRows[]> {
  const withDeleted = segments.filter(({ deleted }) => deleted > 0);
  await Promise.all([
    snapshot.loadColumns(fieldsOf(query), segments),
    snapshot.loadColumns([versionField], withDeleted),
  ]);
  const read: SegmentRows[] = [];
  for (const segment of segments) {
    reader.requireTime();
    read.push(await segmentRows(snapshot, segment, query));
  }
  return read;
}

/** Returns the ids and versions of rows. */
async function listedRows(
  snapshot: Snapshot,
  tail: LogState['tail'],
  rows: readonly PageRow[],
): Promise<ListedRow[]> {
  const chunks = rows.flatMap((one) =>
    'row' in one ? [{ segment: one.segment, chunk: chunkOfRow(one.row) }] : [],
  );
  await Promise.all([
    snapshot.loadIds(chunks),
    snapshot.loadColumns([versionField], [...new Set(chunks.map(({ segment }) => segment))]),
  ]);
  return rows.map((one) => {
    const id = 'row' in one ? snapshot.idOf(one.segment, one.row) : one.id;
    const recent = tail.get(id);
    if (recent) return { id, version: recent.to };
    if (!('row' in one)) throw new StaleRead(`the row ${id} is in no record`);
    const { dictionary, ordinals } = snapshot.column(one.segment, versionField);
    return { id, version: Number(dictionary.at(ordinals[one.row] as number)) };
  });
}

/** Returns the fields that a list needs of all rows. */
const fieldsOf = ({ filters, order }: RowQuery): string[] => [
  ...new Set([...filters.map(({ field }) => field), ...(order ? [order.field] : [])]),
];

/** Returns the rows of all segments that match; of segments that are not on the page, only their number, if it is known. */
async function matchingSegments(
  source: ListSource,
  snapshot: Snapshot,
  deltas: readonly RowDelta[],
  query: RowQuery,
): Promise<SegmentRows[]> {
  const { segments } = snapshot.manifest;
  const place = await locatePage(snapshot, deltas, query);
  if (!place) return readSegments(source, snapshot, segments, query);
  const read = await readSegments(source, snapshot, place.segments, query);
  const bySegment = new Map(read.map((rows) => [rows.segment, rows]));
  return segments.map(
    (segment, position) => bySegment.get(segment) ?? { segment, count: place.counts[position] as number },
  );
}

/**
 * Returns one page of the rows that match, and the exact total, as of a state of the log.
 * @throws StaleRead when the state has been replaced meanwhile.
 */
export async function readRows(source: ListSource, state: LogState, query: RowQuery): Promise<RowPage> {
  const snapshot = new Snapshot(state.manifest, source.reader, source.cache);
  const deltas = tailDeltas(state, query);
  const segments = await matchingSegments(source, snapshot, deltas, query);
  const total = totalOf(
    segments.map(({ count }) => count),
    deltas,
  );
  const { from, to } = windowOf(query, total);
  const page = await selectRows(
    snapshot,
    { segments, deltas, isSorted: query.order !== undefined },
    from,
    to,
  );
  if (query.isDescending) page.reverse();
  return { rows: await listedRows(snapshot, state.tail, page), total };
}

/**
 * Returns the place of a page, as of a state of the log; `undefined` when only the columns of all segments tell it.
 * @throws StaleRead when the state has been replaced meanwhile.
 */
export const readPagePlace = (
  source: ListSource,
  state: LogState,
  query: RowQuery,
): Promise<PagePlace | undefined> =>
  locatePage(new Snapshot(state.manifest, source.reader, source.cache), tailDeltas(state, query), query);

/**
 * Returns one page of the rows that match, and the exact total: all as of one moment after the call.
 * @throws StaleRead when the log changes so often that no attempt succeeds.
 */
export const listRows = (source: ListSource, query: RowQuery): Promise<RowPage> =>
  readUntilCurrent(async () => {
    const state = await readState(source.reader, source.cache, source.nowMs);
    return readRows(source, state, query);
  });
