import { Aws, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { compactionMetrics } from '../../functions/jobs/compaction-metrics.ts';
import { metricNamespace } from '../../functions/shared/log.ts';
import type { Jobs } from './jobs.ts';
import type { Settings } from './settings.ts';

export interface MonitoredResources extends Jobs {
  readonly api: HttpApi;
  readonly table: TableV2;
}

interface Symptom {
  /** Heading of its section in docs/operations.md. */
  readonly heading: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** Consecutive periods of five minutes above the threshold. */
  readonly periods: number;
  /** Unit of the metric, for the alarm description. */
  readonly label: string;
}

const period = Duration.minutes(5);

const tableMetric = ({ tableName }: TableV2, metricName: string, statistic = 'Sum'): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: tableName },
    statistic,
    period,
  });

/** Returns a metric that the schedule writes to its log. */
const compactionMetric = ({ functionName }: LambdaFunction, metricName: string): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { FunctionName: functionName },
    statistic: 'Maximum',
    period,
  });

const sum = (label: string, usingMetrics: Record<string, IMetric>): MathExpression =>
  new MathExpression({ expression: Object.keys(usingMetrics).join(' + '), usingMetrics, label, period });

/** Returns the symptoms with an alarm: one per symptom over all functions, because each alarm costs money and attention. */
function symptoms({
  api,
  table,
  onStream,
  onLogRecords,
  onSchedule,
  deadLetters,
}: MonitoredResources): Symptom[] {
  // Concurrency is shared by the account, so the metric covers all functions.
  const functionThrottles = new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Throttles',
    statistic: 'Sum',
    period,
  });
  return [
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
    {
      heading: 'Something is throttled',
      label: 'throttled calls',
      metric: sum('throttled', {
        functions: functionThrottles,
        reads: tableMetric(table, 'ReadThrottleEvents'),
        writes: tableMetric(table, 'WriteThrottleEvents'),
      }),
      threshold: 10,
      periods: 2,
    },
    {
      heading: 'Transactions conflict',
      label: 'conflicts',
      metric: tableMetric(table, 'TransactionConflict'),
      threshold: 500,
      periods: 2,
    },
    {
      heading: 'Jobs lag behind',
      label: 'ms iterator age',
      metric: onStream.metric('IteratorAge', { period, statistic: 'Maximum' }),
      threshold: 60_000,
      periods: 2,
    },
    {
      heading: 'Compaction is late',
      label: 'ms after a step was due',
      metric: compactionMetric(onSchedule, compactionMetrics.delay),
      threshold: 120_000,
      periods: 1,
    },
    {
      heading: 'Change logs are long',
      label: 'records that are not in columns',
      metric: compactionMetric(onSchedule, compactionMetrics.pending),
      threshold: 1_000,
      periods: 3,
    },
    {
      heading: 'Jobs fail',
      label: 'failed calls',
      metric: sum('failed', {
        stream: onStream.metricErrors({ period }),
        records: onLogRecords.metricErrors({ period }),
        schedule: onSchedule.metricErrors({ period }),
      }),
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
}

/** Topic for alarms. It is not encrypted: CloudWatch cannot use the AWS managed key, and alarms contain no data. */
function alarmTopic(scope: Construct, { alarmEmail }: Settings): Topic {
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  // The enforceSSL policy replaces the default policy, which allows alarms of the account to publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  if (alarmEmail) {
    topic.addSubscription(new EmailSubscription(alarmEmail));
    Validations.of(topic).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'An alarm mail that cannot be delivered is useless later.',
    });
  }
  return topic;
}

const camel = (heading: string): string =>
  heading.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the Markdown anchor of a heading. */
const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** Creates the alarms, each with a link to its runbook, and the dashboard. */
export function observability(
  scope: Construct,
  settings: Settings,
  resources: MonitoredResources,
): { readonly dashboardUrl: string } {
  const { api, table } = resources;
  const topic = alarmTopic(scope, settings);
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: `project-management-${settings.stage}`,
  });
  const widgets = symptoms(resources).map(({ heading, label, metric, threshold, periods }) => {
    const alarm = new Alarm(scope, camel(heading), {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${threshold} ${label} within 5 minutes, ${periods} in a row. See docs/operations.md#${anchor(heading)}`,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return new GraphWidget({ title: heading, left: [metric], leftAnnotations: [alarm.toAnnotation()] });
  });
  dashboard.addWidgets(
    new GraphWidget({
      title: 'Requests',
      left: [
        api.metricCount({ period, statistic: 'Sum' }),
        api.metricClientError({ period, statistic: 'Sum' }),
      ],
    }),
    new GraphWidget({
      title: 'Latency',
      left: ['p50', 'p90', 'p99'].map((statistic) => api.metricLatency({ period, statistic })),
    }),
    new GraphWidget({
      title: 'Capacity units',
      left: ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((name) =>
        tableMetric(table, name),
      ),
    }),
    ...widgets,
  );
  const { region } = Stack.of(scope);
  return {
    dashboardUrl: `https://console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards:name=${dashboard.dashboardName}`,
  };
}
