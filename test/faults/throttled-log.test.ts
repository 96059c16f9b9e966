import { logPartition } from '#functions/store/model/change-log.ts';
import { maxCommitMs } from '#functions/store/model/log-timing.ts';
import { type Call, type EngineResponse, errorResponse } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { measureWaiting } from './waiting-time.ts';

/**
 * More writes of one kind in one tenant than the partition of their log takes: 1,000 write units a second, and two for each record. DynamoDB
 * then cancels transactions that write to this partition.
 */

/** Milliseconds that a function may take: longer than one transaction, so that a throttled change set is sent in a second one. */
const timeout = maxCommitMs + 2_000;

/** Additional milliseconds for several requests at once. */
const slack = 1_000;

let faulty: FaultyService;
let logged: jest.SpyInstance;

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => faulty.proxy.inject(undefined));

afterAll(async () => {
  await faulty.stop();
  logged.mockRestore();
});

interface TransactItem {
  readonly [action: string]: { readonly Item?: { readonly pk: { readonly S: string } } };
}

/** Refuses the writes to one partition, and counts them. */
function throttlePartition(partition: string) {
  const injector = async ({ operation, body }: Call, pass: () => Promise<EngineResponse>) => {
    if (operation !== 'TransactWriteItems') return pass();
    const isThrottled = (body['TransactItems'] as TransactItem[]).map((item) =>
      Object.values(item).some(({ Item }) => Item?.pk.S === partition),
    );
    if (!isThrottled.includes(true)) return pass();
    injector.refused += 1;
    const CancellationReasons = isThrottled.map((isRefused) => ({
      Code: isRefused ? 'ProvisionedThroughputExceeded' : 'None',
    }));
    return errorResponse('TransactionCanceledException', { CancellationReasons });
  };
  injector.refused = 0;
  return injector;
}

/** Throttles the log of tasks. */
function throttleTasks() {
  const injector = throttlePartition(logPartition('public', 'task'));
  faulty.proxy.inject(injector);
  return injector;
}

interface Task {
  readonly id: string;
  readonly name: string;
}

interface List {
  readonly total: number;
  readonly data: readonly Task[];
}

const tasks = async (): Promise<List> => (await faulty.send<List>('GET', '/v1/tasks?limit=100')).body;

async function createTask(name: string): Promise<string> {
  const { status, body } = await faulty.send<Task>('POST', '/v1/tasks', { name });
  expect(status).toBe(201);
  return body.id;
}

test('every write of the kind returns 503 in time, with Retry-After, and changes nothing', async () => {
  const id = await createTask('a');
  const before = await tasks();
  const injector = throttleTasks();
  const writes: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['POST', '/v1/tasks', { name: 'b' }],
    ['PATCH', `/v1/tasks/${id}`, { name: 'b' }],
    ['PUT', `/v1/tasks/${id}`, { name: 'b' }],
    ['DELETE', `/v1/tasks/${id}`],
    ['POST', '/v1/tasks/batch', { operations: [{ operation: 'create', body: { name: 'b' } }] }],
  ];
  await Promise.all(
    writes.map(async ([method, path, body]) => {
      const { result, waitedMs } = await measureWaiting(() => faulty.send(method, path, body));
      const { status, headers } = result;
      expect([method, path, status]).toEqual([method, path, 503]);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(waitedMs).toBeLessThan(timeout + slack);
    }),
  );
  expect(injector.refused).toBeGreaterThan(writes.length);
  expect(await tasks()).toEqual(before);
  faulty.proxy.inject(undefined);
  expect(await tasks()).toEqual(before);
});

test('writes of another kind are applied meanwhile', async () => {
  throttleTasks();
  expect((await faulty.send('POST', '/v1/tags', { name: 'a' })).status).toBe(201);
});

test('a client repeats a throttled request with its Idempotency-Key, and it is applied once', async () => {
  const { total } = await tasks();
  const create = () =>
    faulty.send<Task>('POST', '/v1/tasks', { name: 'once' }, { 'idempotency-key': 'throttled' });
  throttleTasks();
  expect((await create()).status).toBe(503);
  faulty.proxy.inject(undefined);
  const applied = await create();
  expect([applied.status, applied.body.name]).toEqual([201, 'once']);
  const replayed = await create();
  expect([replayed.status, replayed.body.id]).toEqual([201, applied.body.id]);
  expect((await tasks()).total).toBe(total + 1);
});

test('a request makes three attempts at a transaction whose keys are throttled, and says why it failed', async () => {
  const injector = throttleTasks();
  const { status, body } = await faulty.send<{ detail: string }>('POST', '/v1/tasks', { name: 'a' });
  expect([status, body.detail, injector.refused]).toEqual([
    503,
    expect.stringMatching(/^Too many requests use the same data at this time\. It is safe to send/),
    3,
  ]);
});

test('a write whose keys are throttled twice is applied once', async () => {
  const { total } = await tasks();
  const injector = throttlePartition(logPartition('public', 'task'));
  faulty.proxy.inject((...call) => (injector.refused < 2 ? injector(...call) : call[1]()));
  await createTask('late');
  expect(injector.refused).toBe(2);
  expect((await tasks()).total).toBe(total + 1);
});

test('a read whose key is throttled returns 503 after three attempts, and one that the table throttles goes on', async () => {
  const id = await createTask('read');
  let refused = 0;
  const refuse = (reason: string, times: number) => {
    refused = 0;
    faulty.proxy.inject(async ({ operation, body }, pass) => {
      // Jobs and compaction read other keys at the same time.
      const isOfRequest = JSON.stringify(body).includes(id);
      if (!/^(?:GetItem|Query|BatchGetItem)$/.test(operation) || !isOfRequest || refused >= times)
        return pass();
      refused += 1;
      return errorResponse('ThrottlingException', { throttlingReasons: [{ reason, resource: 'arn' }] });
    });
  };
  refuse('TableReadKeyRangeThroughputExceeded', 100);
  const { status, headers } = await faulty.send('GET', `/v1/tasks/${id}`);
  expect([status, headers.get('retry-after'), refused]).toEqual([503, '1', 3]);
  refuse('TableReadAccountLimitExceeded', 4);
  expect((await faulty.send('GET', `/v1/tasks/${id}`)).status).toBe(200);
  expect(refused).toBe(4);
});
