/**
 * Late changes: those that the watermark has passed without them. Their records appeared later than the margin, or a comparison of the log
 * with the entities has found them.
 */
import type { LogRecord } from '../../../model/change-log.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
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

/**
 * Returns whether the entity of a change is as the change left it, or newer. A change of an entity that was deleted meanwhile must not bring its
 * row back: the record of the deletion can have been absorbed, and its row be gone.
 */
function isOfEntity({ to, after }: RowChange, version: number | undefined): boolean {
  return after ? version !== undefined && version >= to : version === undefined;
}

/**
 * Returns the late changes that the columns do not have. The manifest of the columns was read before the entities: a deletion that is not found
 * here has a later record than the watermark.
 * @param watermark of the next manifest. Records above it are not late: a later step reads them.
 */
export async function lateRecords(
  columnReader: ColumnReader,
  late: LateChanges | undefined,
  watermark: number,
): Promise<LogRecord[]> {
  const records = (late?.records ?? []).filter(({ stamp }) => stamp <= watermark);
  if (!late || records.length === 0) return [];
  const changes = mergeRecords(records);
  const known = await readKnownRows(columnReader, changes);
  const missing = [...changes.values()].filter((change) => !isAbsorbed(change, known(change.id)));
  const versions = await late.readVersions(missing.map(({ id }) => id));
  const ids = missing.filter((change) => isOfEntity(change, versions.get(change.id))).map(({ id }) => id);
  return entriesOf(records, new Set(ids));
}
