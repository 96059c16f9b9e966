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
import { jobsAccess } from '../../functions/shared/contract/access.ts';
import { jobSortKey } from '../../functions/shared/store/cascades/job.ts';
import { table as shape } from '../../functions/shared/store/model/table.ts';
import { jobTimeoutMs, scheduleFile, streamFile, streamRetries } from '../hosting/functions.ts';
import type { DataStack } from './data-stack.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';

/** What works off, behind the requests, whatever outgrows one transaction. */
export interface Jobs {
  readonly onStream: LambdaFunction;
  readonly onSchedule: LambdaFunction;
  /** Says, for two weeks, which batches and calls were given up. */
  readonly deadLetters: Queue;
}

/** What Lambda does to a stream in the function's name. */
const streamStatements = (streamArn: string, deadLetters: Queue): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    resources: [streamArn],
  }),
  // This one knows no resources.
  new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
];

/** Begins jobs within a second of the write that makes them due. */
function onStream(
  scope: Construct,
  context: ServiceFunctionContext,
  { table }: DataStack,
  deadLetters: Queue,
): LambdaFunction {
  const streamArn = table.tableStreamArn;
  if (!streamArn) throw new Error('The table has no stream.');
  const { function: target } = new ServiceFunction(scope, 'onStream', {
    ...context,
    file: streamFile,
    description: 'Begins jobs as the stream tells of them, and goes on with them.',
    timeout: jobTimeoutMs,
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
    // A shard waits behind a batch that fails. What is given up here, the schedule comes back to.
    retryAttempts: streamRetries,
    maxRecordAge: Duration.hours(1),
    // The construct's own would add the permission in a policy apart.
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
  });
  return target;
}

/** Goes on with jobs that wait for a time, and with those that the stream gave up on. */
function onSchedule(
  scope: Construct,
  context: ServiceFunctionContext,
  { table }: DataStack,
  deadLetters: Queue,
): LambdaFunction {
  const { function: target } = new ServiceFunction(scope, 'onSchedule', {
    ...context,
    file: scheduleFile,
    description: 'Goes on with jobs that are due.',
    timeout: jobTimeoutMs,
    data: { table, access: jobsAccess },
  });
  new Rule(scope, 'Schedule', {
    description: 'Looks for jobs that are due.',
    schedule: Schedule.rate(Duration.minutes(1)),
    // The next minute does what this one did not: there is no need to try for a day.
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
    { id: 'AwsSolutions-SQS3', reason: 'This is the queue for dead letters.' },
    { id: 'Serverless-SQSRedrivePolicy', reason: 'This is the queue for dead letters.' },
  );
  return {
    deadLetters,
    onStream: onStream(scope, context, data, deadLetters),
    onSchedule: onSchedule(scope, context, data, deadLetters),
  };
}
