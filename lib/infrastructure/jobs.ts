import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { compactionAccess, jobsAccess, scheduleAccess } from '../../functions/shared/contract/permissions.ts';
import { recordPrefix } from '../../functions/shared/store/model/change-log.ts';
import { busyIntervalMs, jobSortKey } from '../../functions/shared/store/model/job.ts';
import { table as shape } from '../../functions/shared/store/model/table.ts';
import {
  jobTimeoutMs,
  logRecordsFile,
  scheduleFile,
  streamFile,
  streamRetries,
} from '../hosting/functions.ts';
import type { DataStack } from './data-stack.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';

/** Functions that run jobs: work that is too large for the transaction of one request. */
export interface Jobs {
  readonly onStream: LambdaFunction;
  readonly onLogRecords: LambdaFunction;
  readonly onSchedule: LambdaFunction;
  /** Stream batches and schedule events whose retries failed. Retained for 14 days. */
  readonly deadLetters: Queue;
}

/** Permissions that Lambda needs to read the stream with the role of the function. */
const streamStatements = (streamArn: string, deadLetters: Queue): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    resources: [streamArn],
  }),
  // ListStreams supports no resource-level permissions.
  new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
];

function streamArnOf({ tableStreamArn }: DataStack['table']): string {
  if (!tableStreamArn) throw new Error('The table has no stream.');
  return tableStreamArn;
}

/** Starts jobs within a second of the write that creates them. */
function onStream(
  scope: Construct,
  context: ServiceFunctionContext,
  { table }: DataStack,
  deadLetters: Queue,
): LambdaFunction {
  const streamArn = streamArnOf(table);
  const { function: target } = new ServiceFunction(scope, 'onStream', {
    ...context,
    file: streamFile,
    description: 'Runs jobs when they appear in the stream.',
    timeoutMs: jobTimeoutMs,
    data: { table, access: jobsAccess },
    statements: streamStatements(streamArn, deadLetters),
  });
  new EventSourceMapping(scope, 'Stream', {
    target,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.LATEST,
    batchSize: 10,
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.or('INSERT', 'MODIFY'),
        dynamodb: { Keys: { [shape.sortKey]: { S: FilterRule.isEqual(jobSortKey) } } },
      }),
    ],
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    // A failing batch blocks its shard. The schedule continues the jobs of discarded records.
    retryAttempts: streamRetries,
    maxRecordAge: Duration.hours(1),
    // The construct's own destination would add a separate policy resource.
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
  });
  return target;
}

/** Seconds for which new records of logs are collected: as long as the time between two steps of a busy log. */
const logRecordsWindow = Duration.millis(busyIntervalMs);

/** Compacts busy logs soon after records are written to them. */
function onLogRecords(
  scope: Construct,
  context: ServiceFunctionContext,
  { table }: DataStack,
  deadLetters: Queue,
): LambdaFunction {
  const streamArn = streamArnOf(table);
  const { function: target } = new ServiceFunction(scope, 'onLogRecords', {
    ...context,
    file: logRecordsFile,
    description: 'Compacts busy change logs.',
    timeoutMs: jobTimeoutMs,
    data: { table, access: compactionAccess },
    statements: streamStatements(streamArn, deadLetters),
  });
  new EventSourceMapping(scope, 'LogRecords', {
    target,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.LATEST,
    batchSize: 1_000,
    maxBatchingWindow: logRecordsWindow,
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('INSERT'),
        dynamodb: { Keys: { [shape.sortKey]: { S: FilterRule.beginsWith(recordPrefix) } } },
      }),
    ],
    retryAttempts: 0,
    // A batch that fails is left to the schedule.
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
  });
  return target;
}

/** Runs delayed jobs, and continues the jobs of discarded stream records. */
function onSchedule(
  scope: Construct,
  context: ServiceFunctionContext,
  { table }: DataStack,
  deadLetters: Queue,
): LambdaFunction {
  const { function: target } = new ServiceFunction(scope, 'onSchedule', {
    ...context,
    file: scheduleFile,
    description: 'Runs jobs that are due.',
    timeoutMs: jobTimeoutMs,
    data: { table, access: scheduleAccess },
  });
  new Rule(scope, 'Schedule', {
    description: 'Runs jobs that are due.',
    schedule: Schedule.rate(Duration.minutes(1)),
    // The next event comes a minute later, so retries for 24 hours (the default) are pointless.
    targets: [
      new FunctionTarget(target, {
        deadLetterQueue: deadLetters,
        retryAttempts: 2,
        maxEventAge: Duration.minutes(5),
      }),
    ],
  });
  return target;
}

export function jobs(scope: Construct, context: ServiceFunctionContext, data: DataStack): Jobs {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(deadLetters).acknowledge(
    { id: 'AwsSolutions-SQS3', reason: 'This is the dead-letter queue.' },
    { id: 'Serverless-SQSRedrivePolicy', reason: 'This is the dead-letter queue.' },
  );
  return {
    deadLetters,
    onStream: onStream(scope, context, data, deadLetters),
    onLogRecords: onLogRecords(scope, context, data, deadLetters),
    onSchedule: onSchedule(scope, context, data, deadLetters),
  };
}
