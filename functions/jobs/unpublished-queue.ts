/**
 * Sends the keys of records that were not published to a queue, from which `npm run republish` publishes them. The only file that imports the
 * client of SQS, which belongs into the bundle of one function.
 */
import { SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { Key } from '../engine/model/writes.ts';
import type { Deadline } from '../engine/table/deadline.ts';
import { lazy } from '../runtime/lazy.ts';
import { requestHandler } from '../runtime/request-handler.ts';

/** The body of a message. The partition key of a record names its tenant and its log. */
export interface UnpublishedRecords {
  readonly records: readonly Key[];
}

/** Returns a client for the region of the environment. */
export const connectToQueue = (settings: SQSClientConfig = {}): SQSClient =>
  new SQSClient({
    maxAttempts: 3,
    // The variable for another endpoint would not count otherwise.
    useQueueUrlAsEndpoint: false,
    requestHandler,
    ...settings,
  });

/** Returns the process's one client: its connections stay open. */
const sharedQueueClient = lazy(() => connectToQueue());

/**
 * Sends a message with the keys of records. Those of 100 records, the most in one call of the function, fit into it.
 * @throws Error when the queue did not accept it.
 */
export async function sendToQueue(queueUrl: string, records: readonly Key[], deadline: Deadline) {
  const message: UnpublishedRecords = { records };
  const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) });
  await deadline.limit((abortSignal) => sharedQueueClient().send(command, { abortSignal }));
}
