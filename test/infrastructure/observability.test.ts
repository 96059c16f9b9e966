import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '#functions/engine/model/table.ts';
import { alarmMetrics } from '#lib/costs/costs.ts';
import type { Combination } from './combinations.ts';
import { ofType, type ReadableStacks, stacksOf } from './stacks.ts';
import type { Resource } from './synthesis.ts';

let stacks: ReadableStacks;

beforeAll(async () => {
  stacks = await stacksOf('default');
});

const all = (type: string, { resources } = stacks): Resource['Properties'][] =>
  ofType(resources, type).map(([, { Properties }]) => Properties);

const alarms = () => all('AWS::CloudWatch::Alarm');

const page = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');

const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
  heading.toLowerCase().replaceAll(' ', '-'),
);

describe('alarms', () => {
  test('watch what users and tenants feel, jobs, compaction and dead letters, with few alarms', () => {
    const watched = JSON.stringify(alarms());
    const metrics = (
      'limited refused 5xx Throttles WriteThrottleEvents ReadThrottleEvents WriteKeyRangeThroughputThrottleEvents ' +
      'ReadKeyRangeThroughputThrottleEvents MissedJobs IteratorAge CompactionDelayMs PendingRecords JobAgeMs UncompactedLogs ' +
      'ApproximateNumberOfMessagesVisible LostPokes'
    ).split(' ');
    expect(metrics.filter((name) => !watched.includes(`"MetricName":"${name}"`))).toEqual([]);
    expect(watched).toContain('"ExtendedStatistic":"p99"');
    expect(watched).not.toContain('TransactionConflict');
    expect(alarms().length).toBeLessThan(22);
  });

  test('count statuses in the access log, whose lines have them as text', () => {
    expect(all('AWS::Logs::MetricFilter').map((one) => one['FilterPattern'])).toEqual([
      '{ $.status = "429" }',
      '{ ($.status = "401") || ($.status = "403") }',
    ]);
  });

  test('about shares of requests count three responses in fifteen minutes, where there are few requests', () => {
    const shares = alarms().filter((one) => JSON.stringify(one).includes('requests >='));
    expect(shares).toHaveLength(3);
    for (const { Metrics } of shares) {
      const [{ Expression }, ...counted] = Metrics as [
        { Expression: string },
        ...{ MetricStat: { Period: number } }[],
      ];
      expect(Expression).toBe('IF(requests >= 60, 100 * counted / requests, IF(counted >= 3, 100, 0))');
      expect(counted.map(({ MetricStat }) => MetricStat.Period)).toEqual([900, 900]);
    }
  });

  test('watch as many metrics as the computation of costs says', () => {
    const watched = alarms().flatMap((alarm) => {
      const metrics = (alarm['Metrics'] ?? [{ MetricStat: alarm }]) as { MetricStat?: unknown }[];
      return metrics.filter(({ MetricStat }) => MetricStat);
    });
    expect(watched.length).toBe(alarmMetrics);
  });

  test('about throttling include every index', () => {
    const ofTable = alarms().filter(({ AlarmDescription }) =>
      /hot|read-too-often|throttled reads|throttled writes/.test(String(AlarmDescription)),
    );
    expect(ofTable.length).toBeGreaterThan(0);
    for (const { Metrics } of ofTable) {
      for (const index of Object.keys(table.indexes))
        expect(JSON.stringify(Metrics)).toContain(`"Value":"${index}"`);
    }
  });

  test('treat missing data as a failure where something must happen all the time', () => {
    expect(alarms().filter((one) => one['TreatMissingData'] === 'breaching')).toEqual([
      expect.objectContaining({
        MetricName: 'Invocations',
        ComparisonOperator: 'LessThanThreshold',
        AlarmDescription: expect.stringContaining('the-schedule-has-stopped'),
      }),
    ]);
  });

  test('notice within five minutes that announcements are lost, by what the function counts', () => {
    expect(alarms().find(({ MetricName }) => MetricName === 'LostPokes')).toMatchObject({
      Namespace: 'ProjectManagement',
      Dimensions: [{ Name: 'FunctionName', Value: '<onLogRecordsFunction>' }],
      Statistic: 'Sum',
      Threshold: 1,
      Period: 300,
      EvaluationPeriods: 1,
    });
  });

  test('link to a runbook section of their own', () => {
    const linked = alarms().map(({ AlarmDescription }) =>
      String(AlarmDescription).replace(/^.*docs\/operations\.md#/s, ''),
    );
    expect(new Set(linked).size).toBe(alarms().length);
    expect(linked.filter((section) => !sections.includes(section))).toEqual([]);
  });

  test('publish to the topic, which mails the address', async () => {
    const production = await stacksOf('production');
    for (const alarm of all('AWS::CloudWatch::Alarm', production))
      expect(alarm['AlarmActions']).toEqual(['<Alarms>']);
    expect(all('AWS::SNS::Subscription', production)).toEqual([
      { Endpoint: 'ops@example.com', Protocol: 'email', TopicArn: '<Alarms>' },
    ]);
    expect(JSON.stringify(all('AWS::SNS::TopicPolicy', production))).toContain('cloudwatch.amazonaws.com');
  });
});

const bodyOf = (of: ReadableStacks) =>
  JSON.stringify(all('AWS::CloudWatch::Dashboard', of)).replaceAll('\\', '');

test('the dashboard shows the clients that are connected', () => {
  expect(bodyOf(stacks)).toContain('MetricName="ActiveConnections" EventAPIId="<LiveApi.ApiId>"');
});

test('the dashboard has the documented queries of the log: requests by operation, and the tenants with the most', () => {
  const queries = [...page.matchAll(/^```text\n(filter message = "The request is finished\."\n.*?)```$/gms)];
  const [dashboard] = all('AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(String(dashboard?.['DashboardBody'])) as {
    widgets: { type: string; properties: { query: string } }[];
  };
  const shown = widgets.filter(({ type }) => type === 'log').map(({ properties }) => properties.query);
  expect(shown).toHaveLength(2);
  expect(shown).toEqual(
    queries.map(([, query = '']) => `SOURCE 'project-management-development' | ${query.trim()}`),
  );
});

test('functions write metrics of requests only where the setting asks for them, because each has a price', async () => {
  const namespaces = async (settings: Combination) =>
    new Set(
      ofType((await stacksOf(settings)).resources, 'AWS::Lambda::Function').map(
        ([, { Properties }]) =>
          (Properties['Environment'] as { Variables?: Record<string, string> } | undefined)?.Variables?.[
            'REQUEST_METRICS'
          ],
      ),
    );
  expect(await namespaces('default')).toEqual(new Set([undefined]));
  expect(await namespaces('production')).toEqual(new Set([undefined, 'ProjectManagement/production']));
});
