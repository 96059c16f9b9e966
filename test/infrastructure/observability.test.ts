import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ofType, type Resource, type Resources, synthesize } from './stacks.ts';

let resources: Resources;

beforeAll(async () => {
  resources = (await synthesize({ alarmEmail: 'ops@example.com' })).api;
});

const all = (type: string): Resource[] => ofType(resources, type).map(([, resource]) => resource);

/** Returns the Markdown anchors of the headings of a page. */
const anchors = [
  ...readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8').matchAll(/^## (.+)$/gm),
].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));

describe('alarms', () => {
  const alarms = (): Resource[] => all('AWS::CloudWatch::Alarm');

  test('cover errors, latency, throttles, conflicts, the stream, compaction and dead letters, for all functions', () => {
    const watched = JSON.stringify(alarms().map(({ Properties }) => Properties));
    for (const metric of [
      '"MetricName":"5xx"',
      '"ExtendedStatistic":"p99"',
      '"MetricName":"Throttles"',
      '"MetricName":"WriteThrottleEvents"',
      '"MetricName":"TransactionConflict"',
      '"MetricName":"IteratorAge"',
      '"MetricName":"CompactionDelayMs"',
      '"MetricName":"PendingRecords"',
      '"MetricName":"ApproximateNumberOfMessagesVisible"',
    ]) {
      expect(watched).toContain(metric);
    }
    expect(alarms().length).toBeLessThan(10);
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

test('the dashboard shows the metrics of all alarms', () => {
  expect(all('AWS::CloudWatch::Dashboard')).toHaveLength(1);
  const [dashboard] = all('AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard?.Properties['DashboardBody']);
  for (const title of [
    'Requests fail',
    'Transactions conflict',
    'There are dead letters',
    'Capacity units',
  ]) {
    expect(body).toContain(title);
  }
});
