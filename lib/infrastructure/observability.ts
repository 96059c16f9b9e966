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
import { accountWideName, functionLogName, requestNamespace } from './names.ts';
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

/** Returns a graph of the metrics that a search finds. */
function searchWidget(title: string, query: string, statistic: string, every: Duration): IWidget {
  const expression = `SEARCH('${query}', '${statistic}', ${every.toSeconds()})`;
  const found = new MathExpression({ expression, usingMetrics: {}, label: '', period: every });
  return new GraphWidget({ title, left: [found] });
}

/**
 * Returns the graphs of the metrics that the functions write to their log: by operation, and the tenants with the most requests. Tenants are
 * a query of the log, which costs something only when somebody looks: a metric for each tenant would cost 0.30 $ a month.
 */
function requestWidgets(settings: Settings): IWidget[] {
  const topTenants = new LogQueryWidget({
    title: 'Tenants with the most requests',
    logGroupNames: [functionLogName(settings)],
    queryLines: [
      'filter message = "The request is finished." and tenant != ""',
      'stats count(*) as requests, sum(readUnits) as readUnits, sum(writeUnits) as writeUnits, sum(errors) as errors by tenant',
      'sort requests desc',
      'limit 10',
    ],
    view: LogQueryVisualizationType.TABLE,
  });
  if (!settings.requestMetrics) return [topTenants];
  const ofOperations = `{${requestNamespace(settings)},operation}`;
  const graphs = [
    { title: 'Requests by operation', metric: 'duration', statistic: 'SampleCount' },
    { title: 'Duration by operation (p99)', metric: 'duration', statistic: 'p99' },
    { title: 'Errors by operation', metric: 'errors', statistic: 'Sum' },
    { title: 'Requests above the read budget by operation', metric: 'readBudgetExceeded', statistic: 'Sum' },
    { title: 'Read units by operation', metric: 'readUnits', statistic: 'Sum' },
    { title: 'Write units by operation', metric: 'writeUnits', statistic: 'Sum' },
  ];
  return [
    ...graphs.map(({ title, metric, statistic }) =>
      searchWidget(title, `${ofOperations} MetricName="${metric}"`, statistic, period),
    ),
    topTenants,
  ];
}

/** Returns the graph of the clients that are connected. A search, because AWS documents the dimensions of a group of metrics, and a connection has no namespace. */
function connectionWidgets({ live }: MonitoredResources): IWidget[] {
  if (!live) return [];
  const metric = `MetricName="ActiveConnections" EventAPIId="${live.apiId}"`;
  return [searchWidget('Live connections', metric, 'Sum', Duration.minutes(1))];
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
    ...requestWidgets(settings),
    ...connectionWidgets(resources),
    ...alarmWidgets,
  );
  const consoleHost = byPartition(scope, 'ConsoleHosts', consoleHosts);
  return {
    alarmTopicArn: topic?.topicArn,
    dashboardUrl: `https://${consoleHost}/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboard.dashboardName}`,
  };
}
