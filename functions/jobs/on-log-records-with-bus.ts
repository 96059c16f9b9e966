/**
 * Publishes the new records of change logs on the event bus, and then handles them as the function without a bus does. It takes that function's
 * place at the table's stream, which has no third reader: DynamoDB throttles more than two.
 */
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { environment } from '../runtime/environment.ts';
import { logError } from '../runtime/logger.ts';
import type { Key } from '../store/model/writes.ts';
import { sendTo } from './event-bus.ts';
import { jobDatabase, logContextOf } from './job-session.ts';
import { handler as compactLogs, isLogRecord } from './on-log-records.ts';
import { publishRecords } from './publish-records.ts';

/** The share of the time that publishing gets. A bus that does not respond must not keep the logs from being compacted. */
const publishingShare = 1 / 2;

const keyOf = ({ dynamodb }: DynamoDBRecord): Key => ({
  pk: dynamodb?.Keys?.['pk']?.S ?? '',
  sk: dynamodb?.Keys?.['sk']?.S ?? '',
});

/** Publishes records. Returns those that were not published. */
async function publish(records: readonly DynamoDBRecord[], context: Context): Promise<DynamoDBRecord[]> {
  const started = performance.now();
  const database = jobDatabase(context, publishingShare * context.getRemainingTimeInMillis());
  const byKey = new Map(records.map((record) => [keyOf(record), record]));
  const send = sendTo(environment.eventBusName(), database.deadline);
  const unpublished = await publishRecords(database, [...byKey.keys()], send);
  if (!unpublished) return [];
  const invocation = { operation: 'onLogRecords', requestId: context.awsRequestId, started };
  const failed = [...unpublished.elements];
  logError('Records were not published.', logContextOf(invocation), unpublished.error, {
    records: failed.length,
  });
  return failed.flatMap((key) => byKey.get(key) ?? []);
}

/**
 * Handles a batch of stream records.
 * @returns the records that were not published. Lambda delivers the batch again from the first of them on, so others are published twice, with
 * the same ids.
 * @throws Error when late records could not be reported, after everything else is done.
 */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const failed = await publish(event.Records.filter(isLogRecord), context);
  await compactLogs(event, context);
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
  };
}
