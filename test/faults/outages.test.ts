import { type Injector, refusal } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, operations, request } from './operations.ts';

/** A database that does not answer, or only refuses: every request is answered in time, and the next one is served. */

/** Milliseconds that a function may take. */
const timeout = 3_000;

/** Milliseconds that this machine may take to send thirty requests at once, and to read their answers. */
const slack = 1_000;

let faulty: FaultyService;
let ids: Ids;
let logged: jest.SpyInstance;

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  ids = await makeEntities(faulty);
  // Handlers are loaded when they are first asked: that time is not the outage's.
  await Promise.all(operations.map((contract) => request(faulty, contract, {})));
  // Each failure is logged, as it should be.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  await faulty.stop();
  logged.mockRestore();
});

const serverError = { status: 500, body: JSON.stringify({ __type: 'x#InternalServerError', message: 'no' }) };

/** Calls that hang; they must not outlast the outage. */
const hung: ((reply: undefined) => void)[] = [];

const outages: readonly (readonly [string, Injector])[] = [
  ['throttles for ever', async () => refusal('ThrottlingException')],
  ['has no capacity', async () => refusal('ProvisionedThroughputExceededException')],
  ['resets every connection', async () => undefined],
  ['hangs', () => new Promise((resolve) => hung.push(resolve))],
  ['fails inside', async () => serverError],
  ['answers what is not JSON', async () => ({ status: 200, body: '<html>' })],
  [
    'cuts its answers off',
    async (_, pass) => {
      const reply = await pass();
      return { ...reply, body: reply.body.slice(0, -1) };
    },
  ],
];

test.each(outages)('every request is answered 503 in time when the database %s', async (_, outage) => {
  faulty.proxy.inject(outage);
  await Promise.all(
    operations.map(async (contract) => {
      const started = performance.now();
      const { status, headers, body } = await request(faulty, contract, ids);
      const took = performance.now() - started;
      expect([contract.operation, status, body.status]).toEqual([contract.operation, 503, 503]);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(took).toBeLessThan(timeout + slack);
    }),
  );
  faulty.proxy.inject(undefined);
  for (const drop of hung.splice(0)) drop(undefined);
  expect((await request(faulty, operations[0] as (typeof operations)[number], ids)).status).toBe(200);
});

test('a database process that is stopped, and goes on, loses nothing', async () => {
  const { processGroup } = faulty.engine;
  if (processGroup === undefined) throw new Error('The engine is not ours to stop.');
  process.kill(-processGroup, 'SIGSTOP');
  const waiting = faulty.send<{ id: string }>('POST', '/v1/tags', { name: 'waits' });
  setTimeout(() => process.kill(-processGroup, 'SIGCONT'), 1_500);
  const { status, body } = await waiting;
  expect(status).toBe(201);
  const list = await faulty.send<{ total: number }>('GET', '/v1/tags?name=waits');
  expect([list.status, list.body.total]).toEqual([200, 1]);
  expect((await faulty.send('GET', `/v1/tags/${body.id}`)).status).toBe(200);
});
