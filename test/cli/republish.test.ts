import { randomUUID } from 'node:crypto';
import { type Service, startService } from '#lib/local/service.ts';
import { startTestBus, type TestBus } from '../support/event-bus.ts';
import { run } from './run.ts';

describe('npm run republish', () => {
  let service: Service;
  let bus: TestBus;

  beforeAll(async () => {
    bus = await startTestBus();
    service = await startService({ port: 0, databaseFile: ':memory:', tableName: `changed-${randomUUID()}` });
    await run('seed', ['--url', service.url, '--tasks', '60']);
  });

  afterAll(async () => {
    await service.stop();
    await bus.stop();
  });

  const republish = (from: string, to: string, endpoint = bus.endpoint) => {
    const place = ['--table', service.tableName, '--bus', 'the-bus', '--dynamodb-endpoint', service.endpoint];
    const env = { AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint };
    return run('republish', [...place, '--from', from, '--to', to], env);
  };

  const at = (minutes: number): string => new Date(Date.now() + 60_000 * minutes).toISOString();

  test('publishes the events of all changes of a period, with the same ids each time', async () => {
    const result = await republish(at(-10), at(1));
    expect(result).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Published the events of \d+ records\.\n$/),
    });
    const ids = new Set(bus.events.map(({ id }) => id));
    // The amounts of the seed: 125 entities.
    expect(ids.size).toBeGreaterThanOrEqual(125);
    const first = bus.events.length;
    expect(await republish(at(-10), at(1))).toMatchObject({ code: 0 });
    expect(bus.events.length).toBe(2 * first);
    expect(new Set(bus.events.map(({ id }) => id))).toEqual(ids);
  });

  test('publishes nothing of another period', async () => {
    const before = bus.events.length;
    const result = await republish(at(-20), at(-10));
    expect(result).toMatchObject({
      code: 0,
      output: expect.stringContaining('Published the events of 0 records.'),
    });
    expect(bus.events.length).toBe(before);
  });

  test('fails when events cannot be published', async () => {
    const result = await republish(at(-10), at(1), 'http://127.0.0.1:1');
    expect(result).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/\d+ records were not published: .* Run the command again\./),
    });
  });

  test.each([
    [[], 'Choose the table and the bus: either with --stage, or with --table and --bus.'],
    [['--table', 'a'], 'Choose the table and the bus'],
    [['--stage', 'a', '--bus', 'b'], 'Choose the table and the bus'],
    [['--table', 'a', '--bus', 'b', '--to', '2026-01-01T00:00:00Z'], '--from must be a time, for example'],
    [['--table', 'a', '--bus', 'b', '--from', 'monday', '--to', '2026-01-01T00:00:00Z'], 'not "monday"'],
    [
      ['--table', 'a', '--bus', 'b', '--from', '2026-01-02T00:00:00Z', '--to', '2026-01-01T00:00:00Z'],
      '--to must not be before --from.',
    ],
  ])('refuses %j', async (args, message) => {
    expect(await run('republish', args)).toMatchObject({ code: 2, errors: expect.stringContaining(message) });
  });
});
