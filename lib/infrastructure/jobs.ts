import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Access } from '../../functions/shared/contract/contract.ts';
import { jobSortKey } from '../../functions/shared/store/jobs.ts';
import { table as shape } from '../../functions/shared/store/table.ts';
import { jobTimeout, scheduleFile, streamFile } from '../functions.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';

/** What jobs do to the table: they find what hangs on an entity, and change, copy or delete it. */
const access: Access = {
  actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  queriesIndexes: true,
};

const timeout = Duration.millis(jobTimeout);

/** What Lambda does to a stream in the function's name. */
function streamStatements(streamArn: string): PolicyStatement[] {
  return [
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [streamArn],
    }),
    // This one knows no resources.
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
  ];
}

/** Begins jobs within a second of the write that makes them due. */
function onStream(scope: Construct, context: ServiceFunctionContext): void {
  const streamArn = context.table.tableStreamArn;
  if (!streamArn) throw new Error('The table has no stream.');
  const { function: target } = new ServiceFunction(scope, 'onStream', {
    ...context,
    file: streamFile,
    description: 'Begins jobs as the stream tells of them, and goes on with them.',
    access,
    timeout,
    statements: streamStatements(streamArn),
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
    retryAttempts: 4,
  });
}

/** Goes on with jobs that wait for a time, and with those that the stream gave up on. */
function onSchedule(scope: Construct, context: ServiceFunctionContext): void {
  const { function: target } = new ServiceFunction(scope, 'onSchedule', {
    ...context,
    file: scheduleFile,
    description: 'Goes on with jobs that are due.',
    access,
    timeout,
  });
  new Rule(scope, 'Schedule', {
    description: 'Looks for jobs that are due.',
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new FunctionTarget(target)],
  });
}

/** What works off, behind the requests, whatever outgrows one transaction. */
export function jobs(scope: Construct, context: ServiceFunctionContext): void {
  onStream(scope, context);
  onSchedule(scope, context);
}
