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
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { jobMetrics } from '../../functions/jobs/job-metrics.ts';
import { lostPokes } from '../../functions/jobs/publish-pokes.ts';
import { metricNamespace } from '../../functions/runtime/logger.ts';
import type { Jobs } from './jobs.ts';
import type { Live } from './live.ts';
import { accessLogName, requestNamespace } from './names.ts';
import type { Settings } from './settings.ts';
import { highestOf, period, sumOf, withIndexes } from './table-metrics.ts';

export interface MonitoredResources extends Jobs {
  readonly api: HttpApi;
  readonly table: string;
  /** undefined without Cognito. */
  readonly claimTenant: LambdaFunction | undefined;
  /** undefined without backups. */
  readonly backupVault: IBackupVault | undefined;
  /** undefined where changes are not announced. */
  readonly live: Live | undefined;
}

interface Symptom {
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

/** Requests below which a share says nothing. */
const minRequests = 60;

/** Responses that count as all of them, where there are few requests. */
const minCounted = 3;

/** Returns the percentage of requests that a metric counts. */
const shareOfRequests = (api: HttpApi, label: string, counted: IMetric): MathExpression =>
  new MathExpression({
    label,
    expression: `IF(requests >= ${minRequests}, 100 * counted / requests, IF(counted >= ${minCounted}, 100, 0))`,
    usingMetrics: { counted, requests: api.metricCount({ period: shareWindow, statistic: 'Sum' }) },
    period: shareWindow,
  });

const requestSymptoms = ({ api }: MonitoredResources): Symptom[] => [
  {
    heading: 'Requests fail',
    label: '% of responses with 5xx',
    metric: shareOfRequests(
      api,
      '% of responses with 5xx',
      api.metricServerError({ period: shareWindow, statistic: 'Sum' }),
    ),
  },
  {
    heading: 'Requests are slow',
    label: 'ms at the 99th percentile',
    metric: api.metricLatency({ period, statistic: 'p99' }),
    threshold: 3_000,
    periods: 3,
  },
];

/**
 * Returns the number of responses with some statuses. The gateway's own metric counts all of 4xx together, also those that are no problem.
 * @param name of the metric and of its filter of the access log.
 */
function countOfStatuses(
  api: HttpApi,
  settings: Settings,
  name: string,
  statuses: readonly string[],
): Metric {
  const logGroup = LogGroup.fromLogGroupName(api, `${name}Log`, accessLogName(settings));
  const filter = new MetricFilter(api, name, {
    logGroup,
    filterPattern: FilterPattern.any(
      ...statuses.map((status) => FilterPattern.stringValue('$.status', '=', status)),
    ),
    metricNamespace: requestNamespace(settings),
    metricName: name,
  });
  return filter.metric({ period: shareWindow, statistic: 'Sum' });
}

/** The symptoms of callers whom the service turns away. */
function refusalSymptoms({ api, claimTenant }: MonitoredResources, settings: Settings): Symptom[] {
  const shareOf = (
    heading: string,
    name: string,
    statuses: readonly string[],
    threshold: number,
  ): Symptom => {
    const label = `% of responses with ${statuses.join(' or ')}`;
    const counted = countOfStatuses(api, settings, name, statuses);
    return { heading, label, metric: shareOfRequests(api, label, counted), threshold };
  };
  const limited = shareOf('Requests are limited', 'limited', ['429'], 5);
  if (settings.authentication === 'none') return [limited];
  const refused = shareOf('Tokens are refused', 'refused', ['401', '403'], 20);
  if (!claimTenant) return [limited, refused];
  return [
    limited,
    refused,
    {
      heading: 'Sign-in fails',
      label: 'failed calls of the function that adds the tenant to tokens',
      metric: claimTenant.metricErrors({ period, statistic: 'Sum' }),
    },
  ];
}

const backupSymptoms = ({ backupVault }: MonitoredResources): Symptom[] =>
  backupVault
    ? [
        {
          heading: 'Backups fail',
          label: 'failed backups',
          metric: new Metric({
            namespace: 'AWS/Backup',
            metricName: 'NumberOfBackupJobsFailed',
            dimensionsMap: { BackupVaultName: backupVault.backupVaultName },
            statistic: 'Sum',
            period,
          }),
        },
      ]
    : [];

const throttlingSymptoms = ({ table }: MonitoredResources): Symptom[] => [
  {
    heading: 'Functions are throttled',
    label: 'throttled invocations',
    // Concurrency is shared by the account, so the metric covers all functions.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period }),
    threshold: 10,
    periods: 2,
  },
  {
    heading: 'Reads are throttled',
    label: 'throttled reads of the table and its indexes',
    metric: sumOf('throttled', withIndexes(table, 'ReadThrottleEvents')),
    threshold: 10,
    periods: 2,
  },
  {
    heading: 'Writes are throttled',
    label: 'throttled writes of the table and its indexes',
    metric: sumOf('throttled', withIndexes(table, 'WriteThrottleEvents')),
    threshold: 10,
    periods: 2,
  },
  {
    heading: 'A key is hot',
    label: 'writes throttled by the limit of one partition',
    metric: sumOf('throttled', withIndexes(table, 'WriteKeyRangeThroughputThrottleEvents')),
    periods: 3,
  },
  {
    // An alarm of its own, because an alarm can add at most ten metrics.
    heading: 'A key is read too often',
    label: 'reads throttled by the limit of one partition',
    metric: sumOf('throttled', withIndexes(table, 'ReadKeyRangeThroughputThrottleEvents')),
    periods: 3,
  },
];

const jobSymptoms = ({ onStream, onLogRecords, onSchedule, deadLetters }: MonitoredResources): Symptom[] => [
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

const listSymptoms = ({ onLogRecords, onSchedule }: MonitoredResources): Symptom[] => [
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
    metric: highestOf(
      'pending',
      [onLogRecords, onSchedule].map((one) => jobMetric(one, jobMetrics.pending)),
    ),
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

const eventSymptoms = ({ unpublishedEvents }: MonitoredResources): Symptom[] =>
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

const liveSymptoms = ({ live, onLogRecords }: MonitoredResources): Symptom[] =>
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

/** Returns the symptoms with an alarm: one per symptom over all functions, because each alarm costs money and attention. */
export const symptoms = (resources: MonitoredResources, settings: Settings): Symptom[] => [
  ...requestSymptoms(resources),
  ...refusalSymptoms(resources, settings),
  ...throttlingSymptoms(resources),
  ...jobSymptoms(resources),
  ...listSymptoms(resources),
  ...eventSymptoms(resources),
  ...liveSymptoms(resources),
  ...backupSymptoms(resources),
];
