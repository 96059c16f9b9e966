/** Finds records in the table's stream that DynamoDB created later than their stamps allow, and reports them to the reminders of their logs. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { Database } from '../store/dynamodb/database.ts';
import { isLate, logPartition, parseLogPartition, stampOf } from '../store/model/change-log.ts';
import { reportLateRecords } from '../store/unit-of-work/reminders.ts';

/** Returns the keys of the records of a batch that may be late, by the partition of their log. */
export function lateKeys(records: readonly DynamoDBRecord[]): Map<string, string[]> {
  const late = new Map<string, string[]>();
  for (const { dynamodb } of records) {
    const { pk, sk } = dynamodb?.Keys ?? {};
    const log = parseLogPartition(pk?.S);
    const createdMs = 1_000 * Math.floor(dynamodb?.ApproximateCreationDateTime ?? 0);
    if (!log || !sk?.S || !isLate(stampOf(sk.S), createdMs)) continue;
    const partition = logPartition(log.tenant, log.kind);
    late.set(partition, [...(late.get(partition) ?? []), sk.S]);
  }
  return late;
}

/** Reports the late records of a batch. @param records new records of logs. */
export async function reportLate(database: Database, records: readonly DynamoDBRecord[]): Promise<void> {
  for (const [partition, keys] of lateKeys(records)) {
    const log = parseLogPartition(partition);
    if (log) await reportLateRecords({ tenant: log.tenant, database }, log.kind, keys);
  }
}
