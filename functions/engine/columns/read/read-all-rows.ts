/** All that a log has, for audits. */
import { deletedAtOf, deletionOfRow, existingRow, isExpired } from '../../model/deletion.ts';
import type { Row, Value } from '../../model/row.ts';
import { rowWords, wordsField } from '../../model/words.ts';
import { isDeletedVersion, type Segment, storedFields, versionField, versionOf } from '../format/manifest.ts';
import { mergeRecords } from '../merge-records.ts';
import { ColumnReader } from './column-reader.ts';
import { rowsOf } from './match-rows.ts';
import { type ListSource, readState } from './read-state.ts';

/** A row as the columns and the log have it, with its words. */
export interface KnownRow {
  readonly version: number;
  readonly row: Row;
}

/** Calls a function for each row of a segment of which something is left. */
async function visitSegment(
  columnReader: ColumnReader,
  segment: Segment,
  visit: (id: string, known: KnownRow) => void,
): Promise<void> {
  const fields = storedFields(segment).filter((field) => field !== versionField);
  await Promise.all([
    columnReader.loadColumns([versionField, ...fields], [segment]),
    columnReader.loadAllIds([segment]),
  ]);
  const versions = columnReader.values(segment, versionField);
  const columns = fields.map((field) => [field, columnReader.values(segment, field)] as const);
  for (const [row, version] of versions.entries()) {
    const shown: Record<string, Value> = {};
    for (const [field, { [row]: value }] of columns) if (value !== undefined) shown[field] = value;
    if (isDeletedVersion(version) && deletedAtOf(shown) === null) continue;
    visit(columnReader.idOf(segment, row), { version: versionOf(version), row: shown });
  }
}

export interface RowCounts {
  readonly rows: number;
  /** The total of a list without filters, which the manifest tells. */
  readonly total: number;
}

/**
 * Calls a function for each row of a log, those of deleted entities included, one segment after the other: it needs the memory of one segment, and of the pending changes.
 * @param nowMs milliseconds since 1970: rows of deletions that have expired are left out.
 * @throws StaleRead when a part of the log is missing. Then some rows were visited.
 */
export async function visitRows(
  { reader, memory }: ListSource,
  nowMs: number,
  visit: (id: string, known: KnownRow) => void,
): Promise<RowCounts> {
  const { manifest, records } = await readState({ reader, memory });
  const changes = mergeRecords(records, await new ColumnReader(manifest, reader, memory).readWaiting(false));
  let rows = 0;
  let total = 0;
  const visitRow = (id: string, { version, row }: KnownRow): void => {
    const existing = existingRow(row);
    rows += Number(existing !== undefined);
    const deletion = deletionOfRow('', id, row);
    if (!deletion || !isExpired(deletion, nowMs)) visit(id, { version, row: existing ?? row });
  };
  const visitUnlessChanged = (id: string, known: KnownRow): void => {
    if (!changes.has(id)) visitRow(id, known);
  };
  for (const segment of manifest.segments) {
    total += rowsOf(segment, {});
    // A reader keeps all that it has read.
    await visitSegment(new ColumnReader(manifest, reader, memory), segment, visitUnlessChanged);
  }
  for (const { id, to, before, after } of changes.values()) {
    total += Number(existingRow(after) !== undefined) - Number(existingRow(before) !== undefined);
    if (after) visitRow(id, { version: to, row: { ...after, [wordsField]: rowWords(after) ?? null } });
  }
  return { rows, total };
}
