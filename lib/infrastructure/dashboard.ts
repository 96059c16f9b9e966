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
import { accountWideName, functionLogName, tableNameOf } from './names.ts';
import type { Settings } from './settings.ts';
import { period, tableMetric, withIndexes } from './table-metrics.ts';

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
function connectionWidgets(live: Live | undefined): IWidget[] {
  if (!live) return [];
  const every = Duration.minutes(1);
  const expression = `SEARCH('MetricName="ActiveConnections" EventAPIId="${live.apiId}"', 'Sum', ${every.toSeconds()})`;
  const found = new MathExpression({ expression, usingMetrics: {}, label: '', period: every });
  return [new GraphWidget({ title: 'Live connections', left: [found] })];
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
    ...requestTables(settings),
    ...connectionWidgets(live),
    ...alarms.map(
      (name) => new AlarmWidget({ title: name, alarm: Alarm.fromAlarmName(dashboard, name, name) }),
    ),
  );
  return `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${dashboard.dashboardName}`;
}
