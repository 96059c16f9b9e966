import { valueAt } from '../format/column.ts';
import { chunkOf, chunkRows, findId } from '../format/ids.ts';
import {
  isDeletedVersion,
  type Manifest,
  type Segment,
  segmentOf,
  versionField,
} from '../format/manifest.ts';
import type { ColumnReader } from './column-reader.ts';

export interface LocatedRow {
  readonly position: number;
  readonly row: number;
  readonly isDeleted: boolean;
}

/** Returns the row of an id in a segment whose fence and ids are in memory; -1 if the segment does not have it. */
function rowOf(columnReader: ColumnReader, segment: Segment, id: string): number {
  const chunk = chunkOf(columnReader.fence(segment), id);
  const position = findId(columnReader.ids(segment, chunk), id);
  return position < 0 ? -1 : chunk * chunkRows + position;
}

/** Returns the position of the segment that may have a row; -1 if the id is behind the last one of its segment. */
function candidateOf(manifest: Manifest, id: string): number {
  const position = segmentOf(manifest, id);
  const segment = manifest.segments[position];
  return segment && segment.first <= id && segment.last >= id ? position : -1;
}

/** Reads the ids and versions of all rows that changes may be about. */
export async function loadPlaces(
  columnReader: ColumnReader,
  changes: readonly { readonly id: string }[],
): Promise<void> {
  const { manifest } = columnReader;
  const wanted = changes.flatMap(({ id }) => {
    const segment = manifest.segments[candidateOf(manifest, id)];
    return segment ? [{ id, segment }] : [];
  });
  const segments = [...new Set(wanted.map(({ segment }) => segment))];
  await Promise.all([columnReader.loadFences(segments), columnReader.loadColumns([versionField], segments)]);
  await columnReader.loadIds(
    wanted.map(({ id, segment }) => ({ segment, chunk: chunkOf(columnReader.fence(segment), id) })),
  );
}

/** Returns where the columns have a row that `loadPlaces` has looked for; `undefined` if no segment has it. */
export function locateRow(columnReader: ColumnReader, id: string): LocatedRow | undefined {
  const position = candidateOf(columnReader.manifest, id);
  const segment = columnReader.manifest.segments[position];
  const row = segment ? rowOf(columnReader, segment, id) : -1;
  if (!segment || row < 0) return undefined;
  const version = valueAt(columnReader.column(segment, versionField), row);
  return { position, row, isDeleted: isDeletedVersion(version) };
}
