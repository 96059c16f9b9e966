import { auditTable } from '#lib/audit/audit-table.ts';
import { accessOf, jobsAccess } from '#lib/infrastructure/table-access.ts';
import { runs } from '../support/runs.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, operations, request, successStatus } from './operations.ts';
import { printedSeed } from './seed.ts';
import { unprocessedKeys } from './unprocessed-keys.ts';
import { measureWaiting } from './waiting-time.ts';

/** Batch reads with unprocessed keys: the service requests these keys again. */

/** Milliseconds that a function may take. */
const timeout = 6_000;

/** Additional milliseconds for several requests at once. */
const slack = 1_000;

/** Tasks in the project that the tests list, clone and delete. They need two pages of children and several transactions. */
const tasks = 130;

const seed = printedSeed();
let faulty: FaultyService;
let ids: Ids;
let logged: jest.SpyInstance;

/** Lists that run as filtered scans and read their entities in batches. */
let lists: readonly string[];

interface List {
  readonly data: readonly { readonly id: string }[];
  readonly total: number;
}

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  ids = await makeEntities(faulty);
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const { projects: projectId, users: userId, tags } = ids;
  for (let number = 0; number < tasks; number += 10) {
    const requests = Array.from({ length: 10 }, (_, place) =>
      faulty.send('POST', '/v1/tasks', {
        name: `task ${number + place}`,
        priority: place % 2 ? 'high' : 'low',
        ...{ projectId, userId, tagIds: [tags] },
      }),
    );
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 201));
  }
  lists = [
    `/v1/tasks?priority=high&limit=100`,
    `/v1/tasks?sortBy=updatedAt&limit=100`,
    // The index of the project has many others.
    `/v1/projects/${projectId}/tasks?sortBy=priority&limit=30`,
    `/v1/users/${userId}/tasks?priority=low&sortBy=updatedAt&limit=100`,
    `/v1/tags/${tags}/tasks?limit=100`,
  ];
});

afterAll(async () => {
  await faulty.stop();
  logged.mockRestore();
});

const injectUnprocessedKeys = (share: number) => {
  const injector = unprocessedKeys(share, seed);
  faulty.proxy.inject(injector);
  return injector;
};

test('lists are complete when half of the keys are unprocessed', async () => {
  const complete = await Promise.all(lists.map((path) => faulty.send<List>('GET', path)));
  const injector = injectUnprocessedKeys(0.5);
  for (const [place, path] of lists.entries()) {
    const before = injector.unprocessed;
    const { status, body } = await faulty.send<List>('GET', path);
    expect([path, status, body]).toEqual([path, 200, complete[place]?.body]);
    expect([path, injector.unprocessed > before]).toEqual([path, true]);
  }
  faulty.proxy.inject(undefined);
  expect(complete.every(({ body }) => body.total >= tasks / 2)).toBe(true);
});

test('every operation with batch reads returns 503 in time when no key is ever processed', async () => {
  injectUnprocessedKeys(1);
  // In other orders, an index has other entities between those of a page.
  const fetching = operations.filter(({ success, nestedBy }) => success === 'list' && nestedBy === undefined);
  expect(fetching.length).toBe(runs(1, 5));
  const paths = [...lists, ...fetching.map(({ path }) => `${path}?sortBy=updatedAt`)];
  await Promise.all(
    paths.map(async (path) => {
      const { result, waitedMs } = await measureWaiting(() => faulty.send('GET', path));
      const { status, headers } = result;
      expect([path, status]).toEqual([path, 503]);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(waitedMs).toBeLessThan(timeout + slack);
    }),
  );
  faulty.proxy.inject(undefined);
});

test('jobs process every entity when half of the keys are unprocessed', async () => {
  const injector = injectUnprocessedKeys(0.5);
  const path = `/v1/projects/${ids['projects']}`;
  const clone = await faulty.send<{ id: string }>('POST', `${path}/clone`, { include: ['tasks'] });
  expect(clone.status).toBe(201);
  expect((await faulty.send('DELETE', path)).status).toBe(204);
  const totalOf = async (project: string | undefined): Promise<number> =>
    (await faulty.send<List>('GET', `/v1/projects/${project}/tasks?limit=1`)).body.total;
  while ((await totalOf(ids['projects'])) > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  faulty.proxy.inject(undefined);
  expect(injector.unprocessed).toBeGreaterThan(0);
  const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 50 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
});

test('functions call only the operations that contracts declare, and no BatchWriteItem', async () => {
  const toRead = await makeEntities(faulty);
  const injector = injectUnprocessedKeys(0.5);
  for (const contract of operations) {
    const subject = contract.method === 'GET' ? toRead : await makeEntities(faulty);
    const { status } = await request(faulty, contract, subject);
    expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
  }
  faulty.proxy.inject(undefined);
  // A role allows the single actions of a transaction. DynamoDB receives TransactWriteItems.
  const parts = ['PutItem', 'UpdateItem', 'DeleteItem'];
  const granted = [...operations.map(accessOf), jobsAccess].flatMap(({ actions }) => actions);
  const expected = new Set(granted.map((action) => (parts.includes(action) ? 'TransactWriteItems' : action)));
  // Compaction of the logs, at the same time, writes and deletes single items.
  const ofFunctions = [...injector.operations].filter((name) => !/^(?:Put|Delete)Item$/.test(name));
  expect(ofFunctions.sort()).toEqual([...expected].sort());
  expect(expected).not.toContain('BatchWriteItem');
});
