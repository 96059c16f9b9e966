import { randomUUID } from 'node:crypto';
import { decodeRecord, logPartition, recordPrefix } from '#functions/engine/model/change-log.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import { connect } from '#functions/engine/table/client.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { type Service, startService } from '#lib/local/service.ts';
import { startTestBus, type TestBus } from '../support/event-bus.ts';
import { startTestQueue, type TestQueue } from '../support/queue.ts';
import { run } from './run.ts';

describe('npx pm-api republish', () => {
  let service: Service;
  let bus: TestBus;
  let queue: TestQueue;

  beforeAll(async () => {
    bus = await startTestBus();
    queue = await startTestQueue();
    service = await startService({ port: 0, databaseFile: ':memory:', tableName: `changed-${randomUUID()}` });
    await run('seed', ['--url', service.url, '--tasks', '60']);
  });

  afterAll(async () => {
    await service.stop();
    await bus.stop();
    await queue.stop();
  });

  const republishFrom = (source: readonly string[], endpoint = bus.url) => {
    const place = ['--table', service.tableName, '--bus', 'the-bus', '--dynamodb-endpoint', service.endpoint];
    const env = { AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint, AWS_ENDPOINT_URL_SQS: queue.endpoint };
    return run('republish', [...place, ...source], env);
  };

  const republish = (from: string, to: string) => republishFrom(['--from', from, '--to', to]);

  const at = (minutes: number): string => new Date(Date.now() + 60_000 * minutes).toISOString();

  test('publishes the events of all changes of a period, with the same ids each time', async () => {
    const output = expect.stringMatching(/Published the events of \d+ records\.\n$/);
    expect(await republish(at(-10), at(1))).toMatchObject({ code: 0, output });
    const ids = new Set(bus.events.map(({ id }) => id));
    // The amounts of the seed: 125 entities.
    expect(ids.size).toBeGreaterThanOrEqual(125);
    const first = bus.events.length;
    expect(await republish(at(-10), at(1))).toMatchObject({ code: 0 });
    expect(bus.events.length).toBe(2 * first);
    expect(new Set(bus.events.map(({ id }) => id))).toEqual(ids);
    // Another period.
    expect(await republish(at(-20), at(-10))).toMatchObject({ code: 0 });
    expect(bus.events.length).toBe(2 * first);
  });

  /** Returns the records of tasks. */
  async function recordsOfTasks(): Promise<Item[]> {
    const database = new Database(
      connect({ endpoint: service.endpoint }),
      service.tableName,
      new Deadline(60_000),
    );
    const { items } = await database.query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :record)',
      ExpressionAttributeValues: { ':pk': logPartition('public', 'task'), ':record': recordPrefix },
    });
    return items;
  }

  test('publishes the records that the messages of a queue name, and no others, and deletes the messages', async () => {
    const records = await recordsOfTasks();
    const [first, second] = records.map(({ pk, sk }) => ({ pk, sk })) as [Key, Key];
    const gone = { ...first, sk: `${first.sk.slice(0, -1)}~` };
    queue.add(JSON.stringify({ records: [first, gone] }));
    queue.add(JSON.stringify({ records: [second] }));
    const ids = records
      .slice(0, 2)
      .flatMap((item) => decodeRecord(item).entries.map(({ id, version }) => `${id}:${version}`));
    bus.events.length = 0;
    expect(await republishFrom(['--queue', queue.url])).toMatchObject({
      code: 0,
      output:
        'Published the events of 2 records.\n1 records do not exist any more: they had expired, or were erased.\n',
    });
    // There are other records.
    expect(records.length).toBeGreaterThan(2);
    expect(bus.events.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(queue.bodies()).toEqual([]);
  });

  test('publishes the batches that Lambda gave up, by their times', async () => {
    const batch = (first: string, last: string) =>
      JSON.stringify({
        requestContext: { condition: 'RetryAttemptsExhausted' },
        DDBStreamBatchInfo: { approximateArrivalOfFirstRecord: first, approximateArrivalOfLastRecord: last },
      });
    queue.add(batch(at(-30), at(-20)));
    bus.events.length = 0;
    const nothing = await republishFrom(['--queue', queue.url]);
    expect(nothing).toMatchObject({ code: 0, output: expect.stringContaining('events of 0 records.') });
    queue.add(batch(at(-10), at(0)));
    queue.add(batch(at(-9), at(-8)));
    expect(await republishFrom(['--queue', queue.url])).toMatchObject({ code: 0 });
    expect(bus.events.length).toBeGreaterThanOrEqual(125);
    expect(new Set(bus.events.map(({ id }) => id)).size).toBe(bus.events.length);
    expect(queue.bodies()).toEqual([]);
  });

  test('leaves the messages that it cannot publish, for the next run', async () => {
    const [{ pk, sk }] = (await recordsOfTasks()) as [Item];
    const bodies = [JSON.stringify({ records: [{ pk, sk }] }), '{"records":[{}]}', 'null', 'no JSON'];
    for (const body of bodies) queue.add(body);
    expect(await republishFrom(['--queue', queue.url], 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/1 records were not published: .* Run the command again\./),
    });
    expect(queue.bodies()).toEqual(bodies);
    expect(await republishFrom(['--queue', queue.url])).toMatchObject({
      code: 1,
      output: 'Published the events of 1 records.\n',
      errors: expect.stringMatching(
        /The message \S+ has neither the keys of records nor the times of a batch\./,
      ),
    });
    expect(queue.bodies()).toEqual(bodies.slice(1));
  });

  const place = '--table a --bus b';

  test.each([
    ['--stage a --bus b', "'--stage <name>' cannot be used with option '--bus <name>'"],
    [place, 'Choose --queue, or --from and --to.'],
    [`${place} --from monday --to 2026-01-01T00:00:00Z`, "'monday' is invalid. It must be a time"],
    [`${place} --from 2026-01-02T00:00:00Z --to 2026-01-01T00:00:00Z`, '--to must not be before --from.'],
    [`${place} --queue c`, "'c' is invalid. It must be an HTTP URL"],
    [
      `${place} --queue https://c/d --to 2026-01-01T00:00:00Z`,
      "'--queue <url>' cannot be used with option '--to <time>'",
    ],
  ])('refuses %s', async (flags, message) => {
    expect(await run('republish', flags.split(' '))).toMatchObject({
      code: 2,
      errors: expect.stringContaining(message),
    });
  });
});
