import { startTestBus, type TestBus } from '../support/event-bus.ts';
import { provideTestService } from '../support/local-service.ts';
import { run } from './run.ts';

const service = provideTestService();
let bus: TestBus;

beforeAll(async () => {
  bus = await startTestBus();
  await run('seed', ['--url', service.url, '--tasks', '60']);
});

afterAll(() => bus.stop());

const at = (minutes: number): string => new Date(Date.now() + 60_000 * minutes).toISOString();

const republish = (from: string, to: string, endpoint = bus.url) => {
  const place = ['--table', service.tableName, '--bus', 'the-bus', '--dynamodb-endpoint', service.endpoint];
  const env = { AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint };
  return run('republish', [...place, '--from', from, '--to', to], env);
};

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

test('says how many records were not published, and why', async () => {
  expect(await republish(at(-10), at(1), 'http://127.0.0.1:1')).toMatchObject({
    code: 1,
    output: expect.stringContaining('Published the events of 0 records.'),
    errors: expect.stringMatching(/^\d+ records were not published: .* Run the command again\.\n$/),
  });
});
