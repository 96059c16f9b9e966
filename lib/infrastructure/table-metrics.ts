/** Metrics of the table and of its indexes. AWS reports an index under its own dimension and leaves it out of the table's metrics. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { table as shape } from '../../functions/engine/model/table.ts';

export const period = Duration.minutes(5);

const namespace = 'AWS/DynamoDB';

export const tableMetric = (table: string, metricName: string): Metric =>
  new Metric({ namespace, metricName, dimensionsMap: { TableName: table }, statistic: 'Sum', period });

export const withIndexes = (table: string, metricName: string): Metric[] => [
  tableMetric(table, metricName),
  ...Object.keys(shape.indexes).map(
    (index) =>
      new Metric({
        namespace,
        metricName,
        dimensionsMap: { TableName: table, GlobalSecondaryIndexName: index },
        statistic: 'Sum',
        period,
        label: index,
      }),
  ),
];

const combined = (expression: string, label: string, metrics: readonly IMetric[]): MathExpression =>
  new MathExpression({
    expression,
    usingMetrics: Object.fromEntries(metrics.map((metric, position) => [`m${position}`, metric])),
    label,
    period,
  });

/** Returns the sum of metrics. An alarm can add at most ten. A metric without data counts as 0. */
export const sumOf = (label: string, metrics: readonly IMetric[]): MathExpression =>
  combined('SUM(FILL(METRICS(), 0))', label, metrics);

/** Returns the highest of metrics, at most ten. A metric without data counts as 0. */
export const highestOf = (label: string, metrics: readonly IMetric[]): MathExpression =>
  combined('MAX(FILL(METRICS(), 0))', label, metrics);
