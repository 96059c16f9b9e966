/** Finds the rows that changes are about. */
import type { LogRecord } from '../../../model/change-log.ts';
import type { Value } from '../../../model/row.ts';
import { valueAt } from '../format/column.ts';
import { chunkOf, chunkRows, countIds, idAt, positionOfId } from '../format/ids.ts';
import { deletedVersion, type Segment, segmentOf, versionField } from '../format/manifest.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { SegmentRow } from './new-segments.ts';

/** New values of a row that a segment has. */
export interface RowUpdate {
  readonly row: number;
  readonly isDeleted: boolean;
  readonly values: ReadonlyMap<string, Value | undefined>;
}

/** What changes mean for the rows of a manifest. */
export interface LocatedChanges {
  /** By the position of the segment. */
  readonly updates: ReadonlyMap<number, readonly RowUpdate[]>;
  /** Rows that no segment has, in the order of their ids. */
  readonly inserts: readonly SegmentRow[];
}

/** @param isExpected whether the columns have the version before the change. They do not if an earlier record is late. */
function updateOf({ to, before = {}, after }: RowChange, row: number, isExpected: boolean): RowUpdate {
  if (!after) return { row, isDeleted: true, values: new Map([[versionField, deletedVersion]]) };
  const values = new Map<string, Value | undefined>([[versionField, String(to)]]);
  for (const field of Object.keys(after)) {
    if (!isExpected || after[field] !== before[field]) values.set(field, after[field]);
  }
  return { row, isDeleted: false, values };
}

/** Returns the row of an id in a segment whose fence and ids are in memory; -1 if the segment does not have it. */
function rowOf(columnReader: ColumnReader, segment: Segment, id: string): number {
  const chunk = chunkOf(columnReader.fence(segment), id);
  const ids = columnReader.ids(segment, chunk);
  const position = positionOfId(ids, id);
  const isFound = position < countIds(ids) && idAt(ids, position) === id;
  return isFound ? chunk * chunkRows + position : -1;
}

/** Reads the ids and versions of all rows that changes may be about. */
async function loadCandidates(columnReader: ColumnReader, changes: Iterable<RowChange>): Promise<void> {
  const { manifest } = columnReader;
  if (manifest.segments.length === 0) return;
  const wanted = [...changes].map(({ id }) => ({
    id,
    segment: manifest.segments[segmentOf(manifest, id)] as Segment,
  }));
  const segments = [...new Set(wanted.map(({ segment }) => segment))];
  await Promise.all([columnReader.loadFences(segments), columnReader.loadColumns([versionField], segments)]);
  await columnReader.loadIds(
    wanted.map(({ id, segment }) => ({ segment, chunk: chunkOf(columnReader.fence(segment), id) })),
  );
}

/** Returns the function that finds the row of an id, and its version, in the columns. It returns `undefined` for rows that they do not have. */
function knownVersions(columnReader: ColumnReader, changes: ReadonlyMap<string, RowChange>) {
  const { manifest } = columnReader;
  return (
    id: string,
  ): { readonly position: number; readonly row: number; readonly version: number } | undefined => {
    const position = segmentOf(manifest, id);
    const segment = manifest.segments[position];
    const row = segment && changes.has(id) ? rowOf(columnReader, segment, id) : -1;
    if (!segment || row < 0) return undefined;
    return { position, row, version: Number(valueAt(columnReader.column(segment, versionField), row)) };
  };
}

/**
 * Returns the records below the watermark that were not absorbed: they became visible later than the margin. A record of a deleted
 * row is not late, because the record of the deletion has a later stamp and is among them.
 * @param records the latest records up to the watermark, without a gap.
 */
export async function lateRecords(
  columnReader: ColumnReader,
  records: readonly LogRecord[],
): Promise<LogRecord[]> {
  if (records.length === 0) return [];
  const changes = mergeRecords(records);
  await loadCandidates(columnReader, changes.values());
  const known = knownVersions(columnReader, changes);
  const late = new Set<string>();
  for (const { id, to, after } of changes.values()) {
    const row = known(id);
    const isAbsorbed = row
      ? row.version === Number(deletedVersion) || row.version >= to
      : after === undefined;
    if (!isAbsorbed) late.add(id);
  }
  // Only entries of late rows: of another row in the same record, a later change may be absorbed already.
  return records
    .map((record) => ({ ...record, entries: record.entries.filter(({ id }) => late.has(id)) }))
    .filter(({ entries }) => entries.length > 0);
}

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
  await loadCandidates(columnReader, changes.values());
  const known = knownVersions(columnReader, changes);
  for (const change of changes.values()) {
    const found = known(change.id);
    if (!found) {
      if (change.after) inserts.push({ id: change.id, version: change.to, values: change.after });
      continue;
    }
    const { position, row, version } = found;
    if (version === Number(deletedVersion) || version >= change.to) continue;
    const own = updates.get(position) ?? [];
    updates.set(position, own);
    own.push(updateOf(change, row, version === change.from));
  }
  return { updates, inserts: inserts.sort((one, other) => (one.id < other.id ? -1 : 1)) };
}
