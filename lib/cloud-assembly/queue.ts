/** A queue of SQS on this machine: how it responds to a message, and how Lambda calls a function with it. */
import { createHash, randomUUID } from 'node:crypto';
import type { SendMessageRequest } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';

/** Bytes of a message, at most. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const maxBytes = 256 * 1_024;

/** Calls of a chain, in which messages call functions that send messages. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html */
const maxCalls = 16;

export interface JsonResponse {
  readonly status: number;
  readonly body: object;
}

/** Returns the name of the queue that a request names. */
export const queueOf = ({ QueueUrl = '' }: Partial<SendMessageRequest>): string =>
  QueueUrl.split('/').at(-1) ?? '';

/** Handles a `SendMessage` request. */
export function sendMessage({ MessageBody = '' }: Partial<SendMessageRequest>): JsonResponse {
  const bytes = Buffer.byteLength(MessageBody);
  if (bytes === 0 || bytes > maxBytes) {
    const message = `One or more parameters are invalid. Reason: Message must have 1 to ${maxBytes} bytes.`;
    return { status: 400, body: { __type: 'com.amazonaws.sqs#InvalidParameterValue', message } };
  }
  // The SDK compares the digest.
  const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
  return { status: 200, body: { MessageId: randomUUID(), MD5OfMessageBody } };
}

/** Properties of a queue and of its mapping to a function. */
export interface QueueProperties {
  readonly DelaySeconds?: number;
  readonly VisibilityTimeout?: number;
  readonly FunctionResponseTypes?: readonly string[];
}

/** Returns a function that sends a message, with the trace header of its sender. `call` gets one message at a time, and how many calls led to it. */
export function startQueue(
  { DelaySeconds = 0, VisibilityTimeout = 30, FunctionResponseTypes: types }: QueueProperties,
  call: (event: object, requestId: string, calls: number) => Promise<SQSBatchResponse>,
) {
  const isFailure = ({ batchItemFailures }: SQSBatchResponse) => !!types && batchItemFailures.length > 0;
  let running = Promise.resolve(false);
  const deliver = async (body: string, calls: number, delay: number): Promise<void> => {
    const event = { Records: [{ messageId: randomUUID(), body, eventSource: 'aws:sqs' }] };
    for (let pause = delay; ; pause = VisibilityTimeout) {
      // Milliseconds instead of seconds: an hour of pauses takes four seconds.
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
      if (calls >= maxCalls) return console.error(`Lambda has stopped a loop after ${maxCalls} calls.`);
      running = running.then(() => call(event, randomUUID(), calls)).then(isFailure, () => true);
      if (!(await running)) return;
    }
  };
  return (request: Partial<SendMessageRequest>, trace: string): JsonResponse => {
    const response = sendMessage(request);
    const calls = 1 + Number(/Lineage=[^;]*:(\d+)/.exec(trace)?.[1] ?? 0);
    if (response.status === 200)
      void deliver(request.MessageBody ?? '', calls, request.DelaySeconds ?? DelaySeconds);
    return response;
  };
}
