/** Rows that pending erasures remove. The record of an erasure does not have what it erases, so the columns tell what lists subtract. */
import { rowOfDeletion } from '../../model/deletion.ts';
import type { Segment } from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';
import type { ColumnReader } from './column-reader.ts';
import { loadPlaces, locateRow } from './locate-rows.ts';
import { shownRow } from './shown-rows.ts';

const isErasure = ({ from, before }: RowChange): boolean => from > 0 && before === undefined;

/**
 * Returns changes in which erasures have the rows before them, if the columns have these.
 * @param fields that these rows have besides the time of the deletion.
 */
export async function withErasedRows(
  columnReader: ColumnReader,
  changes: readonly RowChange[],
  fields: readonly string[] = [],
): Promise<readonly RowChange[]> {
  const erasures = changes.filter(isErasure);
  if (erasures.length === 0) return changes;
  await loadPlaces(columnReader, erasures);
  const { segments } = columnReader.manifest;
  const segmentOfRow = (id: string) => {
    const located = locateRow(columnReader, id);
    return located && { row: located.row, segment: segments[located.position] as Segment };
  };
  const needed = [rowOfDeletion.deletedAt, ...fields];
  const located = new Map(erasures.map(({ id }) => [id, segmentOfRow(id)]));
  const found = [...located.values()].flatMap((one) => one?.segment ?? []);
  await columnReader.loadColumns(needed, [...new Set(found)]);
  return changes.map((change) => {
    const place = located.get(change.id);
    return place ? { ...change, before: shownRow(columnReader, place.segment, needed, place.row) } : change;
  });
}
