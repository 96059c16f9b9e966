import { randomUUID } from 'node:crypto';
import type { Context, ScheduledEvent } from 'aws-lambda';
import { now } from '../../functions/runtime/time-and-chance.ts';

/** @param cancelled aborts when nobody waits for the response any more. */
export function functionContext(
  requestId: string,
  timeoutMs: number,
  cancelled?: AbortSignal,
): Context & { readonly cancelled?: AbortSignal } {
  const end = now() + timeoutMs;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'local',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:local:000000000000:function:local',
    logGroupName: 'local',
    logStreamName: 'local',
    memoryLimitInMB: '256',
    getRemainingTimeInMillis: () => end - now(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
    ...(cancelled && { cancelled }),
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
