import { Aws, Duration, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  Dashboard,
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { comparisonOf, type MonitoredResources, symptoms } from './alarmed-symptoms.ts';
import { byPartition } from './aws-partitions.ts';
import { accountWideName, functionLogName } from './names.ts';
import { alarmAddress, type Settings } from './settings.ts';
import { period, tableMetric, withIndexes } from './table-metrics.ts';

/**
 * Returns the topic for alarms: that of the settings, or a new one. The new one is not encrypted: CloudWatch cannot use the AWS managed key, and
 * alarms contain no data.
 */
function alarmTopic(scope: Construct, settings: Settings): ITopic {
  if (settings.alarmTopicArn) return Topic.fromTopicArn(scope, 'Alarms', settings.alarmTopicArn);
  const address = alarmAddress(settings);
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
  if (address) {
    topic.addSubscription(new EmailSubscription(address));
    Validations.of(topic).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'An alarm mail that cannot be delivered is useless later.',
    });
  }
  return topic;
}

const consoleHosts = {
  aws: 'console.aws.amazon.com',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
  'aws-cn': 'console.amazonaws.cn',
};

/** Returns a table of log lines of requests. A query costs something only when somebody looks, and a metric of each tenant 0.30 $ a month. */
const requestTable = (settings: Settings, title: string, ...queryLines: string[]): IWidget =>
  new LogQueryWidget({
    title,
    logGroupNames: [functionLogName(settings)],
    queryLines: ['filter message = "The request is finished."', ...queryLines],
    view: LogQueryVisualizationType.TABLE,
  });

const requestTables = (settings: Settings): IWidget[] => [
  requestTable(
    settings,
    'Requests by operation',
    'stats count(*) as requests, pct(duration, 99) as p99, sum(errors) as failed, sum(readUnits) as reads, sum(writeUnits) as writes by operation',
    'sort requests desc',
  ),
  requestTable(
    settings,
    'Tenants with the most requests',
    'filter tenant != ""',
    'stats count(*) as requests, sum(errors) as failed, sum(readUnits) as reads, sum(writeUnits) as writes by tenant',
    'sort requests desc',
    'limit 10',
  ),
];

/** Returns the graph of the clients that are connected. A search, because AWS documents the dimensions of a group of metrics, and a connection has no namespace. */
function connectionWidgets({ live }: MonitoredResources): IWidget[] {
  if (!live) return [];
  const every = Duration.minutes(1);
  const expression = `SEARCH('MetricName="ActiveConnections" EventAPIId="${live.apiId}"', 'Sum', ${every.toSeconds()})`;
  const found = new MathExpression({ expression, usingMetrics: {}, label: '', period: every });
  return [new GraphWidget({ title: 'Live connections', left: [found] })];
}

const camel = (heading: string): string =>
  heading.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

export function observability(
  scope: Construct,
  settings: Settings,
  resources: MonitoredResources,
): { readonly dashboardUrl: string; readonly alarmTopicArn: string | undefined } {
  const { api, table } = resources;
  const topic = settings.alarms ? alarmTopic(scope, settings) : undefined;
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: accountWideName(settings),
  });
  const alarmWidgets = symptoms(resources, settings).map((symptom) => {
    const { heading, label, metric, threshold = 1, periods = 1, isTooLittle } = symptom;
    if (!topic) return new GraphWidget({ title: heading, left: [metric] });
    const amount = isTooLittle ? `Fewer than ${threshold}` : String(threshold);
    const alarm = new Alarm(scope, camel(heading), {
      metric,
      threshold,
      evaluationPeriods: periods,
      ...comparisonOf(symptom),
      alarmDescription: `${amount} ${label} within ${metric.period.toMinutes()} minutes, ${periods} in a row. See docs/operations.md#${anchor(heading)}`,
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
    new GraphWidget({ title: 'Read units', left: withIndexes(table, 'ConsumedReadCapacityUnits') }),
    new GraphWidget({ title: 'Write units', left: withIndexes(table, 'ConsumedWriteCapacityUnits') }),
    new GraphWidget({ title: 'Transaction conflicts', left: [tableMetric(table, 'TransactionConflict')] }),
    ...requestTables(settings),
    ...connectionWidgets(resources),
    ...alarmWidgets,
  );
  const consoleHost = byPartition(scope, 'ConsoleHosts', consoleHosts);
  return {
    alarmTopicArn: topic?.topicArn,
    dashboardUrl: `https://${consoleHost}/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboard.dashboardName}`,
  };
}
