/** Reports that compaction stands still, as lists see it: nothing else notices when the stream of the table does not deliver. An alarm watches it. */
import { now } from '../../runtime/time-and-chance.ts';
import type { LogState } from '../columns/read/read-state.ts';
import { type Kind, settingsInUse } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/** The name of the metric, as the alarm uses it, and its dimension: all functions that read lists count together. */
export const oldRecordsMetric = 'OldPendingRecords';
export const oldRecordsDimension = 'TableName';

/** Milliseconds after which compaction has absorbed a record, however few there are, with a day to spare. Records live for 7 days or more. */
const maxPendingMs = 3 * 86_400_000;

/** Milliseconds between two reports of a process. */
const reportMs = 60_000;

let reportedAt = Number.NEGATIVE_INFINITY;

/** Reports a pending record that should be absorbed. */
export function reportOldRecords(
  { tenant, database: { tableName } }: Session,
  kind: Kind,
  { records }: Pick<LogState, 'records'>,
): void {
  const nowMs = now();
  const isOld = records.some(({ time }) => time + maxPendingMs < nowMs);
  if (!isOld || Math.abs(nowMs - reportedAt) < reportMs) return;
  reportedAt = nowMs;
  const { logWarning, logMetrics } = settingsInUse();
  logWarning('A change is not in the columns of lists after three days.', { tenant, kind });
  logMetrics([oldRecordsDimension, tableName], { [oldRecordsMetric]: 1 });
}
