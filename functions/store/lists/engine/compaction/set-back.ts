/**
 * Sets back a watermark that is ahead of the time. A process with a wrong clock has written it, and it hides the records that were committed
 * since. The columns have some of the records above the new watermark already: the manifest names them, and nobody reads them again.
 */
import type { LogRecord } from '../../../model/change-log.ts';
import { maxStamp } from '../../../model/stamp-text.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { LogReader } from '../storage.ts';
import { entriesOf } from './late-changes.ts';
import { isAbsorbed, readKnownRows } from './locate-changes.ts';

interface SetBack {
  /** Changes up to the new watermark that the columns do not have. */
  readonly records: readonly LogRecord[];
  /** Keys of the records above the new watermark that the columns have. */
  readonly absorbed: readonly string[];
}

/**
 * Reads the newest records of a log, and compares them with its columns by version.
 * @param watermark the new one.
 * @param maxRecords the hidden ones are rarely more. The comparison of the records finds the others.
 */
export async function readSetBack(
  columnReader: ColumnReader,
  reader: LogReader,
  watermark: number,
  maxRecords: number,
): Promise<SetBack> {
  const records = await reader.readRecords(0, maxStamp, maxRecords);
  const changes = mergeRecords(records);
  const known = await readKnownRows(columnReader, changes);
  // The records are the newest ones without a gap: a row whose last change is absorbed has all of its changes.
  const hasLast = (change: RowChange): boolean => isAbsorbed(change, known(change.id));
  const missing = [...changes.values()].filter((change) => !hasLast(change)).map(({ id }) => id);
  const hasEntry = ({ id, version }: LogRecord['entries'][number]): boolean => {
    const row = known(id);
    return row ? row.version >= version : hasLast(changes.get(id) as RowChange);
  };
  return {
    records: entriesOf(
      records.filter(({ stamp }) => stamp <= watermark),
      new Set(missing),
    ),
    absorbed: records
      .filter(({ stamp, entries }) => stamp > watermark && entries.some(hasEntry))
      .map(({ key }) => key),
  };
}
