/** Finds the rows that changes are about. */
import type { Value } from '../../model/row.ts';
import { valueAt } from '../format/column.ts';
import { chunkOf, chunkRows, findId } from '../format/ids.ts';
import {
  deletedVersion,
  isDeletedVersion,
  type Manifest,
  type Segment,
  segmentOf,
  versionField,
} from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import { rowsAfter, type SegmentRow } from './row-block.ts';

/** New values of a row that a segment has. */
export interface RowUpdate {
  readonly row: number;
  /** What the update adds to the number of deleted rows: 1 if it deletes the row, and -1 if it restores it. */
  readonly deleted: -1 | 0 | 1;
  readonly values: ReadonlyMap<string, Value | undefined>;
}

/** What changes mean for the rows of a manifest. */
interface LocatedChanges {
  /** By the position of the segment. */
  readonly updates: ReadonlyMap<number, readonly RowUpdate[]>;
  /** Rows that no segment has. */
  readonly inserts: readonly SegmentRow[];
}

/** Where the columns have a row. */
interface LocatedRow {
  /** Of its segment. */
  readonly position: number;
  readonly row: number;
  readonly isDeleted: boolean;
}

function updateOf({ to, before = {}, after }: RowChange, { row, isDeleted }: LocatedRow): RowUpdate {
  if (!after) {
    const values = new Map([[versionField, deletedVersion(to)]]);
    return { row, deleted: isDeleted ? 0 : 1, values };
  }
  const values = new Map<string, Value | undefined>([[versionField, String(to)]]);
  for (const field of Object.keys(after)) if (after[field] !== before[field]) values.set(field, after[field]);
  return { row, deleted: isDeleted ? -1 : 0, values };
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
async function loadCandidates(columnReader: ColumnReader, changes: readonly RowChange[]): Promise<void> {
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

function locateRow(columnReader: ColumnReader, id: string): LocatedRow | undefined {
  const position = candidateOf(columnReader.manifest, id);
  const segment = columnReader.manifest.segments[position];
  const row = segment ? rowOf(columnReader, segment, id) : -1;
  if (!segment || row < 0) return undefined;
  const version = valueAt(columnReader.column(segment, versionField), row);
  return { position, row, isDeleted: isDeletedVersion(version) };
}

/**
 * Returns what changes mean for the rows. Each record is absorbed once, in the order of positions, so the columns have the row before each change.
 * @param changes of rows that do not wait.
 */
export async function locateChanges(
  columnReader: ColumnReader,
  changes: readonly RowChange[],
): Promise<LocatedChanges> {
  const unlocated: RowChange[] = [];
  const updates = new Map<number, RowUpdate[]>();
  await loadCandidates(columnReader, changes);
  for (const change of changes) {
    const located = locateRow(columnReader, change.id);
    if (!located) {
      unlocated.push(change);
      continue;
    }
    const ofSegment = updates.get(located.position) ?? [];
    updates.set(located.position, ofSegment);
    ofSegment.push(updateOf(change, located));
  }
  return { updates, inserts: rowsAfter(unlocated) };
}
