import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '#functions/store/model/table.ts';
import { alarmMetrics } from '#lib/costs/costs.ts';
import { ofType, synthesizeTemplates } from './stacks.ts';
import type { Resource, Resources } from './synthesis.ts';

let resources: Resources;

beforeAll(async () => {
  resources = (await synthesizeTemplates({ alarmEmail: 'ops@example.com' })).api;
});

const all = (type: string): Resource[] => ofType(resources, type).map(([, resource]) => resource);

const anchors = [
  ...readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8').matchAll(/^## (.+)$/gm),
].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));

describe('alarms', () => {
  const alarms = (): Resource[] => all('AWS::CloudWatch::Alarm');

  test('cover errors, latency, throttles, hot keys, jobs, compaction and dead letters, for all functions', () => {
    const watched = JSON.stringify(alarms().map(({ Properties }) => Properties));
    for (const metric of [
      '"MetricName":"limited"',
      '"MetricName":"refused"',
      '"MetricName":"5xx"',
      '"ExtendedStatistic":"p99"',
      '"MetricName":"Throttles"',
      '"MetricName":"WriteThrottleEvents"',
      '"MetricName":"ReadThrottleEvents"',
      '"MetricName":"WriteKeyRangeThroughputThrottleEvents"',
      '"MetricName":"ReadKeyRangeThroughputThrottleEvents"',
      '"MetricName":"MissedJobs"',
      '"MetricName":"IteratorAge"',
      '"MetricName":"CompactionDelayMs"',
      '"MetricName":"PendingRecords"',
      '"MetricName":"JobAgeMs"',
      '"MetricName":"ListRepairs"',
      '"MetricName":"ApproximateNumberOfMessagesVisible"',
    ]) {
      expect(watched).toContain(metric);
    }
    expect(watched).not.toContain('TransactionConflict');
    expect(alarms().length).toBeLessThan(22);
  });

  test('count statuses in the access log, whose lines have them as text', () => {
    const patterns = all('AWS::Logs::MetricFilter').map(({ Properties }) => Properties['FilterPattern']);
    expect(patterns.sort()).toEqual(
      ['{ $.status = "429" }', '{ ($.status = "401") || ($.status = "403") }'].sort(),
    );
  });

  test('watch as many metrics as the computation of costs says', () => {
    const watched = alarms().flatMap(({ Properties }) => {
      const metrics = (Properties['Metrics'] ?? [{ MetricStat: Properties }]) as { MetricStat?: unknown }[];
      return metrics.filter(({ MetricStat }) => MetricStat);
    });
    expect(watched.length).toBe(alarmMetrics);
  });

  test('about throttling include every index', () => {
    const dimensions = alarms()
      .filter(({ Properties }) =>
        /hot|read-too-often|throttled reads|throttled writes/.test(String(Properties['AlarmDescription'])),
      )
      .map(({ Properties }) => JSON.stringify(Properties['Metrics']));
    expect(dimensions.length).toBeGreaterThan(0);
    for (const text of dimensions) {
      for (const index of Object.keys(table.indexes)) expect(text).toContain(`"Value":"${index}"`);
    }
  });

  test('treat missing data as a failure where something must happen all the time', () => {
    const tooLittle = alarms().filter(({ Properties }) => Properties['TreatMissingData'] === 'breaching');
    expect(tooLittle.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        MetricName: 'Invocations',
        ComparisonOperator: 'LessThanThreshold',
        AlarmDescription: expect.stringContaining('the-schedule-has-stopped'),
      }),
    ]);
  });

  test('link to a runbook section of their own', () => {
    const sections = alarms().map(
      ({ Properties }) =>
        /docs\/operations\.md#([\w-]+)$/.exec(String(Properties['AlarmDescription']))?.[1] ?? '',
    );
    expect(new Set(sections).size).toBe(alarms().length);
    expect(sections.filter((section) => !anchors.includes(section))).toEqual([]);
  });

  test('publish to the topic, which mails the address', () => {
    const [[topic]] = ofType(resources, 'AWS::SNS::Topic') as [[string, Resource]];
    for (const { Properties } of alarms()) expect(Properties['AlarmActions']).toEqual([{ Ref: topic }]);
    expect(all('AWS::SNS::Subscription').map(({ Properties }) => Properties)).toEqual([
      { Endpoint: 'ops@example.com', Protocol: 'email', TopicArn: { Ref: topic } },
    ]);
    expect(JSON.stringify(all('AWS::SNS::TopicPolicy'))).toContain('cloudwatch.amazonaws.com');
  });
});

const dashboardOf = (api: Resources): string => {
  const [[, dashboard]] = ofType(api, 'AWS::CloudWatch::Dashboard') as [[string, Resource]];
  return JSON.stringify(dashboard.Properties['DashboardBody']).replaceAll('\\', '');
};

test('the dashboard shows the metrics of requests by operation, and the tenants with the most requests', async () => {
  const { api } = await synthesizeTemplates({});
  const body = dashboardOf(api);
  expect(body).toContain('TransactionConflict');
  const metrics = [
    ['duration', 'SampleCount'],
    ['duration', 'p99'],
    ['errors', 'Sum'],
    ['readBudgetExceeded', 'Sum'],
    ['readUnits', 'Sum'],
    ['writeUnits', 'Sum'],
  ] as const;
  for (const [name, statistic] of metrics) {
    const search = `SEARCH('{ProjectManagement/development,operation} MetricName="${name}"', '${statistic}', 300)`;
    expect(body).toContain(search);
  }
  expect(body).toContain("SOURCE 'project-management-development'");
  expect(body).toContain('by tenant');
});

test('without metrics of requests, functions write none and the dashboard shows none', async () => {
  const { api } = await synthesizeTemplates({ requestMetrics: false });
  expect(JSON.stringify(api)).not.toContain('REQUEST_METRICS');
  expect(dashboardOf(api)).not.toContain('SEARCH');
  expect(dashboardOf(api)).toContain('by tenant');
});
