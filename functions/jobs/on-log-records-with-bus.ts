/**
 * Publishes the new records of change logs on the event bus, and then handles them as the function without a bus does. It takes that function's
 * place at the table's stream, which has no third reader: DynamoDB throttles more than two. The keys of records that the bus does not accept go to
 * a queue, so that a failing bus does not hold up the stream, nor the compaction of the next records. The queue calls the function again after a
 * pause, until the bus has accepted them or they have expired.
 */

import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { Key } from '../engine/model/writes.ts';
import { Deadline } from '../engine/table/deadline.ts';
import { openDatabase } from '../open-database.ts';
import { environment } from '../runtime/environment.ts';
import { type LogContext, logError } from '../runtime/logger.ts';
import { monotonic, now } from '../runtime/time-and-chance.ts';
import { maxAttempts, sendTo } from './event-bus.ts';
import { logContextOf } from './job-session.ts';
import { compactLogs } from './on-log-records.ts';
import { announcing, isLogRecord } from './publish-pokes.ts';
import { publishRecords } from './publish-records.ts';
import { sendToQueue, type UnpublishedRecords } from './unpublished-queue.ts';

/** The shares of the remaining time that publishing gets, and then the queue. Neither must keep the logs from being compacted. */
const publishingShare = 1 / 2;
const queueShare = 1 / 4;

/**
 * Milliseconds after which the events of a record get one attempt. A bus that does not respond takes seconds for each attempt, and the records
 * behind it wait: they do not fall back further.
 */
const maxAgeMs = 300_000;

const keyOf = ({ dynamodb }: DynamoDBRecord): Key => ({
  pk: dynamodb?.Keys?.['pk']?.S ?? '',
  sk: dynamodb?.Keys?.['sk']?.S ?? '',
});

type Records = ReadonlyMap<Key, DynamoDBRecord>;

/** Returns the attempts for the events of records, whose creation times are in seconds since 1970. */
function attemptsFor(records: Records): number {
  const oldest = now() - maxAgeMs;
  const isOld = ({ dynamodb }: DynamoDBRecord): boolean =>
    1_000 * (dynamodb?.ApproximateCreationDateTime ?? 0) < oldest;
  return [...records.values()].some(isOld) ? 1 : maxAttempts;
}

const logContext = ({ awsRequestId }: Context, started: number): LogContext =>
  logContextOf({ operation: 'onLogRecords', requestId: awsRequestId, started });

/** Publishes records. Returns the keys of those that were not published. */
async function publish(records: readonly Key[], attempts: number, context: Context): Promise<Key[]> {
  const started = monotonic();
  const database = openDatabase(context, publishingShare * context.getRemainingTimeInMillis());
  const send = sendTo(environment.eventBusName(), { deadline: database.deadline, attempts });
  const unpublished = await publishRecords(database, records, send);
  if (!unpublished) return [];
  const keys = [...unpublished.elements];
  logError('Records were not published.', logContext(context, started), unpublished.error, {
    records: keys.length,
  });
  return keys;
}

/** Sends the keys of records to the queue. Returns those that it did not accept. */
async function giveUp(keys: readonly Key[], failures: number, context: Context): Promise<readonly Key[]> {
  if (keys.length === 0) return [];
  const started = monotonic();
  try {
    const deadline = new Deadline(queueShare * context.getRemainingTimeInMillis());
    await sendToQueue(environment.unpublishedQueueUrl(), { records: keys, failures }, deadline);
    return [];
  } catch (error) {
    logError('Keys of records were not sent to the queue.', logContext(context, started), error, {
      records: keys.length,
    });
    return keys;
  }
}

/**
 * Publishes the records that a message of the queue names. Those that the bus does not accept are in a new message.
 * @throws Error when the queue does not accept them, or the message is of another release. It stays in the queue.
 */
async function publishAgain({ body }: SQSRecord, context: Context): Promise<void> {
  const { records, failures } = JSON.parse(body) as UnpublishedRecords;
  const unpublished = await publish(records, 1, context);
  const left = await giveUp(unpublished, failures + 1, context);
  if (left.length > 0) throw new Error('Keys of records were not sent to the queue again.');
}

const isOfQueue = (event: DynamoDBStreamEvent | SQSEvent): event is SQSEvent =>
  event.Records.some(({ eventSource }) => eventSource === 'aws:sqs');

/**
 * Publishes a batch of stream records, and compacts their logs.
 * @returns the records that were neither published nor are in the queue. Lambda delivers the batch again from the first of them on, so others are
 * published twice, with the same ids.
 */
async function handleRecords(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const records: Records = new Map(
    event.Records.filter(isLogRecord).map((record) => [keyOf(record), record]),
  );
  const unpublished = await publish([...records.keys()], attemptsFor(records), context);
  const left = await giveUp(unpublished, 1, context);
  await compactLogs(event.Records, context);
  return {
    batchItemFailures: left.map((key) => ({
      itemIdentifier: records.get(key)?.dynamodb?.SequenceNumber ?? '',
    })),
  };
}

/** Handles a batch of stream records, or a message of the queue. */
export async function handler(
  event: DynamoDBStreamEvent | SQSEvent,
  context: Context,
): Promise<DynamoDBBatchResponse> {
  if (!isOfQueue(event)) return announcing(event.Records, context, () => handleRecords(event, context));
  for (const message of event.Records) await publishAgain(message, context);
  return { batchItemFailures: [] };
}
