/** Begins and continues jobs when the table's stream reports their items: within a second of the write. */

import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type JobIdentity, jobSortKey, parseJobKey, wakeUpSortKey } from '../engine/model/job.ts';
import { openDatabase } from '../open-database.ts';
import { monotonic } from '../runtime/time-and-chance.ts';
import { continueJob } from './continue-job.ts';
import { runLogged } from './job-session.ts';

/**
 * Returns whether a record begins a job, or wakes it up. The event source mapping has the same filter: it does not deliver other records, as those
 * of leases and of progress.
 */
function startsWorker({ eventName, dynamodb }: DynamoDBRecord): boolean {
  const sortKey = dynamodb?.Keys?.['sk']?.S;
  return sortKey === jobSortKey
    ? eventName === 'INSERT'
    : sortKey === wakeUpSortKey && eventName !== 'REMOVE';
}

interface Delivered {
  readonly job: JobIdentity | undefined;
  readonly sequenceNumber: string;
}

/** Returns the jobs of a batch, each once: Lambda delivers up to ten records together. */
function jobsOf(records: readonly DynamoDBRecord[]): Delivered[] {
  const jobs = new Map<string, Delivered>();
  for (const { dynamodb } of records.filter(startsWorker)) {
    const sequenceNumber = dynamodb?.SequenceNumber ?? '';
    const key = dynamodb?.Keys?.['pk']?.S ?? '';
    const job = parseJobKey(key);
    const identity = job ? key : sequenceNumber;
    if (!jobs.has(identity)) jobs.set(identity, { job, sequenceNumber });
  }
  return [...jobs.values()];
}

/**
 * Handles a batch of stream records.
 * @returns the first record of each job that failed: Lambda delivers the batch again from the earliest of them on.
 */
export async function handler(
  { Records }: DynamoDBStreamEvent,
  context: Context,
): Promise<DynamoDBBatchResponse> {
  const invocation = { operation: 'onStream', requestId: context.awsRequestId, started: monotonic() };
  const failures = await Promise.all(
    jobsOf(Records).map(async ({ job, sequenceNumber }) => {
      const isHandled = await runLogged(invocation, job, async () => {
        // A success would remove the record from the stream.
        if (!job) throw new TypeError('The record does not name a job.');
        // Of its own: a job slows down after a throttle, and the throttles of others are not those of its tenant.
        return continueJob(openDatabase(context), job, { owner: sequenceNumber });
      });
      return isHandled ? [] : [{ itemIdentifier: sequenceNumber }];
    }),
  );
  return { batchItemFailures: failures.flat() };
}
