/** Lists of rows: any filters, any order and any page, with the exact total. */
import type { Row } from '../../model/row.ts';
import type { ColumnCache } from './column-cache.ts';
import { chunkOf, chunkOfRow, chunkRows, positionOfId } from './ids.ts';
import { type Manifest, type Segment, segmentOf, versionField } from './manifest.ts';
import { type PageRow, type RowDelta, type SegmentRows, selectRows } from './page-rows.ts';
import { type LogState, readState } from './read-state.ts';
import type { RowChange } from './row-change.ts';
import { isNotDeleted, matchesRow, matchingRows, type RowFilter, type RowRange } from './row-filter.ts';
import { readUntilCurrent, Snapshot, StaleRead } from './snapshot.ts';
import { compareSortKeys, SortedColumn, type SortOrder, toSortKey } from './sort-key.ts';
import type { LogReader } from './storage.ts';

/** Ids from one on, up to, but without, another. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

export interface RowQuery {
  readonly filters: readonly RowFilter[];
  readonly ids?: IdRange | undefined;
  /** Without it, the order is that of creation. */
  readonly order?: SortOrder | undefined;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
}

/** A row of a page. */
export interface ListedRow {
  readonly id: string;
  /** The entity's version at the moment of the list. */
  readonly version: number;
  /** Whether the row comes from the log: a replica of the table may not have it yet. */
  readonly isRecent: boolean;
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

const isInRange = (range: IdRange | undefined, id: string): boolean =>
  range === undefined || (id >= range.from && id < range.to);

/** Returns what the tail adds to the rows of the columns, and removes from them. */
function tailDeltas({ manifest, tail }: LogState, { filters, ids, order }: RowQuery): RowDelta[] {
  const { segments } = manifest;
  const last = segments.at(-1)?.last ?? '';
  const keyOf = (row: Row) => (order ? toSortKey(order, row[order.field]) : null);
  const deltas: RowDelta[] = [];
  const add = ({ id }: RowChange, row: Row | undefined, count: 1 | -1): void => {
    if (!row || !isInRange(ids, id) || !matchesRow(filters, row)) return;
    deltas.push({
      id,
      key: keyOf(row),
      count,
      segment: id > last ? segments.length : segmentOf(manifest, id),
    });
  };
  for (const change of tail.values()) {
    add(change, change.before, -1);
    add(change, change.after, 1);
  }
  return withoutUnmoved(deltas);
}

/** Leaves out rows that are removed and added at the same place: their chunk of ids need not be read. */
function withoutUnmoved(deltas: readonly RowDelta[]): RowDelta[] {
  const kept: RowDelta[] = [];
  for (const delta of deltas) {
    const previous = kept.at(-1);
    const isUnmoved = previous?.id === delta.id && compareSortKeys(previous.key, delta.key) === 0;
    if (isUnmoved) kept.pop();
    else kept.push(delta);
  }
  return kept;
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

async function segmentRows(snapshot: Snapshot, segment: Segment, query: RowQuery): Promise<SegmentRows> {
  const { filters, order, ids } = query;
  const all = segment.deleted > 0 ? [isNotDeleted(versionField), ...filters] : filters;
  const columns = all.map(({ field }) => snapshot.column(segment, field));
  const rows = matchingRows(all, columns, await rowRange(snapshot, segment, ids));
  const sorted = order && new SortedColumn(snapshot.column(segment, order.field), order, rows);
  return { segment, rows, sorted };
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
    if (recent) return { id, version: recent.to, isRecent: true };
    if (!('row' in one)) throw new StaleRead(`the row ${id} is in no record`);
    const { dictionary, ordinals } = snapshot.column(one.segment, versionField);
    return { id, version: Number(dictionary.at(ordinals[one.row] as number)), isRecent: false };
  });
}

/** Returns the window of a page, counted from the lowest row. */
function windowOf({ isDescending, skip, limit }: RowQuery, total: number): RowRange {
  const [from, to] = isDescending ? [total - skip - limit, total - skip] : [skip, skip + limit];
  return { from: Math.max(0, from), to: Math.max(0, Math.min(total, to)) };
}

/** Returns the fields that a list needs of all rows. */
const fieldsOf = ({ filters, order }: RowQuery): string[] => [
  ...new Set([...filters.map(({ field }) => field), ...(order ? [order.field] : [])]),
];

async function readRows(
  source: ListSource,
  manifest: Manifest,
  state: LogState,
  query: RowQuery,
): Promise<RowPage> {
  const snapshot = new Snapshot(manifest, source.reader, source.cache);
  const withDeleted = manifest.segments.filter(({ deleted }) => deleted > 0);
  await Promise.all([
    snapshot.loadColumns(fieldsOf(query)),
    snapshot.loadColumns([versionField], withDeleted),
  ]);
  const segments: SegmentRows[] = [];
  for (const segment of manifest.segments) {
    source.reader.requireTime();
    segments.push(await segmentRows(snapshot, segment, query));
  }
  const deltas = tailDeltas(state, query);
  const inColumns = segments.reduce((sum, { rows }) => sum + rows.length, 0);
  const total = deltas.reduce((sum, { count }) => sum + count, inColumns);
  const { from, to } = windowOf(query, total);
  const isSorted = query.order !== undefined;
  const page = await selectRows(snapshot, { segments, deltas, isSorted }, from, to);
  if (query.isDescending) page.reverse();
  return { rows: await listedRows(snapshot, state.tail, page), total };
}

/**
 * Returns one page of the rows that match, and the exact total: all as of one moment after the call.
 * @throws StaleRead when the log changes so often that no attempt succeeds.
 */
export const listRows = (source: ListSource, query: RowQuery): Promise<RowPage> =>
  readUntilCurrent(async () => {
    const state = await readState(source.reader, source.cache, source.nowMs);
    return readRows(source, state.manifest, state, query);
  });
