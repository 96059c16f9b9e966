/** The symptoms that have an alarm. Each has a section in `docs/operations.md`. */

import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IBackupVault } from 'aws-cdk-lib/aws-backup';
import {
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  LogGroup,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { jobMetrics } from '../../functions/jobs/job-metrics.ts';
import { lostPokes } from '../../functions/jobs/publish-pokes.ts';
import { metricNamespace } from '../../functions/runtime/logger.ts';
import type { Accounts } from './accounts.ts';
import type { Jobs } from './jobs.ts';
import type { Live } from './live.ts';
import { accessLogName, requestNamespace, tableNameOf } from './names.ts';
import type { Settings } from './settings.ts';
import { highestOf, period, sumOf, withIndexes } from './table-metrics.ts';

/** What the data stack has that an alarm watches. */
interface WatchedData {
  readonly jobs: Jobs;
  /** undefined without Cognito. */
  readonly accounts: Accounts | undefined;
  /** undefined where changes are not announced. */
  readonly live: Live | undefined;
  /** undefined without backups. */
  readonly backupVault: IBackupVault | undefined;
  readonly functionLog: ILogGroup;
}

export interface Symptom {
  /** Heading of its section in docs/operations.md. */
  readonly heading: string;
  readonly metric: Metric | MathExpression;
  /** Default: 1. */
  readonly threshold?: number;
  /** Consecutive periods of the metric. Default: 1. */
  readonly periods?: number;
  /** Unit of the metric, for the alarm description. */
  readonly label: string;
  /** Whether the alarm is about too little: fewer than the threshold, or no data at all. */
  readonly isTooLittle?: boolean;
  /** Whether users are affected now, so that it cannot wait until the morning. */
  readonly isUrgent?: boolean;
}

export const comparisonOf = ({ isTooLittle }: Symptom) =>
  isTooLittle
    ? {
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      }
    : {
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      };

const jobMetric = ({ functionName }: LambdaFunction, metricName: string): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { FunctionName: functionName },
    statistic: 'Maximum',
    period,
  });

/** Time in which requests are counted. CloudWatch looks at the last one every minute. */
const shareWindow = Duration.minutes(15);

/** Requests below which a share says nothing: the canary alone sends 90. */
const minRequests = 150;

/** Responses below which there is no alarm, and that count as all of them where there are few requests. */
const minCounted = 3;

/** Returns the percentage of requests that a metric counts. */
const shareOfRequests = (api: HttpApi, label: string, counted: IMetric): MathExpression =>
  new MathExpression({
    label,
    expression: `IF(counted < ${minCounted}, 0, IF(requests >= ${minRequests}, 100 * counted / requests, 100))`,
    usingMetrics: { counted, requests: api.metricCount({ period: shareWindow, statistic: 'Sum' }) },
    period: shareWindow,
  });

const requestSymptoms = (api: HttpApi): Symptom[] => [
  {
    heading: 'Requests fail',
    label: '% of responses with 5xx',
    metric: shareOfRequests(
      api,
      '% of responses with 5xx',
      api.metricServerError({ period: shareWindow, statistic: 'Sum' }),
    ),
    isUrgent: true,
  },
  {
    heading: 'Requests are slow',
    label: 'ms at the 99th percentile',
    metric: api.metricLatency({ period, statistic: 'p99' }),
    threshold: 3_000,
    periods: 3,
    isUrgent: true,
  },
];

interface LogMetric {
  /** Name of the metric and of its filter. */
  readonly name: string;
  readonly logGroup: ILogGroup;
  readonly pattern: IFilterPattern;
  /** What the metric counts of a line. Default: the line. */
  readonly value?: string;
}

/** Returns a metric of the lines of a log. */
function metricOfLog(
  scope: Construct,
  settings: Settings,
  { name, logGroup, pattern, value }: LogMetric,
): MetricFilter {
  return new MetricFilter(scope, name, {
    logGroup,
    filterPattern: pattern,
    metricNamespace: requestNamespace(settings),
    metricName: name,
    ...(value && { metricValue: value }),
  });
}

/** The symptoms of callers whom the service turns away. The gateway's own metric counts all of 4xx together, also those that are no problem. */
function refusalSymptoms(api: HttpApi, settings: Settings): Symptom[] {
  const logGroup = LogGroup.fromLogGroupName(api, 'RefusalLog', accessLogName(settings));
  const shareOf = (
    heading: string,
    name: string,
    statuses: readonly string[],
    threshold: number,
  ): Symptom => {
    const label = `% of responses with ${statuses.join(' or ')}`;
    const filter = metricOfLog(api, settings, {
      name,
      logGroup,
      pattern: FilterPattern.any(
        ...statuses.map((status) => FilterPattern.stringValue('$.status', '=', status)),
      ),
    });
    const counted = filter.metric({ period: shareWindow, statistic: 'Sum' });
    return { heading, label, metric: shareOfRequests(api, label, counted), threshold, isUrgent: true };
  };
  const limited = shareOf('Requests are limited', 'limited', ['429'], 5);
  if (settings.authentication === 'none') return [limited];
  return [limited, shareOf('Tokens are refused', 'refused', ['401', '403'], 20)];
}

/** Returns the symptom of calls that Lambda refuses. All functions of the account share its concurrency, and its metric, unless it has their tags. */
function concurrencySymptom({ stage, metricTags }: Settings): Symptom {
  const query = `SELECT SUM(Throttles) FROM SCHEMA("AWS/Lambda", FunctionName) WHERE tag.application = 'project-management' AND tag.stage = '${stage}'`;
  return {
    heading: 'Functions are throttled',
    label: metricTags ? 'throttled invocations' : 'throttled invocations of all functions of the account',
    metric: metricTags
      ? new MathExpression({ expression: query, usingMetrics: {}, label: 'Throttles', period })
      : new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period }),
    threshold: 10,
    periods: 2,
    isUrgent: true,
  };
}

const canarySymptoms = (canary: LambdaFunction | undefined): Symptom[] =>
  canary
    ? [
        {
          heading: 'The canary fails',
          label: 'successful runs of the function that uses the service from outside',
          metric: new MathExpression({
            label: 'successful runs',
            expression: 'FILL(runs, 0) - FILL(failed, 0)',
            usingMetrics: {
              runs: canary.metricInvocations({ period }),
              failed: canary.metricErrors({ period }),
            },
            period,
          }),
          threshold: 3,
          // Data can come late.
          periods: 2,
          isTooLittle: true,
          isUrgent: true,
        },
      ]
    : [];

/** Returns the symptoms of the stack of the API. */
export const symptomsOfApi = (
  api: HttpApi,
  canary: LambdaFunction | undefined,
  settings: Settings,
): Symptom[] => [
  ...canarySymptoms(canary),
  ...requestSymptoms(api),
  ...refusalSymptoms(api, settings),
  concurrencySymptom(settings),
];

const signInSymptoms = ({ accounts }: WatchedData): Symptom[] =>
  accounts
    ? [
        {
          heading: 'Sign-in fails',
          label: 'failed calls of the function that adds the tenant to tokens',
          metric: accounts.claimTenant.metricErrors({ period, statistic: 'Sum' }),
          isUrgent: true,
        },
      ]
    : [];

/** Returns a symptom of daily jobs in a vault, also when none begins: then none fails. */
const missingJobs = (heading: string, label: string, metricName: string, vault: IBackupVault): Symptom => ({
  heading,
  label,
  metric: new Metric({
    namespace: 'AWS/Backup',
    metricName,
    dimensionsMap: { BackupVaultName: vault.backupVaultName },
    statistic: 'Sum',
    period: Duration.hours(6),
  }),
  // One job can take longer than the one before.
  periods: 5,
  isTooLittle: true,
});

function backupSymptoms({ backupVault }: WatchedData, { backupCopyVaultArn }: Settings): Symptom[] {
  if (!backupVault) return [];
  const failing = missingJobs(
    'Backups fail',
    'completed backups',
    'NumberOfBackupJobsCompleted',
    backupVault,
  );
  const copies = missingJobs(
    'Copies of backups fail',
    'completed copies of backups',
    'NumberOfCopyJobsCompleted',
    backupVault,
  );
  return backupCopyVaultArn ? [failing, copies] : [failing];
}

const throttlingSymptoms = (table: string): Symptom[] => [
  {
    heading: 'Reads are throttled',
    label: 'throttled reads of the table and its indexes',
    metric: sumOf('throttled', withIndexes(table, 'ReadThrottleEvents')),
    threshold: 10,
    periods: 2,
    isUrgent: true,
  },
  {
    heading: 'Writes are throttled',
    label: 'throttled writes of the table and its indexes',
    metric: sumOf('throttled', withIndexes(table, 'WriteThrottleEvents')),
    threshold: 10,
    periods: 2,
    isUrgent: true,
  },
  {
    heading: 'A key is hot',
    label: 'writes throttled by the limit of one partition',
    metric: sumOf('throttled', withIndexes(table, 'WriteKeyRangeThroughputThrottleEvents')),
    periods: 3,
    isUrgent: true,
  },
  {
    // An alarm of its own, because an alarm can add at most ten metrics.
    heading: 'A key is read too often',
    label: 'reads throttled by the limit of one partition',
    metric: sumOf('throttled', withIndexes(table, 'ReadKeyRangeThroughputThrottleEvents')),
    periods: 3,
    isUrgent: true,
  },
];

const jobSymptoms = ({ onStream, onLogRecords, onSchedule, deadLetters }: Jobs): Symptom[] => [
  {
    heading: 'Jobs lag behind',
    label: 'ms iterator age',
    metric: highestOf(
      'iterator age',
      [onStream, onLogRecords].map((one) => one.metric('IteratorAge', { period, statistic: 'Maximum' })),
    ),
    threshold: 60_000,
    periods: 2,
  },
  {
    heading: 'The stream has stopped',
    label: 'jobs that the stream did not start',
    // One is enough: where large deletions are rare, a second one would come days later.
    metric: jobMetric(onSchedule, jobMetrics.missed),
  },
  {
    heading: 'The schedule has stopped',
    label: 'runs of the schedule',
    metric: onSchedule.metricInvocations({ period, statistic: 'Sum' }),
    periods: 2,
    isTooLittle: true,
  },
  {
    heading: 'Due work is left',
    label: 'tenants and logs that a run of the schedule left',
    metric: jobMetric(onSchedule, jobMetrics.left),
    threshold: 10,
    periods: 3,
  },
  {
    heading: 'A job takes hours',
    label: 'ms since the oldest job began',
    metric: jobMetric(onSchedule, jobMetrics.age),
    threshold: 14_400_000,
  },
  {
    heading: 'Jobs fail',
    label: 'failed calls',
    metric: sumOf(
      'failed',
      [onStream, onLogRecords, onSchedule].map((one) => one.metricErrors({ period })),
    ),
    threshold: 3,
    periods: 3,
  },
  {
    heading: 'There are dead letters',
    label: 'dead letters',
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
  },
];

/**
 * The fewest write units of a request that writes a record: the transaction of a tag takes 5, with its position. What else a request writes without a record, as
 * the count of its units, takes fewer.
 */
const minUnitsOfRecord = 5;

/** Requests that write, from which on the function must have been called. */
const minWrites = 50;

function listSymptoms(
  scope: Construct,
  { jobs: { onLogRecords, onSchedule, recordsMapping }, functionLog: logGroup }: WatchedData,
  settings: Settings,
): Symptom[] {
  const writes = metricOfLog(scope, settings, {
    name: 'writes',
    logGroup,
    pattern: FilterPattern.all(
      FilterPattern.stringValue('$.message', '=', 'The request is finished.'),
      FilterPattern.numberValue('$.writeUnits', '>=', minUnitsOfRecord),
    ),
  });
  const pending = metricOfLog(scope, settings, {
    name: 'pendingRecords',
    logGroup,
    pattern: FilterPattern.numberValue('$.pendingRecords', '>', 0),
    value: '$.pendingRecords',
  });
  return [
    {
      heading: 'Records are not delivered',
      label: 'times that requests wrote and the stream delivered nothing',
      metric: new MathExpression({
        label: 'not delivered',
        expression: `IF(FILL(writes, 0) >= ${minWrites} AND FILL(delivered, 0) < 1, 1, 0)`,
        usingMetrics: {
          writes: writes.metric({ period: shareWindow, statistic: 'Sum' }),
          // Not the calls of the function: a queue calls it too.
          delivered: new Metric({
            namespace: 'AWS/Lambda',
            metricName: 'InvokedEventCount',
            dimensionsMap: { EventSourceMappingUUID: recordsMapping.eventSourceMappingId },
            statistic: 'Sum',
            period: shareWindow,
          }),
        },
        period: shareWindow,
      }),
      // With the longest window, the first batch comes five minutes after the first writes.
      periods: 2,
      isUrgent: true,
    },
    {
      heading: 'Compaction is late',
      label: 'ms after a reminder was due',
      metric: jobMetric(onSchedule, jobMetrics.delay),
      // Records expire after 7 days or more.
      threshold: 1_800_000,
    },
    {
      heading: 'Change logs are long',
      label: 'records that are not in columns',
      // What the functions count that compact, and lists, which count also while the stream delivers nothing.
      metric: highestOf('pending', [
        ...[onLogRecords, onSchedule].map((one) => jobMetric(one, jobMetrics.pending)),
        pending.metric({ period, statistic: 'Maximum' }),
      ]),
      threshold: 1_000,
      periods: 3,
    },
    {
      heading: 'Changes are not compacted',
      label: 'logs with a change that is four days old, or that could not be visited',
      // The visit of a log is daily.
      metric: jobMetric(onSchedule, jobMetrics.uncompacted).with({ period: Duration.days(1) }),
    },
  ];
}

const eventSymptoms = ({ unpublishedEvents }: Jobs): Symptom[] =>
  unpublishedEvents
    ? [
        {
          heading: 'Events are not published',
          label: 'batches of changes that wait for the bus',
          // A message that failed is in flight until the next attempt.
          metric: sumOf('Messages', [
            unpublishedEvents.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
            unpublishedEvents.metricApproximateNumberOfMessagesNotVisible({ period, statistic: 'Maximum' }),
          ]),
        },
      ]
    : [];

const liveSymptoms = ({ live, jobs: { onLogRecords } }: WatchedData): Symptom[] =>
  live
    ? [
        {
          heading: 'Pokes are lost',
          label: 'pokes that were not published',
          // The function counts them in its log, also when it cannot reach AppSync.
          metric: jobMetric(onLogRecords, lostPokes).with({ statistic: 'Sum' }),
        },
      ]
    : [];

/** Returns the symptoms of the stack of the data: one per symptom over all functions, because each alarm costs money and attention. */
export const symptomsOfData = (scope: Construct, data: WatchedData, settings: Settings): Symptom[] => [
  ...signInSymptoms(data),
  ...throttlingSymptoms(tableNameOf(settings)),
  ...jobSymptoms(data.jobs),
  ...listSymptoms(scope, data, settings),
  ...eventSymptoms(data.jobs),
  ...liveSymptoms(data),
  ...backupSymptoms(data, settings),
];
