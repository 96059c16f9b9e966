/** The parents of entities that are parents themselves: a cycle of a tree has no others. */
import { valueAt } from '../format/column.ts';
import { mergeRecords } from '../merge-records.ts';
import { ColumnReader } from './column-reader.ts';
import { loadPlaces, locateRow } from './locate-rows.ts';
import { type ListSource, readState } from './read-state.ts';

/**
 * Returns the parents of all entities that have a parent and are one, by id. It reads the column of the field, and the ids of parents.
 * @throws StaleRead when the log changes meanwhile.
 */
export async function readParents(source: ListSource, field: string) {
  const { manifest, records, progress } = await readState(source);
  const columnReader = new ColumnReader(manifest, source.reader, source.memory);
  const changes = mergeRecords(records, await columnReader.readWaiting(false));
  await columnReader.loadColumns([field]);
  const columns = manifest.segments.map((segment) => columnReader.column(segment, field));
  const changed = [...changes.values()].map(({ id, after }) => ({ id, parent: after?.[field] }));
  const parents = new Set(changed.flatMap(({ parent }) => parent ?? []));
  for (const { dictionary } of columns)
    for (let ordinal = dictionary.special.length; ordinal < dictionary.size; ordinal += 1)
      parents.add(dictionary.at(ordinal) as string);
  const unchanged = [...parents].filter((id) => !changes.has(id)).map((id) => ({ id }));
  await loadPlaces(columnReader, unchanged);
  const parentOf = new Map<string, string>();
  const add = (id: string, parent: string | null | undefined): void => {
    if (parent && parents.has(id)) parentOf.set(id, parent);
  };
  for (const { id } of unchanged) {
    const place = locateRow(columnReader, id);
    const column = place && !place.isDeleted ? columns[place.position] : undefined;
    if (place && column) add(id, valueAt(column, place.row));
  }
  for (const { id, parent } of changed) add(id, parent);
  return { parentOf, progress };
}
