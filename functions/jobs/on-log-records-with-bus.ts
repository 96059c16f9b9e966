/**
 * Publishes the new records of change logs on the event bus, and then handles them as the function without a bus does. It takes that function's
 * place at the table's stream, which has no third reader: DynamoDB throttles more than two. The keys of records that the bus does not accept go to
 * a queue, so that a failing bus does not hold up the stream, nor the compaction of the next records. The queue calls the function again after each
 * pause, until the bus has accepted them or they have expired. The function sends no message for a message: Lambda stops such a loop after 16 calls.
 */

import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
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
async function giveUp(keys: readonly Key[], context: Context): Promise<readonly Key[]> {
  if (keys.length === 0) return [];
  const started = monotonic();
  try {
    const deadline = new Deadline(queueShare * context.getRemainingTimeInMillis());
    await sendToQueue(environment.unpublishedQueueUrl(), { records: keys }, deadline);
    return [];
  } catch (error) {
    logError('Keys of records were not sent to the queue.', logContext(context, started), error, {
      records: keys.length,
    });
    return keys;
  }
}

/**
 * Publishes the records that messages of the queue name.
 * @returns the messages of which the bus did not accept all records. The queue repeats them whole, so each record has the attempts of a new one.
 */
async function publishAgain({ Records: messages }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { body, messageId: itemIdentifier } of messages) {
    const { records } = JSON.parse(body) as UnpublishedRecords;
    if ((await publish(records, maxAttempts, context)).length > 0) batchItemFailures.push({ itemIdentifier });
  }
  return { batchItemFailures };
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
  const left = await giveUp(unpublished, context);
  await compactLogs(event.Records, context);
  return {
    batchItemFailures: left.map((key) => ({
      itemIdentifier: records.get(key)?.dynamodb?.SequenceNumber ?? '',
    })),
  };
}

export async function handler(
  event: DynamoDBStreamEvent | SQSEvent,
  context: Context,
): Promise<DynamoDBBatchResponse | SQSBatchResponse> {
  if (isOfQueue(event)) return publishAgain(event, context);
  return announcing(event.Records, context, () => handleRecords(event, context));
}
