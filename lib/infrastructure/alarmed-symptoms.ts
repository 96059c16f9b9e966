/** The symptoms that have an alarm. Each has a section in `docs/operations.md`. */
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { jobMetrics } from '../../functions/jobs/job-metrics.ts';
import { metricNamespace } from '../../functions/runtime/logger.ts';
import type { Jobs } from './jobs.ts';
import { highestOf, period, sumOf, withIndexes } from './table-metrics.ts';

export interface MonitoredResources extends Jobs {
  readonly api: HttpApi;
  readonly table: string;
}

interface Symptom {
  /** Heading of its section in docs/operations.md. */
  readonly heading: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** Consecutive periods of five minutes. */
  readonly periods: number;
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

const requestSymptoms = ({ api }: MonitoredResources): Symptom[] => [
  {
    heading: 'Requests fail',
    label: 'responses with 5xx',
    metric: api.metricServerError({ period, statistic: 'Sum' }),
    threshold: 5,
    periods: 1,
  },
  {
    heading: 'Requests are slow',
    label: 'ms at the 99th percentile',
    metric: api.metricLatency({ period, statistic: 'p99' }),
    threshold: 3_000,
    periods: 3,
  },
];

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
    threshold: 1,
    periods: 3,
  },
  {
    // An alarm of its own, because an alarm can add at most ten metrics.
    heading: 'A key is read too often',
    label: 'reads throttled by the limit of one partition',
    metric: sumOf('throttled', withIndexes(table, 'ReadKeyRangeThroughputThrottleEvents')),
    threshold: 1,
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
    threshold: 1,
    periods: 1,
  },
  {
    heading: 'The schedule has stopped',
    label: 'runs of the schedule',
    metric: onSchedule.metricInvocations({ period, statistic: 'Sum' }),
    threshold: 1,
    periods: 2,
    isTooLittle: true,
  },
  {
    heading: 'Compaction is late',
    label: 'ms after a reminder was due',
    metric: jobMetric(onSchedule, jobMetrics.delay),
    // Records expire after 30 days.
    threshold: 1_800_000,
    periods: 1,
  },
  {
    heading: 'Due work is left',
    label: 'tenants and logs that a run of the schedule left',
    metric: jobMetric(onSchedule, jobMetrics.left),
    threshold: 10,
    periods: 3,
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
    heading: 'A job takes hours',
    label: 'ms since the oldest job began',
    metric: jobMetric(onSchedule, jobMetrics.age),
    threshold: 14_400_000,
    periods: 1,
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
    threshold: 1,
    periods: 1,
  },
];

/** Returns the symptoms with an alarm: one per symptom over all functions, because each alarm costs money and attention. */
export const symptoms = (resources: MonitoredResources): Symptom[] => [
  ...requestSymptoms(resources),
  ...throttlingSymptoms(resources),
  ...jobSymptoms(resources),
];
