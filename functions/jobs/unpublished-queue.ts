/**
 * Sends the keys of records that were not published to a queue, which calls the function that publishes them after a pause. The only file that
 * imports the client of SQS, which belongs into the bundle of one function.
 */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Key } from '../engine/model/writes.ts';
import type { Deadline } from '../engine/table/deadline.ts';
import { lazy } from '../runtime/lazy.ts';
import { requestHandler } from '../runtime/request-handler.ts';

/** The body of a message. The partition key of a record names its tenant and its log. */
export interface UnpublishedRecords {
  readonly records: readonly Key[];
  /** How often they were not published. */
  readonly failures: number;
}

/** Seconds of the first pause. Each one is twice as long as the one before, up to the longest that SQS has. */
const firstPauseSeconds = 30;
const maxPauseSeconds = 900;

/** Returns the process's one client: its connections stay open. The variable for another endpoint would not count otherwise. */
const sharedQueueClient = lazy(
  () => new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false, requestHandler }),
);

/**
 * Sends a message with the keys of records. Those of 100 records, the most in one call of the function, fit into it.
 * @throws Error when the queue did not accept it.
 */
export async function sendToQueue(queueUrl: string, message: UnpublishedRecords, deadline: Deadline) {
  const command = new SendMessageCommand({
    QueueUrl: queueUrl,
    MessageBody: JSON.stringify(message),
    DelaySeconds: Math.min(maxPauseSeconds, firstPauseSeconds * 2 ** (message.failures - 1)),
  });
  await deadline.limit((abortSignal) => sharedQueueClient().send(command, { abortSignal }));
}
