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
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Jobs } from './jobs.ts';
import type { Settings } from './settings.ts';

export interface Watched extends Jobs {
  readonly api: HttpApi;
  readonly table: TableV2;
}

interface Watch {
  /** Its heading in docs/operations.md, where it is said what to do. */
  readonly heading: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many periods of five minutes in a row it takes. */
  readonly periods: number;
  /** What the numbers are, on the dashboard and in the message. */
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

const sum = (label: string, usingMetrics: Record<string, IMetric>): MathExpression =>
  new MathExpression({ expression: Object.keys(usingMetrics).join(' + '), usingMetrics, label, period });

/** What wakes people: one alarm for a symptom, over all functions, because each costs money and attention. */
function watches({ api, table, onStream, onSchedule, deadLetters }: Watched): Watch[] {
  // Concurrency is the account's: whoever uses it up, all functions are throttled.
  const functionThrottles = new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Throttles',
    statistic: 'Sum',
    period,
  });
  return [
    {
      heading: 'Requests fail',
      label: 'answers with 5xx',
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
      label: 'ms of age of the stream',
      metric: onStream.metric('IteratorAge', { period, statistic: 'Maximum' }),
      threshold: 60_000,
      periods: 2,
    },
    {
      heading: 'Jobs fail',
      label: 'failed calls',
      metric: sum('failed', {
        stream: onStream.metricErrors({ period }),
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

/** Where alarms are told. It has no key of its own: alarms cannot use the account's, and name no data. */
function alarmTopic(scope: Construct, { alarmEmail }: Settings): Topic {
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  // Any policy takes the place of the default, by which alarms of the account may publish.
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
      reason: 'A mail that cannot be delivered is of no use later.',
    });
  }
  return topic;
}

const camel = (heading: string): string =>
  heading.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** The anchor that a Markdown page has for a heading. */
const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** What tells how the service is: alarms that name the section that says what to do, and one page of graphs. */
export function observability(
  scope: Construct,
  settings: Settings,
  watched: Watched,
): { readonly dashboardUrl: string } {
  const { api, table } = watched;
  const topic = alarmTopic(scope, settings);
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: `project-management-${settings.stage}`,
  });
  const widgets = watches(watched).map(({ heading, label, metric, threshold, periods }) => {
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
