/** Lists of rows: any filters, any order and any page, with the exact total. */
import type { ColumnCache } from './column-cache.ts';
import { orderTies } from './creation-ties.ts';
import { chunkOfRow } from './ids.ts';
import { locatePage, type PagePlace, totalOf } from './locate-page.ts';
import { versionField } from './manifest.ts';
import { type PageRow, selectRows } from './page-rows.ts';
import { type LogState, readState } from './read-state.ts';
import { type MatchingChange, matchingChanges, type RowDelta, toDeltas } from './row-delta.ts';
import type { RowQuery } from './row-query.ts';
import { readSegments, type SegmentRows } from './segment-rows.ts';
import { Snapshot } from './snapshot.ts';
import { readUntilCurrent, StaleRead } from './stale-read.ts';
import type { LogReader } from './storage.ts';
import { type Counts, countFields } from './value-counts.ts';

/** A row of a page. */
export interface ListedRow {
  readonly id: string;
  /** The entity's version at the moment of the list. */
  readonly version: number;
}

export interface RowPage {
  readonly rows: readonly ListedRow[];
  readonly total: number;
  readonly counts: Counts;
}

/** What a list reads with. */
export interface ListSource {
  readonly reader: LogReader;
  readonly cache: ColumnCache;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
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

/** Returns the rows of all segments that match; of segments that are not on the page, only their number, if it is known. */
async function matchingSegments(
  { reader }: ListSource,
  snapshot: Snapshot,
  deltas: readonly RowDelta[],
  query: RowQuery,
): Promise<SegmentRows[]> {
  const { segments } = snapshot.manifest;
  const place = await locatePage(reader, snapshot, deltas, query);
  if (!place) return readSegments(reader, snapshot, segments, query);
  const read = await readSegments(reader, snapshot, place.segments, query);
  const bySegment = new Map(read.map((rows) => [rows.segment, rows]));
  return segments.map(
    (segment, position) => bySegment.get(segment) ?? { segment, count: place.counts[position] as number },
  );
}

/** Returns the counts of values over the rows of all segments, with the changes of the tail. */
function countValues(
  { reader }: ListSource,
  snapshot: Snapshot,
  segments: readonly SegmentRows[],
  { changes, countBy }: { readonly changes: readonly MatchingChange[] } & Pick<RowQuery, 'countBy'>,
): Counts {
  return countFields(countBy, (counter, field) => {
    for (const { segment, rows, count } of segments) {
      if (!rows || count === 0) continue;
      reader.requireTime();
      counter.addRows(snapshot.column(segment, field), rows);
    }
    for (const { row, count } of changes) counter.add(row[field], count);
  });
}

/** Returns one page of the rows that match, with ties in the order of ids. */
async function readByOrders(source: ListSource, state: LogState, query: RowQuery): Promise<RowPage> {
  const snapshot = new Snapshot(state.manifest, source.reader, source.cache);
  const changes = matchingChanges(state, query);
  const deltas = toDeltas(state.manifest, changes, query);
  const segments = await matchingSegments(source, snapshot, deltas, query);
  const total = totalOf(
    segments.map(({ count }) => count),
    deltas,
  );
  const counts = countValues(source, snapshot, segments, { changes, countBy: query.countBy });
  const page = await selectRows(snapshot, { segments, deltas, total }, query);
  return { rows: await listedRows(snapshot, state.tail, page), total, counts };
}

/**
 * Returns one page of the rows that match, the exact total, and the counts of values, as of a state of the log.
 * @throws StaleRead when the state has been replaced meanwhile.
 */
export async function readRows(source: ListSource, state: LogState, query: RowQuery): Promise<RowPage> {
  const page = await readByOrders(source, state, query);
  if (!query.ties) return page;
  const rows = await orderTies(query, page.rows, (part) => readByOrders(source, state, part));
  return { ...page, rows };
}

/**
 * Returns the place of a page, as of a state of the log; `undefined` when only the columns of all segments tell it.
 * @throws StaleRead when the state has been replaced meanwhile.
 */
export function readPagePlace(
  { reader, cache }: ListSource,
  state: LogState,
  query: RowQuery,
): Promise<PagePlace | undefined> {
  const deltas = toDeltas(state.manifest, matchingChanges(state, query), query);
  return locatePage(reader, new Snapshot(state.manifest, reader, cache), deltas, query);
}

/**
 * Returns one page of the rows that match, the exact total, and the counts of values: all as of one moment after the call.
 * @throws StaleRead when the log changes so often that no attempt succeeds.
 */
export const listRows = (source: ListSource, query: RowQuery): Promise<RowPage> =>
  readUntilCurrent(async () => {
    const state = await readState(source.reader, source.cache, source.nowMs);
    return readRows(source, state, query);
  });
