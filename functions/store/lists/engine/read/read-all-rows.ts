/** All that a log has, for audits. */
import type { Row, Value } from '../../../model/row.ts';
import { valueAt } from '../format/column.ts';
import { isDeletedVersion, type Segment, storedFields, versionField } from '../format/manifest.ts';
import { ColumnReader } from './column-reader.ts';
import type { ListSource } from './read-state.ts';
import { readState, requireSettled } from './read-state.ts';

/** A row as the columns and the log have it. */
export interface KnownRow {
  readonly version: number;
  readonly row: Row;
}

/** Returns the rows of a segment that are not deleted, by id. */
async function segmentRows(columnReader: ColumnReader, segment: Segment): Promise<Map<string, KnownRow>> {
  const fields = storedFields(segment).filter((field) => field !== versionField);
  await Promise.all([
    columnReader.loadColumns([versionField, ...fields], [segment]),
    columnReader.loadAllIds([segment]),
  ]);
  const versions = columnReader.column(segment, versionField);
  const columns = fields.map((field) => [field, columnReader.column(segment, field)] as const);
  const rows = new Map<string, KnownRow>();
  for (let row = 0; row < segment.rows; row += 1) {
    const version = valueAt(versions, row);
    if (isDeletedVersion(version)) continue;
    const values: Record<string, Value> = {};
    for (const [field, column] of columns) {
      const value = valueAt(column, row);
      if (value !== undefined) values[field] = value;
    }
    rows.set(columnReader.idOf(segment, row), { version: Number(version), row: values });
  }
  return rows;
}

/** What a log has, as of one moment. */
export interface LogContents {
  readonly rows: ReadonlyMap<string, KnownRow>;
  /** The total of a list without filters, which the manifest tells. */
  readonly total: number;
}

/** Reads all of a log. @throws StaleRead when the log changes meanwhile. */
export async function readLogContents({ reader, memory, nowMs }: ListSource): Promise<LogContents> {
  const state = await readState({ reader, memory, nowMs });
  requireSettled(state, nowMs);
  const { manifest, pendingChanges } = state;
  const columnReader = new ColumnReader(manifest, reader, memory);
  const rows = new Map<string, KnownRow>();
  let total = 0;
  for (const segment of manifest.segments) {
    total += segment.rows - segment.deleted;
    for (const [id, known] of await segmentRows(columnReader, segment)) rows.set(id, known);
  }
  for (const { id, to, before, after } of pendingChanges.values()) {
    total += Number(after !== undefined) - Number(before !== undefined);
    if (after) rows.set(id, { version: to, row: after });
    else rows.delete(id);
  }
  return { rows, total };
}
