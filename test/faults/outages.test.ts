import { errorResponse, type Injector } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, operations, request } from './operations.ts';
import { measureWaiting } from './waiting-time.ts';

/** An unavailable database: every request returns 503 in time, and later requests succeed. */

/** Milliseconds that a function may take. */
const timeout = 3_000;

/** Additional milliseconds for sending thirty requests at once. */
const slack = 500;

let faulty: FaultyService;
let ids: Ids;
let logged: jest.SpyInstance;

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  ids = await makeEntities(faulty);
  // The first request of an operation loads its modules, which takes time.
  await Promise.all(operations.map((contract) => request(faulty, contract, {})));
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  await faulty.stop();
  logged.mockRestore();
});

const serverError = { status: 500, body: JSON.stringify({ __type: 'x#InternalServerError', message: 'no' }) };

/** Hung calls. The test ends them with the outage. */
const hung: ((response: undefined) => void)[] = [];

const outages: readonly (readonly [string, Injector])[] = [
  ['throttles every call', async () => errorResponse('ThrottlingException')],
  ['has no capacity', async () => errorResponse('ProvisionedThroughputExceededException')],
  ['resets every connection', async () => undefined],
  ['hangs', () => new Promise((resolve) => hung.push(resolve))],
  ['returns internal errors', async () => serverError],
  ['returns text that is not JSON', async () => ({ status: 200, body: '<html>' })],
  [
    'truncates its responses',
    async (_, pass) => {
      const response = await pass();
      return { ...response, body: response.body.slice(0, -1) };
    },
  ],
];

test.each(outages)('every request returns 503 in time when the database %s', async (_, outage) => {
  faulty.proxy.inject(outage);
  await Promise.all(
    operations.map(async (contract) => {
      const { result, waitedMs } = await measureWaiting(() => request(faulty, contract, ids));
      const { status, headers, body } = result;
      expect([contract.operation, status, body.status]).toEqual([contract.operation, 503, 503]);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(waitedMs).toBeLessThan(timeout + slack);
    }),
  );
  faulty.proxy.inject(undefined);
  for (const drop of hung.splice(0)) drop(undefined);
  expect((await request(faulty, operations[0] as (typeof operations)[number], ids)).status).toBe(200);
});

test('a write succeeds once when the database process is suspended and continued', async () => {
  const { processGroup } = faulty.engine;
  if (processGroup === undefined)
    throw new Error('The test did not start this engine and cannot suspend it.');
  process.kill(-processGroup, 'SIGSTOP');
  const waiting = faulty.send<{ id: string }>('POST', '/v1/tags', { name: 'waits' });
  setTimeout(() => process.kill(-processGroup, 'SIGCONT'), 1_500);
  const { status, body } = await waiting;
  expect(status).toBe(201);
  const list = await faulty.send<{ total: number }>('GET', '/v1/tags?name=waits');
  expect([list.status, list.body.total]).toEqual([200, 1]);
  expect((await faulty.send('GET', `/v1/tags/${body.id}`)).status).toBe(200);
});
