/** Begins jobs, and goes on with them, as the table's stream tells of them: within a second of the write. */
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { jobOfKey, jobSortKey } from '../shared/store/jobs.ts';
import { jobDatabase, loggedStep } from './job-session.ts';
import { workJob } from './work-job.ts';

/** Which records this function is for; the event source filters by the same, so that it is not called for others. */
const isJobRecord = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName !== 'REMOVE' && dynamodb?.Keys?.['sk']?.S === jobSortKey;

/**
 * @returns the records that failed, so that the stream delivers them again, and none before them.
 */
export async function handler(
  { Records }: DynamoDBStreamEvent,
  context: Context,
): Promise<DynamoDBBatchResponse> {
  const database = jobDatabase(context);
  const invocation = { operation: 'onStream', requestId: context.awsRequestId, started: performance.now() };
  const failures = await Promise.all(
    Records.filter(isJobRecord).map(async ({ dynamodb }) => {
      const job = jobOfKey(dynamodb?.Keys?.['pk']?.S);
      const isDone = await loggedStep(invocation, job, async () => {
        // Taken for a job that is done, it would be forgotten.
        if (!job) throw new TypeError('The record names no job.');
        await workJob(database, job.tenant, job.id);
      });
      return isDone ? [] : [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }];
    }),
  );
  return { batchItemFailures: failures.flat() };
}
