/** Lists of rows: any filters, any order and any page, with the exact total. */
import type { Page, Place } from '../../model/list-query.ts';
import { type Row, sortedText } from '../../model/row.ts';
import { valueAt } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { chunkOfRow } from '../format/ids.ts';
import { tellsTextItem, versionField, versionOf } from '../format/manifest.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import { ColumnReader } from './column-reader.ts';
import { type Totaled, totalRows } from './count-values.ts';
import { withErasedRows } from './erased-rows.ts';
import { fieldsOf, readSegments, type SegmentRows } from './match-rows.ts';
import { readPageSegments, totalOf } from './page-segments.ts';
import { type MatchingChange, matchingChanges, type RowDelta, toDeltas } from './pending-changes.ts';
import { rowsUpTo } from './place.ts';
import type { ListSource, LogState } from './read-state.ts';
import { isWordFilter } from './row-filter.ts';
import type { RowQuery } from './row-query.ts';
import { withSearchedWords } from './searched-changes.ts';
import { type PageRow, selectRows } from './select-page.ts';
import { fieldsToShow, shownRow } from './shown-rows.ts';
import { StaleRead } from './stale-read.ts';

interface ListedRow {
  readonly id: string;
  readonly version: number;
  /** The row as the page shows it; absent when its columns are not worth loading. */
  readonly row?: Row | undefined;
  /** Whether columns without the row tell that it has a long text in an item of its own. */
  readonly hasTextItem?: true | undefined;
}

export interface RowPage extends Totaled, Pick<Page, 'total' | 'skipped' | 'end'> {
  readonly rows: readonly ListedRow[];
}

/** What the columns do not have, by id: waiting rows, and pending changes. */
type Changes = ReadonlyMap<string, RowChange>;

async function listedRows(
  { memory }: ListSource,
  columnReader: ColumnReader,
  changes: Changes,
  { rows, shows }: { readonly rows: readonly PageRow[] } & Pick<RowQuery, 'shows'>,
): Promise<ListedRow[]> {
  const chunks = rows.flatMap((one) =>
    'row' in one ? [{ segment: one.segment, chunk: chunkOfRow(one.row) }] : [],
  );
  const segments = [...new Set(chunks.map(({ segment }) => segment))];
  const shown = shows && fieldsToShow(columnReader, memory, segments, shows);
  await Promise.all([
    columnReader.loadIds(chunks),
    ...segments.map((segment) =>
      columnReader.loadColumns([versionField, ...(shown?.get(segment) ?? [])], [segment]),
    ),
  ]);
  return rows.map((one) => {
    const id = 'row' in one ? columnReader.idOf(one.segment, one.row) : one.id;
    const recent = changes.get(id);
    if (recent) return { id, version: recent.to, row: shows && recent.after };
    if (!('row' in one)) throw new StaleRead(`the row ${id} is in no record`);
    const version = valueAt(columnReader.column(one.segment, versionField), one.row);
    const fields = shown?.get(one.segment);
    const row = fields && shownRow(columnReader, one.segment, fields, one.row);
    const hasTextItem = (!row && tellsTextItem(version)) || undefined;
    return { id, version: versionOf(version), row, hasTextItem };
  });
}

/** Returns the place behind a row of a page. The columns of the orders are in memory. */
function placeBehind(
  columnReader: ColumnReader,
  changes: Changes,
  { orders }: RowQuery,
  { row, id }: { readonly row: PageRow; readonly id: string },
): Place {
  const recent = changes.get(id)?.after;
  const storedValue = (field: string): ColumnValue =>
    recent || !('row' in row) ? recent?.[field] : valueAt(columnReader.column(row.segment, field), row.row);
  const values = orders.map(({ field, defaultValue = null }) => {
    const value = storedValue(field);
    const known = value === undefined ? defaultValue : value;
    return known === null ? null : sortedText(field, known);
  });
  return { values, id };
}

/** Returns the number of rows up to a place, that of the place included. */
async function countUpTo(
  source: ListSource,
  state: LogState,
  query: RowQuery,
  place: Place,
): Promise<number> {
  let count = 0;
  for (const part of rowsUpTo(query, place)) count += (await listRows(source, state, part)).total;
  return count;
}

/** Returns the counts of values and the sums of numbers over the rows of all segments, with the pending changes. */
function totalSegments(
  columnReader: ColumnReader,
  segments: readonly SegmentRows[],
  {
    changes,
    ...fields
  }: { readonly changes: readonly MatchingChange[] } & Pick<RowQuery, 'countBy' | 'sumBy'>,
): Totaled {
  return totalRows(fields, (totals) => {
    for (const { segment, rows, count } of segments) {
      if (!rows || count === 0) continue;
      columnReader.requireTime();
      totals.addRows(columnReader, segment, rows);
    }
    for (const { row, count } of changes) totals.addRow(row, count);
  });
}

/** Returns the rows of all segments that match; of segments that have no row of the page, perhaps only their number. */
function readMatching(
  columnReader: ColumnReader,
  deltas: readonly RowDelta[],
  query: RowQuery,
): Promise<SegmentRows[]> {
  return fieldsOf(query).length > 0
    ? readSegments(columnReader, columnReader.manifest.segments, query)
    : readPageSegments(columnReader, deltas, query);
}

/**
 * Returns one page of the rows that match, the exact total, and the counts of values, as of a state of the log.
 * @throws StaleRead when the state has been replaced meanwhile.
 */
export async function listRows(source: ListSource, state: LogState, query: RowQuery): Promise<RowPage> {
  const { reader, memory } = source;
  const { countBy, sumBy, after, limit } = query;
  const columnReader = new ColumnReader(state.manifest, reader, memory);
  const waiting = await columnReader.readWaiting(query.filters.some(isWordFilter));
  const merged = mergeRecords(state.records, waiting);
  const changes = await withSearchedWords(columnReader, merged, query.filters);
  const all = [...changes.values()];
  // What exists is not erased.
  const known = query.isOfDeleted ? await withErasedRows(columnReader, all, fieldsOf(query)) : all;
  const matching = matchingChanges(known, query);
  const deltas = toDeltas(state.manifest, matching, query);
  const skipped = after ? await countUpTo(source, state, query, after) : query.skip;
  const window = { ...query, skip: skipped };
  const segments = await readMatching(columnReader, deltas, window);
  const total = totalOf(
    segments.map(({ count }) => count),
    deltas,
  );
  const totaled = totalSegments(columnReader, segments, { changes: matching, countBy, sumBy });
  const page = await selectRows(columnReader, { segments, deltas, total }, window);
  const rows = await listedRows(source, columnReader, changes, { rows: page, shows: query.shows });
  const last = skipped + limit < total ? page.at(-1) : undefined;
  const id = rows.at(-1)?.id;
  const end =
    last && id !== undefined ? placeBehind(columnReader, changes, query, { row: last, id }) : undefined;
  return { rows, total, skipped, end, ...totaled };
}
