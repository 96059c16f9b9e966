import { rowOfDeletion } from '../../model/deletion.ts';
import { isKept } from '../format/deleted-rows.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { isDeletedVersion, type Segment, storedFields, versionField } from '../format/manifest.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import { joinBlocks, pickRows, type RowBlock } from './row-block.ts';

/** Returns the rows of a segment whose columns and ids are in memory, without those of deletions that have expired. */
function rowsOfOne(columnReader: ColumnReader, segment: Segment, nowMs: number): RowBlock {
  const columns = new Map<string, ColumnValue[]>();
  for (const field of storedFields(segment)) {
    columnReader.requireTime();
    columns.set(field, columnReader.values(segment, field));
  }
  const versions = columns.get(versionField) ?? [];
  const deletedAt = columns.get(rowOfDeletion.deletedAt) ?? [];
  const kept: number[] = [];
  for (const [row, version] of versions.entries())
    if (!isDeletedVersion(version) || isKept(deletedAt[row], nowMs)) kept.push(row);
  const ids = Array.from({ length: segment.rows }, (_, row) => columnReader.idOf(segment, row));
  return kept.length === ids.length ? { ids, columns } : pickRows({ ids, columns }, kept);
}

/** Reads the rows of segments that are kept. */
export async function readRows(
  columnReader: ColumnReader,
  segments: readonly Segment[],
  nowMs: number,
): Promise<RowBlock> {
  const fields = [...new Set(segments.flatMap(storedFields))];
  await Promise.all([columnReader.loadColumns(fields, segments), columnReader.loadAllIds(segments)]);
  return joinBlocks(segments.map((segment) => rowsOfOne(columnReader, segment, nowMs)));
}
