/** Lists of rows: any filters, any order and any page, with the exact total. */
import { chunkOfRow } from '../format/ids.ts';
import { versionField } from '../format/manifest.ts';
import { ColumnReader } from './column-reader.ts';
import { type Counts, countFields } from './count-values.ts';
import { readSegments, type SegmentRows } from './match-rows.ts';
import { readPageSegments, totalOf } from './page-segments.ts';
import { type MatchingChange, matchingChanges, toDeltas } from './pending-changes.ts';
import type { ListSource, LogState } from './read-state.ts';
import type { RowQuery } from './row-query.ts';
import { type PageRow, selectRows } from './select-page.ts';
import { StaleRead } from './stale-read.ts';

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

async function listedRows(
  columnReader: ColumnReader,
  pendingChanges: LogState['pendingChanges'],
  rows: readonly PageRow[],
): Promise<ListedRow[]> {
  const chunks = rows.flatMap((one) =>
    'row' in one ? [{ segment: one.segment, chunk: chunkOfRow(one.row) }] : [],
  );
  await Promise.all([
    columnReader.loadIds(chunks),
    columnReader.loadColumns([versionField], [...new Set(chunks.map(({ segment }) => segment))]),
  ]);
  return rows.map((one) => {
    const id = 'row' in one ? columnReader.idOf(one.segment, one.row) : one.id;
    const recent = pendingChanges.get(id);
    if (recent) return { id, version: recent.to };
    if (!('row' in one)) throw new StaleRead(`the row ${id} is in no record`);
    const { dictionary, ordinals } = columnReader.column(one.segment, versionField);
    return { id, version: Number(dictionary.at(ordinals[one.row] as number)) };
  });
}

/** Returns the counts of values over the rows of all segments, with the pending changes. */
function countValues(
  { reader }: ListSource,
  columnReader: ColumnReader,
  segments: readonly SegmentRows[],
  { changes, countBy }: { readonly changes: readonly MatchingChange[] } & Pick<RowQuery, 'countBy'>,
): Counts {
  return countFields(countBy, (counter, field) => {
    for (const { segment, rows, count } of segments) {
      if (!rows || count === 0) continue;
      reader.requireTime();
      counter.addRows(columnReader.column(segment, field), rows);
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
  const columnReader = new ColumnReader(state.manifest, reader, memory);
  const changes = matchingChanges(state, query);
  const deltas = toDeltas(state.manifest, changes, query);
  const needsColumns = filters.length + orders.length + countBy.length > 0;
  const segments = needsColumns
    ? await readSegments(reader, columnReader, state.manifest.segments, query)
    : await readPageSegments(reader, columnReader, deltas, query);
  const total = totalOf(
    segments.map(({ count }) => count),
    deltas,
  );
  const counts = countValues(source, columnReader, segments, { changes, countBy });
  const page = await selectRows(columnReader, { segments, deltas, total }, query);
  return { rows: await listedRows(columnReader, state.pendingChanges, page), total, counts };
}
