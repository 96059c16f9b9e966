import { randomUUID } from 'node:crypto';
import type { Context, DynamoDBStreamEvent, ScheduledEvent } from 'aws-lambda';

export function functionContext(requestId: string, timeoutMs: number): Context {
  const end = Date.now() + timeoutMs;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'local',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:local:000000000000:function:local',
    logGroupName: 'local',
    logStreamName: 'local',
    memoryLimitInMB: '256',
    getRemainingTimeInMillis: () => end - Date.now(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

export const scheduledEvent = (): ScheduledEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: new Date().toISOString(),
  region: process.env['AWS_REGION'] ?? '',
  resources: [],
  detail: {},
});

/** A change of an item. The table's stream reports its keys only. */
export interface ItemChange {
  readonly pk: string;
  readonly sk: string;
  /** Default: `INSERT`. */
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
}

/** Returns the event that Lambda builds from records of the table's stream, with sequence numbers in their order. */
export const streamEvent = (...changes: readonly ItemChange[]): DynamoDBStreamEvent => ({
  Records: changes.map(({ pk, sk, eventName = 'INSERT' }, position) => ({
    eventID: randomUUID(),
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: process.env['AWS_REGION'] ?? '',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1_000),
      Keys: { pk: { S: pk }, sk: { S: sk } },
      SequenceNumber: String(position + 1).padStart(21, '0'),
      StreamViewType: 'KEYS_ONLY',
    },
  })),
});
