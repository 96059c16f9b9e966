/** All rows of a log, for audits. */
import type { Row, Value } from '../../model/row.ts';
import { valueAt } from './column.ts';
import type { ListSource } from './list-rows.ts';
import { deletedVersion, type Segment, versionField } from './manifest.ts';
import { readState } from './read-state.ts';
import { Snapshot } from './snapshot.ts';

/** A row as the columns and the log have it. */
export interface KnownRow {
  readonly version: number;
  readonly row: Row;
}

/** Returns the rows of a segment that are not deleted, by id. */
async function segmentRows(snapshot: Snapshot, segment: Segment): Promise<Map<string, KnownRow>> {
  const fields = Object.keys(segment.columns).filter((field) => field !== versionField);
  await Promise.all([
    snapshot.loadColumns([versionField, ...fields], [segment]),
    snapshot.loadAllIds([segment]),
  ]);
  const versions = snapshot.column(segment, versionField);
  const columns = fields.map((field) => [field, snapshot.column(segment, field)] as const);
  const rows = new Map<string, KnownRow>();
  for (let row = 0; row < segment.rows; row += 1) {
    const version = valueAt(versions, row);
    if (version === deletedVersion) continue;
    const values: Record<string, Value> = {};
    for (const [field, column] of columns) {
      const value = valueAt(column, row);
      if (value !== undefined) values[field] = value;
    }
    rows.set(snapshot.idOf(segment, row), { version: Number(version), row: values });
  }
  return rows;
}

/** Returns all rows of a log by id, as of one moment. @throws StaleRead when the log changes meanwhile. */
export async function readAllRows({ reader, cache, nowMs }: ListSource): Promise<Map<string, KnownRow>> {
  const { manifest, tail } = await readState(reader, cache, nowMs);
  const snapshot = new Snapshot(manifest, reader, cache);
  const rows = new Map<string, KnownRow>();
  for (const segment of manifest.segments) {
    for (const [id, row] of await segmentRows(snapshot, segment)) rows.set(id, row);
  }
  for (const { id, to, after } of tail.values()) {
    if (after) rows.set(id, { version: to, row: after });
    else rows.delete(id);
  }
  return rows;
}
