import { randomUUID } from 'node:crypto';
import type { Context, ScheduledEvent } from 'aws-lambda';

/**
 * What Lambda tells a function of its invocation.
 * @param timeout milliseconds that the function may take.
 */
export function functionContext(requestId: string, timeout: number): Context {
  const end = Date.now() + timeout;
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

/** What EventBridge sends when a rule's time has come. */
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
