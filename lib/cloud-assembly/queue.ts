/** A queue of SQS on this machine: how it responds to a message. */
import { createHash, randomUUID } from 'node:crypto';
import type { SendMessageRequest } from '@aws-sdk/client-sqs';

/** Bytes of a message, at most. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const maxBytes = 256 * 1_024;

export interface JsonResponse {
  readonly status: number;
  readonly body: object;
}

/** Returns the name of the queue that a request names. */
export const queueOf = ({ QueueUrl = '' }: Partial<SendMessageRequest>): string =>
  QueueUrl.split('/').at(-1) ?? '';

/** Returns the digest with which SQS confirms the body of a message. The SDK compares it. */
const md5Of = (body: string): string => createHash('md5').update(body).digest('hex');

/** Handles a `SendMessage` request. */
export function sendMessage({ MessageBody = '' }: Partial<SendMessageRequest>): JsonResponse {
  const bytes = Buffer.byteLength(MessageBody);
  if (bytes === 0 || bytes > maxBytes) {
    const message = `One or more parameters are invalid. Reason: Message must have 1 to ${maxBytes} bytes.`;
    return { status: 400, body: { __type: 'com.amazonaws.sqs#InvalidParameterValue', message } };
  }
  return { status: 200, body: { MessageId: randomUUID(), MD5OfMessageBody: md5Of(MessageBody) } };
}
