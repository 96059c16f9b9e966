/**
 * Late changes: those that the watermark has passed without them. Their records appeared later than the margin, or a comparison of the log
 * with the entities has found them.
 */
import type { LogRecord } from '../../../model/change-log.ts';
import { maxStamp } from '../../../model/stamp-text.ts';
import type { Manifest } from '../format/manifest.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { LogReader } from '../storage.ts';
import { isAbsorbed, readKnownRows } from './locate-changes.ts';

export interface LateChanges {
  /** Records that were committed before the step, or that stand for lost ones. */
  readonly records: readonly LogRecord[];
  /** Reads the present versions of entities consistently. Those that do not exist are absent. */
  readonly readVersions: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** Returns the entries of records that are about some rows. */
export const entriesOf = (records: readonly LogRecord[], ids: ReadonlySet<string>): LogRecord[] =>
  records
    .map((record) => ({ ...record, entries: record.entries.filter(({ id }) => ids.has(id)) }))
    .filter(({ entries }) => entries.length > 0);

/** What decides whether a late change belongs into the columns. */
interface Known {
  /** The change of the entity that the columns do not have yet, if there is one. */
  readonly pending: RowChange | undefined;
  /** The present version of the entity; `undefined` when it does not exist. */
  readonly version: number | undefined;
}

/**
 * Returns whether a pending change made the version of a late one. Versions are unique, so the table does not have the late change: a restored table
 * can have the record of a change without the change.
 */
const madeVersion = ({ from, to }: RowChange, version: number): boolean => from < version && version <= to;

/**
 * Returns whether the columns should have what a change left. Otherwise, the record of a later deletion or restore was absorbed, and its row can be
 * gone: the change must not bring it back. The pending change tells by its row before it whether the columns should have one. Without a pending change,
 * the entity is as they should have it, or was changed since the pending ones were read.
 */
function belongsIntoColumns({ to, after }: RowChange, { pending, version }: Known): boolean {
  if (pending && madeVersion(pending, to)) return false;
  if (pending) return (pending.before !== undefined) === (after !== undefined);
  return after ? version !== undefined && version >= to : version === undefined;
}

/** Reads the changes that columns do not have, because their records are above the watermark. */
async function readPending(reader: LogReader, { watermark, absorbed }: Manifest) {
  const known = new Set(absorbed);
  const records = await reader.readRecords(watermark, maxStamp);
  return mergeRecords(records.filter(({ key }) => !known.has(key)));
}

/**
 * Returns the late changes that the columns do not have. The manifest of the columns was read before the pending records, and these before the entities:
 * a deletion that is not found here has a later record than the watermark.
 * @param late.records Those above the watermark are not late: a later step reads them.
 */
export async function lateRecords(
  columnReader: ColumnReader,
  reader: LogReader,
  late: LateChanges | undefined,
): Promise<LogRecord[]> {
  const { manifest } = columnReader;
  const records = (late?.records ?? []).filter(({ stamp }) => stamp <= manifest.watermark);
  if (!late || records.length === 0) return [];
  const changes = mergeRecords(records);
  const known = await readKnownRows(columnReader, changes);
  const missing = [...changes.values()].filter((change) => !isAbsorbed(change, known(change.id)));
  if (missing.length === 0) return [];
  const pending = await readPending(reader, manifest);
  const versions = await late.readVersions(missing.map(({ id }) => id));
  const ids = missing
    .filter((change) => {
      const { id } = change;
      return belongsIntoColumns(change, { pending: pending.get(id), version: versions.get(id) });
    })
    .map(({ id }) => id);
  return entriesOf(records, new Set(ids));
}
