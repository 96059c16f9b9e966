/** Finds the rows that changes are about. */
import type { LogRecord } from '../../../model/change-log.ts';
import type { Value } from '../../../model/row.ts';
import { valueAt } from '../column.ts';
import { chunkOf, chunkRows, countIds, idAt, positionOfId } from '../ids.ts';
import { deletedVersion, type Segment, segmentOf, versionField } from '../manifest.ts';
import { mergeRecords, type RowChange } from '../row-change.ts';
import type { Snapshot } from '../snapshot.ts';
import type { SegmentRow } from './segment-writer.ts';

/** New values of a row that a segment has. */
export interface RowUpdate {
  readonly row: number;
  readonly isDeleted: boolean;
  /** The values that the columns have now, of the fields that facets count at least. */
  readonly before: Readonly<Record<string, Value | undefined>>;
  readonly values: ReadonlyMap<string, Value | undefined>;
}

/** What changes mean for the rows of a manifest. */
export interface LocatedChanges {
  /** By the position of the segment. */
  readonly updates: ReadonlyMap<number, readonly RowUpdate[]>;
  /** Rows that no segment has, in the order of their ids. */
  readonly inserts: readonly SegmentRow[];
}

/** A change of a row that a segment has. */
interface FoundChange {
  readonly change: RowChange;
  readonly position: number;
  readonly row: number;
  /** Whether the columns have the version before the change. They do not if an earlier record is late. */
  readonly isExpected: boolean;
}

/** @param known the values that the columns have, if they are not those that the change says. */
function updateOf({ change, row }: FoundChange, known: RowUpdate['before'] | undefined): RowUpdate {
  const { to, after } = change;
  const before = known ?? change.before ?? {};
  if (!after) return { row, isDeleted: true, before, values: new Map([[versionField, deletedVersion]]) };
  const values = new Map<string, Value | undefined>([[versionField, String(to)]]);
  for (const field of Object.keys(after)) {
    if (known || after[field] !== before[field]) values.set(field, after[field]);
  }
  return { row, isDeleted: false, before, values };
}

/** Reads the values of fields that the columns have, where a change does not say them. */
async function valuesOfUnexpected(
  snapshot: Snapshot,
  found: readonly FoundChange[],
  fields: readonly string[],
) {
  const { segments } = snapshot.manifest;
  const positions = new Set(found.filter(({ isExpected }) => !isExpected).map(({ position }) => position));
  if (positions.size > 0)
    await snapshot.loadColumns(
      fields,
      segments.filter((_, position) => positions.has(position)),
    );
  return ({ position, row, isExpected }: FoundChange): RowUpdate['before'] | undefined => {
    if (isExpected) return undefined;
    const segment = segments[position] as Segment;
    return Object.fromEntries(fields.map((field) => [field, valueAt(snapshot.column(segment, field), row)]));
  };
}

/** Returns the row of an id in a segment whose fence and ids are in memory; -1 if the segment does not have it. */
function rowOf(snapshot: Snapshot, segment: Segment, id: string): number {
  const chunk = chunkOf(snapshot.fence(segment), id);
  const ids = snapshot.ids(segment, chunk);
  const position = positionOfId(ids, id);
  const isFound = position < countIds(ids) && idAt(ids, position) === id;
  return isFound ? chunk * chunkRows + position : -1;
}

/** Reads the ids and versions of all rows that changes may be about. */
async function loadCandidates(snapshot: Snapshot, changes: Iterable<RowChange>): Promise<void> {
  const { manifest } = snapshot;
  if (manifest.segments.length === 0) return;
  const wanted = [...changes].map(({ id }) => ({
    id,
    segment: manifest.segments[segmentOf(manifest, id)] as Segment,
  }));
  const segments = [...new Set(wanted.map(({ segment }) => segment))];
  await Promise.all([snapshot.loadFences(segments), snapshot.loadColumns([versionField], segments)]);
  await snapshot.loadIds(
    wanted.map(({ id, segment }) => ({ segment, chunk: chunkOf(snapshot.fence(segment), id) })),
  );
}

/** Returns the version of each row that changes are about, as the columns have it; `undefined` for rows that they do not have. */
function knownVersions(snapshot: Snapshot, changes: ReadonlyMap<string, RowChange>) {
  const { manifest } = snapshot;
  return (
    id: string,
  ): { readonly position: number; readonly row: number; readonly version: number } | undefined => {
    const position = segmentOf(manifest, id);
    const segment = manifest.segments[position];
    const row = segment && changes.has(id) ? rowOf(snapshot, segment, id) : -1;
    if (!segment || row < 0) return undefined;
    return { position, row, version: Number(valueAt(snapshot.column(segment, versionField), row)) };
  };
}

/**
 * Returns the records below the watermark that were not absorbed: they became visible later than the margin. A record of a deleted
 * row is not late, because the record of the deletion has a later stamp and is among them.
 * @param records the latest records up to the watermark, without a gap.
 */
export async function lateRecords(snapshot: Snapshot, records: readonly LogRecord[]): Promise<LogRecord[]> {
  if (records.length === 0) return [];
  const changes = mergeRecords(records);
  await loadCandidates(snapshot, changes.values());
  const known = knownVersions(snapshot, changes);
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
 * @param countedFields the fields that facets count.
 */
export async function locateChanges(
  snapshot: Snapshot,
  changes: ReadonlyMap<string, RowChange>,
  countedFields: readonly string[],
): Promise<LocatedChanges> {
  const found: FoundChange[] = [];
  const inserts: SegmentRow[] = [];
  await loadCandidates(snapshot, changes.values());
  const known = knownVersions(snapshot, changes);
  for (const change of changes.values()) {
    const row = known(change.id);
    if (!row) {
      if (change.after) inserts.push({ id: change.id, version: change.to, values: change.after });
    } else if (row.version !== Number(deletedVersion) && row.version < change.to) {
      found.push({ change, ...row, isExpected: row.version === change.from });
    }
  }
  const valuesOf = await valuesOfUnexpected(snapshot, found, countedFields);
  const updates = new Map<number, RowUpdate[]>();
  for (const one of found) {
    const own = updates.get(one.position) ?? [];
    updates.set(one.position, own);
    own.push(updateOf(one, valuesOf(one)));
  }
  return { updates, inserts: inserts.sort((one, other) => (one.id < other.id ? -1 : 1)) };
}
