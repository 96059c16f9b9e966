/** Lists of rows: any filters, any order and any page, with the exact total. */
import { chunkOfRow } from './ids.ts';
import { readPageSegments, totalOf } from './locate-page.ts';
import { versionField } from './manifest.ts';
import { type PageRow, selectRows } from './page-rows.ts';
import type { LogMemory } from './process-memory.ts';
import type { LogState } from './read-state.ts';
import { type MatchingChange, matchingChanges, toDeltas } from './row-delta.ts';
import type { RowQuery } from './row-query.ts';
import { readSegments, type SegmentRows } from './segment-rows.ts';
import { Snapshot } from './snapshot.ts';
import { StaleRead } from './stale-read.ts';
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
  readonly memory: LogMemory;
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

/**
 * Returns one page of the rows that match, the exact total, and the counts of values, as of a state of the log.
 * @throws StaleRead when the state has been replaced meanwhile.
 */
export async function listRows(source: ListSource, state: LogState, query: RowQuery): Promise<RowPage> {
  const { reader, memory } = source;
  const { filters, orders, countBy } = query;
  const snapshot = new Snapshot(state.manifest, reader, memory);
  const changes = matchingChanges(state, query);
  const deltas = toDeltas(state.manifest, changes, query);
  const needsColumns = filters.length + orders.length + countBy.length > 0;
  const segments = needsColumns
    ? await readSegments(reader, snapshot, state.manifest.segments, query)
    : await readPageSegments(reader, snapshot, deltas, query);
  const total = totalOf(
    segments.map(({ count }) => count),
    deltas,
  );
  const counts = countValues(source, snapshot, segments, { changes, countBy });
  const page = await selectRows(snapshot, { segments, deltas, total }, query);
  return { rows: await listedRows(snapshot, state.tail, page), total, counts };
}
