/** All that a log has, for audits. */
import type { Row } from '../../model/row.ts';
import { withoutWords } from '../../model/words.ts';
import { valueAt } from '../format/column.ts';
import { entityFields, isDeletedVersion, type Segment, versionField } from '../format/manifest.ts';
import { mergeRecords } from '../merge-records.ts';
import { ColumnReader } from './column-reader.ts';
import { type ListSource, readState } from './read-state.ts';
import { shownRow } from './shown-rows.ts';

/** A row as the columns and the log have it. */
export interface KnownRow {
  readonly version: number;
  readonly row: Row;
}

/** Calls a function for each row of a segment that is not deleted. */
async function visitSegment(
  columnReader: ColumnReader,
  segment: Segment,
  visit: (id: string, known: KnownRow) => void,
): Promise<void> {
  const fields = entityFields(segment);
  await Promise.all([
    columnReader.loadColumns([versionField, ...fields], [segment]),
    columnReader.loadAllIds([segment]),
  ]);
  const versions = columnReader.column(segment, versionField);
  for (let row = 0; row < segment.rows; row += 1) {
    const version = valueAt(versions, row);
    if (isDeletedVersion(version)) continue;
    const known = { version: Number(version), row: shownRow(columnReader, segment, fields, row) };
    visit(columnReader.idOf(segment, row), known);
  }
}

/** Numbers of rows of a log, as of one moment. */
export interface RowCounts {
  /** Rows that it has. */
  readonly rows: number;
  /** The total of a list without filters, which the manifest tells. */
  readonly total: number;
}

/**
 * Calls a function for each row of a log, one segment after the other: it needs the memory of one segment, and of the pending changes.
 * @throws StaleRead when a part of the log is missing. Then some rows were visited.
 */
export async function visitRows(
  { reader, memory }: ListSource,
  visit: (id: string, known: KnownRow) => void,
): Promise<RowCounts> {
  const { manifest, records } = await readState({ reader, memory });
  const changes = mergeRecords(records, await new ColumnReader(manifest, reader, memory).readWaiting(false));
  let rows = 0;
  let total = 0;
  const visitRow = (id: string, known: KnownRow): void => {
    rows += 1;
    visit(id, known);
  };
  const visitUnlessChanged = (id: string, known: KnownRow): void => {
    if (!changes.has(id)) visitRow(id, known);
  };
  for (const segment of manifest.segments) {
    total += segment.rows - segment.deleted;
    // A reader keeps all that it has read.
    await visitSegment(new ColumnReader(manifest, reader, memory), segment, visitUnlessChanged);
  }
  for (const { id, to, before, after } of changes.values()) {
    total += Number(after !== undefined) - Number(before !== undefined);
    if (after) visitRow(id, { version: to, row: withoutWords(after) });
  }
  return { rows, total };
}
