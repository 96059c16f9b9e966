/** Sends the keys of unpublished records to a queue. The only file that imports the client of SQS, which belongs into the bundle of one function. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Key } from '../engine/model/writes.ts';
import type { Deadline } from '../engine/table/deadline.ts';
import { lazy } from '../runtime/lazy.ts';
import { requestHandler } from '../runtime/request-handler.ts';

/** The body of a message. The partition key of a record names its tenant and its log. */
export interface UnpublishedRecords {
  readonly records: readonly Key[];
}

/** Returns the process's one client: its connections stay open. The variable for another endpoint would not count otherwise. */
const sharedQueueClient = lazy(
  () => new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false, requestHandler }),
);

/**
 * Sends a message with the keys of records. Those of 100 records, the most in one call of the function, fit into it.
 * @throws Error when the queue did not accept it.
 */
export async function sendToQueue(queueUrl: string, message: UnpublishedRecords, deadline: Deadline) {
  const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) });
  await deadline.limit((abortSignal) => sharedQueueClient().send(command, { abortSignal }));
}
