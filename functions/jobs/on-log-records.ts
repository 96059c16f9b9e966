/** Compacts the logs of which the table's stream reports new records. Logs with few records wait for the schedule. */

import type { Context, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { continueJob } from '../store/cascades/continue-job.ts';
import { parseLogPartition, recordPrefix } from '../store/model/change-log.ts';
import { compactionJobId, type JobIdentity, jobKey } from '../store/model/job.ts';
import { jobDatabase, runLogged } from './job-session.ts';
import { reportLate } from './report-late.ts';

/** Returns whether a record of the stream is a new record of a log. The event source mapping has the same filter. */
const isLogRecord = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName === 'INSERT' && dynamodb?.Keys?.['sk']?.S?.startsWith(recordPrefix) === true;

/** Returns the jobs of the logs that have new records, each once. */
function jobsOf(records: readonly DynamoDBRecord[]): JobIdentity[] {
  const jobs = new Map<string, JobIdentity>();
  for (const { dynamodb } of records) {
    const log = parseLogPartition(dynamodb?.Keys?.['pk']?.S);
    if (!log) continue;
    const job = { tenant: log.tenant, id: compactionJobId(log.kind) };
    jobs.set(jobKey(job).pk, job);
  }
  return [...jobs.values()];
}

/**
 * Handles a batch of stream records. A log whose compaction fails is left to the schedule: a retry would delay all other logs.
 * @throws Error when late records could not be reported: nobody else notices them, so the batch is delivered again.
 */
export async function handler({ Records }: DynamoDBStreamEvent, context: Context): Promise<void> {
  const database = jobDatabase(context);
  const added = Records.filter(isLogRecord);
  await reportLate(database, added);
  const invocation = {
    operation: 'onLogRecords',
    requestId: context.awsRequestId,
    started: performance.now(),
  };
  const delivery = { owner: context.awsRequestId, trigger: 'records' } as const;
  await Promise.all(
    jobsOf(added).map((job) => runLogged(invocation, job, () => continueJob(database, job, delivery))),
  );
}
