import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { table } from '#functions/engine/model/table.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { alarmMetrics } from '#lib/costs/costs.ts';
import { startTestStore } from '../support/local-store.ts';
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
      'ApproximateNumberOfMessagesVisible LostPokes writes InvokedEventCount pendingRecords'
    ).split(' ');
    expect(metrics.filter((name) => !watched.includes(`"MetricName":"${name}"`))).toEqual([]);
    expect(watched).toContain('"ExtendedStatistic":"p99"');
    expect(watched).not.toContain('TransactionConflict');
    expect(alarms().length).toBeLessThan(23);
  });

  test('count lines of the function log, and statuses in the access log, whose lines have them as text', () => {
    expect(all('AWS::Logs::MetricFilter').map((one) => one['FilterPattern'])).toEqual([
      '{ ($.message = "The request is finished.") && ($.writeUnits >= 5) }',
      '{ $.pendingRecords > 0 }',
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
      expect(Expression).toBe('IF(counted < 3, 0, IF(requests >= 150, 100 * counted / requests, 100))');
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

  test('treat missing data as a failure where something must happen all the time', async () => {
    const { resources } = await stacksOf('production');
    const breaching = ofType(resources, 'AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => Properties['TreatMissingData'] === 'breaching',
    );
    expect(breaching.map(([id]) => id).sort()).toEqual([
      'BackupsFail',
      'CopiesOfBackupsFail',
      'TheCanaryFails',
      'TheScheduleHasStopped',
    ]);
    for (const [, { Properties }] of breaching)
      expect(Properties['ComparisonOperator']).toBe('LessThanThreshold');
  });

  test('count the records that the mapping of the stream delivers, and not the calls of its function, which a queue calls too', () => {
    const [alarm] = alarms().filter((one) => JSON.stringify(one).includes('InvokedEventCount'));
    expect(JSON.stringify(alarm)).toContain(
      '"Dimensions":[{"Name":"EventSourceMappingUUID","Value":"<LogRecords>"}]',
    );
    expect(JSON.stringify(alarm)).toContain('IF(FILL(writes, 0) >= 50 AND FILL(delivered, 0) < 1, 1, 0)');
    const counting = all('AWS::Lambda::EventSourceMapping').filter((one) => 'MetricsConfig' in one);
    expect(counting).toMatchObject([{ MetricsConfig: { Metrics: ['EventCount'] } }]);
  });

  test('count the throttled calls of the account, or of the stage where metrics have tags', async () => {
    const throttles = (of: ReadableStacks) =>
      all('AWS::CloudWatch::Alarm', of).find(({ AlarmName }) =>
        /FunctionsAreThrottled$/.test(String(AlarmName)),
      );
    expect(throttles(stacks)).toMatchObject({ MetricName: 'Throttles', Namespace: 'AWS/Lambda' });
    expect(throttles(stacks)?.['AlarmDescription']).toContain('of the account');
    const tagged = throttles(await stacksOf('without tokens'));
    expect(tagged?.['AlarmDescription']).not.toContain('of the account');
    expect(tagged?.['Metrics']).toMatchObject([
      {
        Expression: `SELECT SUM(Throttles) FROM SCHEMA("AWS/Lambda", FunctionName) WHERE tag.application = 'project-management' AND tag.stage = 'production'`,
      },
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

  test('publish to the topic of the stage, which mails the address', async () => {
    const production = await stacksOf('production');
    const topic = 'project-management-production-alarms';
    for (const alarm of all('AWS::CloudWatch::Alarm', production))
      expect(alarm['AlarmActions']).toEqual([
        `arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:${topic}`,
      ]);
    expect(all('AWS::SNS::Topic', production)).toMatchObject([{ TopicName: topic }]);
    expect(all('AWS::SNS::Subscription', production)).toEqual([
      { Endpoint: 'ops@example.com', Protocol: 'email', TopicArn: '<Alarms>' },
    ]);
    expect(JSON.stringify(all('AWS::SNS::TopicPolicy', production))).toContain('cloudwatch.amazonaws.com');
  });

  test('publish to the topics of the settings: one for what cannot wait, and one for the rest', async () => {
    const { resources } = await stacksOf('without tokens');
    const topicOf = (name: string) =>
      ofType(resources, 'AWS::CloudWatch::Alarm').flatMap(([id, { Properties }]) =>
        JSON.stringify([Properties['AlarmActions'], Properties['OKActions']]).match(`:${name}"`) ? id : [],
      );
    expect(topicOf('urgent').sort()).toEqual([
      'AKeyIsHot',
      'AKeyIsReadTooOften',
      'FunctionsAreThrottled',
      'ReadsAreThrottled',
      'RecordsAreNotDelivered',
      'RequestsAreLimited',
      'RequestsAreSlow',
      'RequestsFail',
      'WritesAreThrottled',
    ]);
    expect(topicOf('alarms')).toContain('JobsFail');
    expect(topicOf('urgent').length + topicOf('alarms').length).toBe(
      ofType(resources, 'AWS::CloudWatch::Alarm').length,
    );
    expect(ofType(resources, 'AWS::SNS::Topic')).toEqual([]);
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

test('a request that writes a record takes as many units as the alarm on records that are not delivered counts, and others take fewer', async () => {
  const store = startTestStore();
  const unitsOf = async (act: (session: Session) => Promise<unknown>): Promise<number> => {
    const session = store.session('acme');
    await act(session);
    return session.database.consumption.writeUnits;
  };
  const [, counted = ''] = /writeUnits >= (\d+)/.exec(JSON.stringify(all('AWS::Logs::MetricFilter'))) ?? [];
  const created = await createEntity(store.session('acme'), 'tag', { name: 'one', status: 'active' });
  const { id } = created.entity;
  const rename = (name: string) => (session: Session) => updateEntity(session, { kind: 'tag', id }, { name });
  expect(await unitsOf(rename('other'))).toBeGreaterThanOrEqual(Number(counted));
  expect(await unitsOf(rename('other'))).toBeLessThan(Number(counted));
});
