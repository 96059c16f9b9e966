import { CfnOutput, Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  type EventSourceMappingProps,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { recordPrefix } from '../../functions/engine/model/change-log.ts';
import { jobSortKey, wakeUpSortKey } from '../../functions/engine/model/job.ts';
import { table as shape } from '../../functions/engine/model/table.ts';
import {
  jobTimeoutMs,
  logRecordsFile,
  logRecordsWindowMs,
  logRecordsWithBusFile,
  maxLogRecords,
  publishing,
  scheduleFile,
  streamFile,
  streamRetries,
} from '../hosting/functions.ts';
import { createEventBus, putEvents } from './event-bus.ts';
import type { Live } from './live.ts';
import { eventBusName } from './names.ts';
import {
  ServiceFunction,
  type ServiceFunctionContext,
  type ServiceFunctionProperties,
} from './service-function.ts';
import { liveWindow } from './settings.ts';
import { type Access, compactionAccess, jobsAccess, scheduleAccess } from './table-access.ts';

/** Functions that run jobs: work that is too large for the transaction of one request. */
export interface Jobs {
  readonly onStream: LambdaFunction;
  readonly onLogRecords: LambdaFunction;
  /** The mapping of the stream that calls `onLogRecords`. */
  readonly recordsMapping: EventSourceMapping;
  readonly onSchedule: LambdaFunction;
  /** Stream batches and schedule events whose retries failed. Retained for 14 days. */
  readonly deadLetters: Queue;
  /** Records that are not published yet. undefined without an event bus. */
  readonly unpublishedEvents: Queue | undefined;
}

interface JobsContext {
  readonly scope: Construct;
  readonly context: ServiceFunctionContext;
  readonly streamArn: string;
  readonly deadLetters: Queue;
  /** undefined where changes are not announced. */
  readonly live: Live | undefined;
}

interface StreamConsumer
  extends Pick<ServiceFunctionProperties, 'file' | 'description' | 'environment' | 'statements'> {
  /** Names of the function and of its mapping to the stream. */
  readonly ids: readonly [target: string, mapping: string];
  readonly access: Access;
  readonly mapping: Pick<
    EventSourceMappingProps,
    'batchSize' | 'maxBatchingWindow' | 'filters' | 'reportBatchItemFailures' | 'metricsConfig'
  >;
}

const sendTo = ({ queueArn }: Queue): PolicyStatement =>
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queueArn] });

function streamFunction(
  { scope, context, streamArn: eventSourceArn, deadLetters }: JobsContext,
  { ids: [id, mappingId], access, mapping: ofMapping, statements = [], ...properties }: StreamConsumer,
) {
  const { function: target } = new ServiceFunction(scope, id, {
    ...context,
    ...properties,
    timeoutMs: jobTimeoutMs,
    reservedConcurrency: context.settings.streamConcurrency,
    access,
    statements: [
      new PolicyStatement({
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [eventSourceArn],
      }),
      // ListStreams supports no resource-level permissions.
      new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
      sendTo(deadLetters),
      ...statements,
    ],
  });
  const mapping = new EventSourceMapping(scope, mappingId, {
    target,
    eventSourceArn,
    startingPosition: StartingPosition.LATEST,
    // Batches of one shard run at the same time; records of one partition key stay in order.
    parallelizationFactor: 10,
    // A failing batch blocks its part of the shard. The schedule handles the jobs and logs of discarded records.
    bisectBatchOnError: true,
    retryAttempts: streamRetries,
    maxRecordAge: Duration.hours(1),
    // The construct's own destination would add a separate policy resource.
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
    ...ofMapping,
  });
  return { target, mapping };
}

/** Returns the filter for changes of items with a sort key. */
const keysFilter = (events: readonly string[], sortKey: unknown) =>
  FilterCriteria.filter({
    eventName: FilterRule.or(...events),
    dynamodb: { Keys: { [shape.sortKey]: { S: sortKey } } },
  });

/** Returns how long the records are kept with which compaction fills a log. It changes no entities. */
const historyOf = ({ context }: JobsContext): Record<string, string> => ({
  HISTORY_DAYS: String(context.settings.historyDays),
});

/** Returns the pace of the jobs, and how long the records of their changes are kept. */
const changesOf = (own: JobsContext): Record<string, string> => ({
  JOB_CHANGES_PER_SECOND: String(own.context.settings.jobChangesPerSecond),
  ...historyOf(own),
});

/**
 * Starts jobs within a second of the write that creates them. Steps of jobs write items that call the function again. Lambda's recursive-loop detection
 * follows SQS, SNS, S3 and direct calls, but no table's stream, so no function needs `RecursiveLoop: Allow`.
 */
const onStream = (context: JobsContext) =>
  streamFunction(context, {
    ids: ['onStream', 'Stream'],
    file: streamFile,
    description: 'Runs jobs when they appear in the stream.',
    access: jobsAccess,
    environment: changesOf(context),
    mapping: {
      batchSize: 10,
      filters: [
        keysFilter(['INSERT'], FilterRule.isEqual(jobSortKey)),
        keysFilter(['INSERT', 'MODIFY'], FilterRule.isEqual(wakeUpSortKey)),
      ],
      reportBatchItemFailures: true,
    },
  });

const logRecordsIds = ['onLogRecords', 'LogRecords'] as const;

/** Returns the environment of the function that reads new records. */
const ofLogRecords = (own: JobsContext): Record<string, string> => ({
  ...historyOf(own),
  ...(own.live && { LIVE_ENDPOINT: own.live.endpoint }),
});

/** Returns how long new records are collected. Where they are announced, the setting says it: it limits the announcements. */
function windowOf({ context }: JobsContext, withoutLiveMs: number): Duration {
  const seconds = liveWindow(context.settings);
  return seconds === undefined ? Duration.millis(withoutLiveMs) : Duration.seconds(seconds);
}

const ofRecords = {
  filters: [keysFilter(['INSERT'], FilterRule.beginsWith(recordPrefix))],
  metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
};

/** Compacts busy logs soon after records are written to them. */
const onLogRecords = (context: JobsContext) =>
  streamFunction(context, {
    ids: logRecordsIds,
    file: logRecordsFile,
    description: 'Compacts busy change logs.',
    access: compactionAccess,
    environment: ofLogRecords(context),
    statements: context.live ? [context.live.publish] : [],
    mapping: {
      batchSize: maxLogRecords,
      maxBatchingWindow: windowOf(context, logRecordsWindowMs),
      ...ofRecords,
    },
  });

/**
 * Publishes new records as events soon after they are written, and then compacts busy logs. The function sends what it gives up to the queue, which
 * calls it again after each pause. A message that fails again is reported, which is no error of the function: the alarm "Jobs fail" does not count it.
 */
function onLogRecordsWithBus(own: JobsContext, unpublished: Queue) {
  const { scope, context } = own;
  const { settings } = context;
  const { queueArn, queueUrl } = unpublished;
  const { target, mapping } = streamFunction(own, {
    ids: logRecordsIds,
    file: logRecordsWithBusFile,
    description: 'Publishes changes as events, and compacts busy change logs.',
    access: compactionAccess,
    environment: {
      ...ofLogRecords(own),
      EVENT_BUS_NAME: eventBusName(settings),
      UNPUBLISHED_QUEUE_URL: queueUrl,
    },
    statements: [
      ...(own.live ? [own.live.publish] : []),
      putEvents(settings),
      new PolicyStatement({
        actions: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:SendMessage'],
        resources: [queueArn],
      }),
    ],
    mapping: {
      batchSize: publishing.maxRecords,
      maxBatchingWindow: windowOf(own, publishing.windowMs),
      ...ofRecords,
      reportBatchItemFailures: true,
    },
  });
  // Two calls at the same time, the fewest that Lambda allows: a failing bus must not take the concurrency of the stream.
  const unpublishedMapping = new EventSourceMapping(scope, 'Unpublished', {
    target,
    eventSourceArn: queueArn,
    batchSize: 1,
    maxConcurrency: 2,
    reportBatchItemFailures: true,
  });
  Validations.of(unpublishedMapping).acknowledge({
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'A message that the function cannot handle stays in the queue.',
  });
  // A function without its bus would give up the first records.
  target.node.addDependency(createEventBus(scope, settings));
  return { target, mapping };
}

/** Runs delayed jobs, and continues the jobs of discarded stream records. */
function onSchedule(own: JobsContext): LambdaFunction {
  const { scope, context, deadLetters } = own;
  const { function: target } = new ServiceFunction(scope, 'onSchedule', {
    ...context,
    file: scheduleFile,
    description: 'Runs jobs that are due.',
    timeoutMs: jobTimeoutMs,
    access: scheduleAccess,
    reservedConcurrency: context.settings.scheduleConcurrency,
    environment: changesOf(own),
    statements: [sendTo(deadLetters)],
  });
  // EventBridge hands the event over to Lambda's own queue, so the rule's dead-letter queue never receives a call that throws.
  target.configureAsyncInvoke({
    retryAttempts: 2,
    maxEventAge: Duration.minutes(5),
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
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

/** Creates a queue for what was given up, which keeps it for as long as SQS can. */
function queueOf(scope: Construct, id: string, reason: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    // The fewest timeouts of the function that AWS advises: Lambda repeats throttled calls in this time. It is also the pause between two attempts to
    // publish. Two calls at a time limit their cost. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
    visibilityTimeout: Duration.millis(6 * jobTimeoutMs),
  });
  Validations.of(queue).acknowledge(
    { id: 'AwsSolutions-SQS3', reason },
    { id: 'Serverless-SQSRedrivePolicy', reason },
  );
  return queue;
}

/**
 * Creates the functions that run jobs, in the stack of the table: a new stream has a new ARN, and only the stack of the table
 * replaces the event source mappings in the same update.
 */
export function jobs(
  scope: Construct,
  context: ServiceFunctionContext,
  streamArn: string,
  live: Live | undefined,
): Jobs {
  const deadLetters = queueOf(scope, 'DeadLetters', 'This is the dead-letter queue.');
  new CfnOutput(scope, 'DeadLettersUrl', { value: deadLetters.queueUrl });
  const own: JobsContext = { scope, context, streamArn, deadLetters, live };
  const unpublishedEvents = context.settings.eventBus
    ? queueOf(scope, 'UnpublishedEvents', 'Its messages are repeated until they succeed.')
    : undefined;
  const records = unpublishedEvents ? onLogRecordsWithBus(own, unpublishedEvents) : onLogRecords(own);
  return {
    deadLetters,
    unpublishedEvents,
    onStream: onStream(own).target,
    onLogRecords: records.target,
    recordsMapping: records.mapping,
    onSchedule: onSchedule(own),
  };
}
