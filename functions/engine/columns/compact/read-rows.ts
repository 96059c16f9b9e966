/** Reads the rows of segments that are written again. */

import { columnValues } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { isDeletedVersion, type Segment, storedFields, versionField } from '../format/manifest.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import { joinBlocks, pickRows, type RowBlock } from './row-block.ts';

/** Returns the live rows of a segment whose columns and ids are in memory. */
function rowsOfOne(columnReader: ColumnReader, segment: Segment, requireTime: () => void): RowBlock {
  const columns = new Map<string, ColumnValue[]>();
  for (const field of storedFields(segment)) {
    requireTime();
    columns.set(field, columnValues(columnReader.column(segment, field)));
  }
  const versions = columns.get(versionField) ?? [];
  const live: number[] = [];
  for (const [row, version] of versions.entries()) if (!isDeletedVersion(version)) live.push(row);
  const ids = Array.from({ length: segment.rows }, (_, row) => columnReader.idOf(segment, row));
  return live.length === ids.length ? { ids, columns } : pickRows({ ids, columns }, live);
}

/** Reads the live rows of segments. */
export async function readRows(
  columnReader: ColumnReader,
  segments: readonly Segment[],
  requireTime: () => void,
): Promise<RowBlock> {
  const fields = [...new Set(segments.flatMap(storedFields))];
  await Promise.all([columnReader.loadColumns(fields, segments), columnReader.loadAllIds(segments)]);
  return joinBlocks(segments.map((segment) => rowsOfOne(columnReader, segment, requireTime)));
}
