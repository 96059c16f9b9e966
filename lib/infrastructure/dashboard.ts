/** The dashboard of a stage. */
import { Aws, Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  AlarmWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Live } from './live.ts';
import { accountWideName, functionLogName, requestNamespace, tableNameOf } from './names.ts';
import type { Settings } from './settings.ts';
import { period, tableMetric, withIndexes } from './table-metrics.ts';

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
function connectionWidgets(live: Live | undefined): IWidget[] {
  if (!live) return [];
  const metric = `MetricName="ActiveConnections" EventAPIId="${live.apiId}"`;
  return [searchWidget('Live connections', metric, 'Sum', Duration.minutes(1))];
}

interface Shown {
  readonly api: HttpApi;
  /** undefined where changes are not announced. */
  readonly live: Live | undefined;
  /** The names of the alarms of both stacks. */
  readonly alarms: readonly string[];
}

/** Creates the dashboard. @returns its address. */
export function createDashboard(scope: Construct, settings: Settings, { api, live, alarms }: Shown): string {
  const table = tableNameOf(settings);
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: accountWideName(settings),
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
    ...connectionWidgets(live),
    ...alarms.map(
      (name) => new AlarmWidget({ title: name, alarm: Alarm.fromAlarmName(dashboard, name, name) }),
    ),
  );
  return `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboard.dashboardName}`;
}
