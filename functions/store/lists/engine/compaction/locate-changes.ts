/** Finds the rows that changes are about. */
import type { Value } from '../../../model/row.ts';
import { valueAt } from '../format/column.ts';
import { chunkOf, chunkRows, countIds, idAt, positionOfId } from '../format/ids.ts';
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
import type { SegmentRow } from './row-block.ts';

/** New values of a row that a segment has. */
export interface RowUpdate {
  readonly row: number;
  /** What the update adds to the number of deleted rows: 1 if it deletes the row, and -1 if it restores it. */
  readonly deleted: -1 | 0 | 1;
  readonly values: ReadonlyMap<string, Value | undefined>;
}

/** What changes mean for the rows of a manifest. */
export interface LocatedChanges {
  /** By the position of the segment. */
  readonly updates: ReadonlyMap<number, readonly RowUpdate[]>;
  /** Rows that no segment has, in the order of their ids. */
  readonly inserts: readonly SegmentRow[];
}

/** A row that the columns have. */
interface KnownRow {
  /** Of its segment; -1 for an out-of-order row. */
  readonly position: number;
  readonly row: number;
  /** Of a deleted row, the version that the deletion made. */
  readonly version: number;
  readonly isDeleted: boolean;
}

function updateOf(
  { from, to, before = {}, after }: RowChange,
  { row, version, isDeleted }: KnownRow,
): RowUpdate {
  if (!after) {
    const values = new Map([[versionField, deletedVersion(to)]]);
    return { row, deleted: isDeleted ? 0 : 1, values };
  }
  const values = new Map<string, Value | undefined>([[versionField, String(to)]]);
  // The columns do not have the version before the change if an earlier record is late.
  const isExpected = version === from;
  for (const field of Object.keys(after)) {
    if (!isExpected || after[field] !== before[field]) values.set(field, after[field]);
  }
  return { row, deleted: isDeleted ? -1 : 0, values };
}

/** Returns the row of an id in a segment whose fence and ids are in memory; -1 if the segment does not have it. */
function rowOf(columnReader: ColumnReader, segment: Segment, id: string): number {
  const chunk = chunkOf(columnReader.fence(segment), id);
  const ids = columnReader.ids(segment, chunk);
  const position = positionOfId(ids, id);
  const isFound = position < countIds(ids) && idAt(ids, position) === id;
  return isFound ? chunk * chunkRows + position : -1;
}

/** Returns the position of the segment that may have a row; -1 if the id is behind the last one of its segment. */
function candidateOf(manifest: Manifest, id: string): number {
  const position = segmentOf(manifest, id);
  const segment = manifest.segments[position];
  return segment && segment.first <= id && segment.last >= id ? position : -1;
}

/** Reads the ids and versions of all rows that changes may be about. */
async function loadCandidates(columnReader: ColumnReader, changes: Iterable<RowChange>): Promise<void> {
  const { manifest } = columnReader;
  const wanted = [...changes].flatMap(({ id }) => {
    const segment = manifest.segments[candidateOf(manifest, id)];
    return segment ? [{ id, segment }] : [];
  });
  const segments = [...new Set(wanted.map(({ segment }) => segment))];
  await Promise.all([columnReader.loadFences(segments), columnReader.loadColumns([versionField], segments)]);
  await columnReader.loadIds(
    wanted.map(({ id, segment }) => ({ segment, chunk: chunkOf(columnReader.fence(segment), id) })),
  );
}

function knownRow(columnReader: ColumnReader, id: string): KnownRow | undefined {
  const position = candidateOf(columnReader.manifest, id);
  const segment = columnReader.manifest.segments[position];
  const row = segment ? rowOf(columnReader, segment, id) : -1;
  if (!segment || row < 0) return undefined;
  const version = valueAt(columnReader.column(segment, versionField), row);
  return { position, row, version: Math.abs(Number(version)), isDeleted: isDeletedVersion(version) };
}

/** Reads the rows that changes are about. Returns a function that finds the row of such an id, if the columns have it. */
export async function readKnownRows(
  columnReader: ColumnReader,
  changes: ReadonlyMap<string, RowChange>,
): Promise<(id: string) => KnownRow | undefined> {
  const outOfOrder = await columnReader.readOutOfOrder();
  await loadCandidates(
    columnReader,
    [...changes.values()].filter(({ id }) => !outOfOrder.has(id)),
  );
  return (id) => {
    if (!changes.has(id)) return undefined;
    const waiting = outOfOrder.get(id);
    if (waiting) return { position: -1, row: -1, version: waiting.to, isDeleted: false };
    return knownRow(columnReader, id);
  };
}

/** Returns whether the columns have a change, or a later one. They have no rows that were deleted before a segment was written again. */
export const isAbsorbed = ({ to, after }: RowChange, known: KnownRow | undefined): boolean =>
  known ? known.version >= to : after === undefined;

/**
 * Returns what changes mean for the rows. A change whose version a row has already means nothing: the same record can be absorbed
 * twice.
 */
export async function locateChanges(
  columnReader: ColumnReader,
  changes: ReadonlyMap<string, RowChange>,
): Promise<LocatedChanges> {
  const inserts: SegmentRow[] = [];
  const updates = new Map<number, RowUpdate[]>();
  const known = await readKnownRows(columnReader, changes);
  for (const change of changes.values()) {
    const found = known(change.id);
    if (isAbsorbed(change, found)) continue;
    if (!found) {
      if (change.after) inserts.push({ id: change.id, version: change.to, values: change.after });
      continue;
    }
    const own = updates.get(found.position) ?? [];
    updates.set(found.position, own);
    own.push(updateOf(change, found));
  }
  return { updates, inserts: inserts.sort((one, other) => (one.id < other.id ? -1 : 1)) };
}
