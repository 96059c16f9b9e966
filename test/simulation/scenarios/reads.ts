/** Reads, with what can happen to the table and to its indexes: a list shows all that was written before, and no read costs too much. */

import { maxRequestMs } from '#functions/engine/table/deadline.ts';
import { windowMs } from '#functions/http/tenant-units.ts';
import { someOf } from '../../support/runs.ts';
import type { Call, Course } from '../../support/table/course.ts';
import { lostRequest, refused, throttled } from '../../support/table/faults.ts';
import { makeEntities } from '../operations.ts';
import {
  create,
  createProject,
  inWorld,
  isIndexQuery,
  listed,
  scenario,
  send,
  succeed,
  takeLog,
  totalOf,
} from '../scenario.ts';
import { readList, Writer } from '../workload.ts';
import type { World } from '../world.ts';

describe.each(someOf([200, 2_000], 2))('while indexes and replicas lag by %i ms,', (lagMs) => {
  const lag = { latencyMs: [1, 20], lagMs, staleReads: 1 } as const;

  test('lists show what was written before', async () => {
    await inWorld(async (world) => {
      await makeEntities(world);
      world.table.faults = lag;
      const writer = new Writer(world, world.random);
      for (let step = 0; step < 25; step += 1) {
        await writer.step();
        await readList(world, world.random);
        if (step % 10 === 9) await world.deliverRecords();
      }
      expect(world.counts.lists).toBe(25);
    });
  });

  scenario(
    'lists of a parent, entities, histories and totals show what was written before',
    async (world) => {
      const project = await createProject(world, 0);
      const path = `projects/${project}/tasks`;
      world.table.faults = lag;
      const ids: string[] = [];
      for (let total = 1; total <= 4; total += 1) {
        ids.unshift(await create(world, 'tasks', { projectId: project, description: 'x'.repeat(700) }));
        expect([await listed(world, path), await totalOf(world, path)]).toEqual([ids, total]);
      }
      const [id, deleted] = ids;
      for (const status of ['b', 'c']) {
        await succeed(world, 'PATCH', `/v1/tasks/${id}`, { status, description: status.repeat(700) });
        const { data } = await succeed(world, 'GET', `/v1/${path}?status=${status}`);
        expect(data).toMatchObject([{ id, status, description: status.repeat(700) }]);
        expect(await succeed(world, 'GET', `/v1/tasks/${id}`)).toMatchObject({ status });
      }
      await succeed(world, 'DELETE', `/v1/tasks/${deleted}`);
      expect(await listed(world, path)).toEqual(ids.filter((one) => one !== deleted));
      const history = await succeed(world, 'GET', `/v1/tasks/${id}/changes`);
      expect([history.data.map(({ version }) => version), history['isComplete']]).toEqual([[3, 2, 1], true]);
    },
  );
});

scenario('a list by creation is right while its index lags by an hour', async (world) => {
  const lag = () => ({ lagMs: (view: string) => (view === 'by-creation' ? 3_600_000 : 0) });
  world.table.intercept = lag;
  await createProject(world, 130);
  // Compaction absorbs what the index does not have.
  await world.settle(5);
  // All tasks have this priority, and no index has it.
  const both = async (): Promise<string[]> => {
    for (const process of world.processes) process.crash();
    const ids = await listed(world, 'tasks?sortBy=createdAt&sortOrder=asc&priority=none&limit=100');
    expect(await listed(world, 'tasks?sortBy=createdAt&sortOrder=asc&limit=100')).toEqual(ids);
    return ids;
  };
  const ids = await both();
  expect(ids).toHaveLength(100);
  world.table.intercept = undefined;
  // Now the index has what is deleted.
  await world.wait(3_600_000);
  world.table.intercept = lag;
  const [first = '', second = ''] = ids;
  for (const id of [first, second]) await succeed(world, 'DELETE', `/v1/tasks/${id}`);
  expect(await both()).not.toContain(first);
  await world.settle(5);
  expect(await both()).not.toContain(second);
  world.table.intercept = undefined;
});

describe('a list reads its index once', () => {
  /** Returns the total of a list, and how often it has read an index, while tasks of it change. */
  async function listWhileTasksChange(
    world: World,
    path: string,
    ids: readonly string[],
    refuse: (call: Call, reads: number) => Course | undefined,
  ): Promise<[total: number, reads: number]> {
    let reads = 0;
    let isListed = false;
    // A process that knows nothing reads the entities of its first page from the index.
    for (const process of world.processes) process.crash();
    world.table.intercept = (call) => {
      if (!isIndexQuery(call)) return { requestMs: 1 };
      reads += 1;
      // The index is newer than what the list has read of the log.
      return refuse(call, reads) ?? { requestMs: 500 };
    };
    const list = succeed(world, 'GET', `/v1/${path}`).finally(() => {
      isListed = true;
    });
    while (!isListed) {
      await world.wait(50);
      for (const id of ids)
        await succeed(world, 'PATCH', `/v1/tasks/${id}`, { description: world.newMark() });
    }
    world.table.intercept = undefined;
    return [(await list).total, reads];
  }

  scenario('while the tasks change, also after a throttle', async (world) => {
    const count = 130;
    await createProject(world, count);
    await world.settle(4);
    const ids = (await listed(world, 'tasks')).slice(0, 3);
    const list = (refuse: Parameters<typeof listWhileTasksChange>[3]) =>
      listWhileTasksChange(world, 'tasks', ids, refuse);
    expect(await list(() => undefined)).toEqual([count, 1]);
    expect(await list((call, reads) => (reads === 1 ? throttled(call) : undefined))).toEqual([count, 2]);
  });
});

describe('unprocessed keys of a batch', () => {
  const pathsOf = ({ projects, users, tags }: Readonly<Record<string, string>>): readonly string[] => [
    'tasks?priority=high&limit=100',
    'tasks?sortBy=updatedAt&limit=100',
    `projects/${projects}/tasks?sortBy=priority&limit=30`,
    `users/${users}/tasks?priority=low&sortBy=updatedAt&limit=100`,
    `tags/${tags}/tasks?limit=100`,
  ];

  scenario('are read again', async (world) => {
    const ids = await makeEntities(world);
    const fields = { projectId: ids['projects'], userId: ids['users'], tagIds: [ids['tags']] };
    for (let number = 0; number < 20; number += 1)
      await create(world, 'tasks', { ...fields, priority: number % 2 ? 'high' : 'low' });
    for (const path of pathsOf(ids)) {
      const whole = await succeed(world, 'GET', `/v1/${path}`);
      world.table.faults = { unprocessedKeys: 1 };
      expect([path, await succeed(world, 'GET', `/v1/${path}`)]).toEqual([path, whole]);
      world.table.faults = {};
      expect(whole.total).toBeGreaterThan(5);
    }
  });

  scenario('that no batch processes make the request a 503 in time', async (world) => {
    const ids = await makeEntities(world);
    await create(world, 'tasks', { priority: 'high' });
    await world.settle();
    // The schedule has read columns.
    for (const process of world.processes) process.crash();
    world.table.intercept = ({ operation }) => (operation === 'BatchGetItem' ? { maxKeys: 0 } : undefined);
    const startedMs = world.time.now();
    for (const path of pathsOf(ids).slice(0, 2)) {
      const { status, headers } = await send(world, 'GET', `/v1/${path}`);
      expect([path, status, headers['retry-after']]).toEqual([path, 503, expect.stringMatching(/^\d+$/)]);
    }
    expect(world.time.now() - startedMs).toBeLessThan(2 * maxRequestMs + 100);
    world.table.intercept = undefined;
  });
});

scenario(
  'a read whose key is throttled ends soon with 503, and one that the account throttles goes on',
  async (world) => {
    const id = await create(world, 'tasks');
    let refusals = 0;
    const refuse = (times: number, course: (call: Call) => Course): void => {
      refusals = 0;
      world.table.intercept = (call) => {
        if (refusals >= times) return undefined;
        refusals += 1;
        return course(call);
      };
    };
    refuse(100, throttled);
    const startedMs = world.time.now();
    const { status, headers } = await send(world, 'GET', `/v1/tasks/${id}`);
    expect([status, headers['retry-after'], world.time.now() - startedMs < 4_000]).toEqual([503, '1', true]);
    refuse(4, () => refused('ThrottlingException'));
    expect((await send(world, 'GET', `/v1/tasks/${id}`)).status).toBe(200);
  },
);

describe('a list that reads more than 20,000 units', () => {
  /** Returns the response to a list of tags when calls that have a text cost so many units. */
  async function listCosting(world: World, units: number, text: string, query = '') {
    const organizationId = await create(world, 'organizations');
    for (let number = 0; number < 8; number += 1) await create(world, 'tags', { organizationId });
    await world.settle();
    for (const process of world.processes) process.crash();
    takeLog();
    process.env['LOG_LEVEL'] = 'INFO';
    process.env['REQUEST_METRICS'] = 'Test';
    const ConsumedCapacity = (output: object) =>
      'Items' in output || 'Item' in output ? { CapacityUnits: units } : [{ CapacityUnits: units }];
    world.table.intercept = ({ input }) =>
      JSON.stringify(input).includes(text)
        ? { respond: (output) => ({ ...output, ConsumedCapacity: ConsumedCapacity(output) }) }
        : undefined;
    const response = await send(world, 'GET', `/v1/tags${query}`);
    world.table.intercept = undefined;
    process.env['LOG_LEVEL'] = 'ERROR';
    process.env['REQUEST_METRICS'] = '';
    const lines = takeLog();
    const hasMetric = lines.some((line) => JSON.stringify(line['_aws'] ?? {}).includes('readBudgetExceeded'));
    return { ...response, hasMetric, levels: lines.map(({ level }) => level) };
  }

  scenario('for its page is a 400 that names "limit"', async (world) => {
    const { status, body, hasMetric, levels } = await listCosting(world, 20_001, 'by-creation');
    const detail = expect.stringMatching(/more than 20000 read units.* a lower "limit"/);
    expect([status, body['errors'], hasMetric, levels]).toEqual([
      400,
      [{ parameter: 'limit', detail }],
      true,
      ['INFO'],
    ]);
  });

  scenario('for what "expand" adds is a 400 that names "limit"', async (world) => {
    const { status, hasMetric } = await listCosting(
      world,
      20_001,
      '@public#organization#',
      '?expand=organization',
    );
    expect([status, hasMetric]).toEqual([400, true]);
  });

  scenario('for the log is a 503', async (world) => {
    const { status, headers, hasMetric, levels } = await listCosting(world, 20_001, '@public#tag#log');
    expect([status, headers['retry-after'], hasMetric, levels]).toEqual([503, '60', true, ['ERROR', 'INFO']]);
  });

  scenario('is one unit above those that have no metric', async (world) => {
    const { status, hasMetric } = await listCosting(world, 19_000, 'by-creation');
    expect([status, hasMetric]).toEqual([200, false]);
  });
});

describe('requests succeed up to the quota when counts', () => {
  const quota = 20;

  test.each<[string, (call: Call) => Course]>([
    ['are lost', () => lostRequest(0)],
    ['are throttled', throttled],
    ['are denied', () => refused('AccessDeniedException')],
    ['never return', () => lostRequest()],
    ['lose their responses', () => ({ lost: 'response', patienceMs: 0 })],
    ['return what is not from DynamoDB', () => ({ respond: () => ({}) })],
  ])('%s', async (_, course) => {
    await inWorld(async (world) => {
      const id = await create(world, 'tags');
      process.env['TENANT_RATE'] = String((1_000 * quota) / windowMs);
      await world.wait(windowMs - (world.time.now() % windowMs) + 1_000);
      let calls = 0;
      world.table.intercept = (call) => {
        if (!JSON.stringify(call.input).includes('#rate#')) return undefined;
        calls += 1;
        return course(call);
      };
      const statuses: (number | undefined)[] = [];
      for (let sent = 0; sent < quota + 5; sent += 1)
        statuses.push((await world.processes[0]?.request('GET', `/v1/tags/${id}`))?.status);
      expect(statuses).toEqual([...Array(quota).fill(200), ...Array(5).fill(429)]);
      // A call that never returns is given up after a second.
      await world.wait(2_000);
      process.env['TENANT_RATE'] = '0';
      world.table.intercept = undefined;
      expect(calls).toBeGreaterThan(0);
      expect(takeLog()[0]).toMatchObject({
        level: 'ERROR',
        message: 'The units of the tenant were not published.',
      });
    });
  });
});
