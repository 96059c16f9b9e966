import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { forEach } from '#functions/runtime/for-each.ts';
import { connect } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { type Engine, startEngine } from '#lib/local/dynamodb-engine.ts';
import { ensureTable } from '#lib/local/table.ts';
import { compactAll } from '../support/compaction.ts';
import { type Call, errorResponse, laggingReplica } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/**
 * Indexes and replicas that receive a write after its response, like those of DynamoDB. All eventually consistent reads are late: of
 * entities, of columns and of indexes. Emulators update everything at once.
 */

interface Task {
  readonly id: string;
  readonly name: string;
  readonly priority: string;
  readonly tagIds: readonly string[];
}

interface List {
  readonly data: { readonly id: string; readonly name: string; readonly description?: string }[];
  readonly total: number;
}

interface History {
  readonly data: readonly { readonly version: number }[];
  readonly isComplete: boolean;
}

let faulty: FaultyService;
let replica: Engine;

beforeAll(async () => {
  faulty = await startFaultyService();
  replica = await startEngine(':memory:');
  const client = new DynamoDBClient({ endpoint: replica.endpoint });
  await ensureTable(client, faulty.service.tableName);
  client.destroy();
});

afterAll(async () => {
  await faulty.stop();
  await replica.stop();
});

/** The client of the functions: its calls go through the proxy. */
const database = (): Database => new Database(connect(), faulty.service.tableName, new Deadline(300_000));

const make = async (plural: string, fields: object = {}): Promise<string> =>
  (await faulty.send<{ id: string }>('POST', `/v1/${plural}`, { name: 'x', ...fields })).body.id;

async function expectList(path: string, ids: readonly string[]): Promise<void> {
  const { status, body } = await faulty.send<List>('GET', path);
  expect([path, status, body.total, body.data.map(({ id }) => id)]).toEqual([path, 200, ids.length, ids]);
}

describe.each([200, 2_000])('when eventually consistent reads lag by %i ms', (milliseconds) => {
  let lagging: ReturnType<typeof laggingReplica>;

  beforeAll(() => {
    lagging = laggingReplica(replica.endpoint, milliseconds);
    faulty.proxy.inject(lagging);
  });

  // Pending writes to a stopped replica would fail a later test.
  afterAll(async () => {
    faulty.proxy.inject(undefined);
    await lagging.caughtUp();
  });

  test('the next list contains created entities and no deleted ones', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const ids: string[] = [];
    for (let number = 0; number < 7; number += 1) ids.unshift(await make('tasks', { projectId: project }));
    const path = `/v1/projects/${project}/tasks`;
    await expectList(path, ids);
    await expectList(`${path}?sortOrder=asc`, ids.toReversed());
    await faulty.send('DELETE', `/v1/tasks/${ids[1]}`);
    ids.splice(1, 1);
    await expectList(path, ids);
    await faulty.send('PATCH', `/v1/tasks/${ids[2]}`, { status: 'done' });
    await expectList(`${path}?status=done`, ids.slice(2, 3));
    await expectList(`${path}?status=active`, ids.toSpliced(2, 1));
  });

  test('a history has all changes that were made before', async () => {
    const id = await make('tasks');
    for (const name of ['b', 'c']) await faulty.send('PATCH', `/v1/tasks/${id}`, { name });
    const { body } = await faulty.send<History>('GET', `/v1/tasks/${id}/changes`);
    expect([body.data.map(({ version }) => version), body.isComplete]).toEqual([[3, 2, 1], true]);
  });

  test('lists show long descriptions whole, and the list engine those of the last write', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const path = `/v1/projects/${project}/tasks`;
    const [first, second] = ['1', '2'].map((digit) => digit.repeat(500)) as [string, string];
    const id = await make('tasks', { projectId: project, description: first });
    const descriptionsAt = async (query: string): Promise<unknown[]> => {
      const { status, body } = await faulty.send<List>('GET', `${path}${query}`);
      expect([path, status]).toEqual([path, 200]);
      return body.data.map((task) => task.description);
    };
    expect(await descriptionsAt('')).toEqual([first]);
    await faulty.send('PATCH', `/v1/tasks/${id}`, { description: second });
    // The index may still have an earlier version.
    expect([first, second]).toContain((await descriptionsAt(''))[0]);
    expect(await descriptionsAt('?sortBy=name')).toEqual([second]);
    await faulty.send('PATCH', `/v1/tasks/${id}`, { description: 'short' });
    expect([first, second, 'short']).toContain((await descriptionsAt(''))[0]);
    expect(await descriptionsAt('?sortBy=name')).toEqual(['short']);
  });

  test('lists of a parent with few children contain what was written before', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const ids = [await make('tasks', { projectId: project, priority: 'high' })];
    ids.unshift(await make('tasks', { projectId: project, priority: 'high' }));
    const path = `/v1/projects/${project}/tasks?priority=high`;
    await expectList(path, ids);
    await faulty.send('PATCH', `/v1/tasks/${ids[0]}`, { priority: 'low' });
    await expectList(path, ids.slice(1));
    await faulty.send('DELETE', `/v1/tasks/${ids[1]}`);
    await expectList(path, []);
  });

  test('lists by the engine contain what was written before, and no column is missing', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const tag = await make('tags');
    const tasks = new Map<string, Task>();
    const write = async (method: string, path: string, body: object): Promise<void> => {
      const response = await faulty.send<Task>(method, path, body);
      expect([200, 201]).toContain(response.status);
      tasks.set(response.body.id, response.body);
    };
    const expectLists = async (): Promise<void> => {
      const idsOf = (matches: (task: Task) => boolean): string[] => {
        const matching = [...tasks.values()].filter(matches);
        return matching.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)).map(({ id }) => id);
      };
      const keyOf = ({ name, id }: Task): string => `${name} ${id}`;
      const base = 'sortBy=name&sortOrder=asc&limit=100';
      const isHigh = ({ priority }: Task): boolean => priority === 'high';
      const hasTag = ({ tagIds }: Task): boolean => tagIds.includes(tag);
      await expectList(
        `/v1/projects/${project}/tasks?${base}`,
        idsOf(() => true),
      );
      await expectList(`/v1/tasks?projectId=${project}&priority=high&${base}`, idsOf(isHigh));
      await expectList(`/v1/tags/${tag}/tasks?projectId=${project}&${base}`, idsOf(hasTag));
      await expectList(`/v1/tags/${tag}/tasks?${base}`, idsOf(hasTag));
    };
    const create = (number: number): Promise<void> =>
      write('POST', '/v1/tasks', {
        name: `Task ${number % 7}`,
        projectId: project,
        priority: number % 3 === 0 ? 'high' : 'low',
        tagIds: number % 2 === 0 ? [tag] : [],
      });
    // More children than a list of one parent reads from its index.
    await forEach(
      Array.from({ length: 65 }, (_, number) => number),
      8,
      create,
    );
    await expectLists();
    await compactAll(database(), 'public', 'task');
    await expectLists();
    for (const [number, id] of [...tasks.keys()].slice(0, 6).entries()) {
      if (number % 3 === 0) await write('PATCH', `/v1/tasks/${id}`, { name: 'Task 3' });
      if (number % 3 === 1) await write('PATCH', `/v1/tasks/${id}`, { priority: 'high', tagIds: [tag] });
      if (number % 3 === 2) {
        await faulty.send('DELETE', `/v1/tasks/${id}`);
        tasks.delete(id);
      }
      await create(number);
      await expectLists();
    }
    await compactAll(database(), 'public', 'task');
    await expectLists();
  });

  test('the deletion of a tag finds the tasks that got it a moment ago', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const tag = await make('tags');
    const ids = [await make('tasks', { projectId: project, tagIds: [tag] })];
    ids.push(await make('tasks', { projectId: project }));
    await faulty.send('PATCH', `/v1/tasks/${ids[1]}`, { tagIds: [tag] });
    expect((await faulty.send('DELETE', `/v1/tags/${tag}`)).status).toBe(204);
    for (const id of ids) {
      expect((await faulty.send<Task>('GET', `/v1/tasks/${id}`)).body.tagIds).toEqual([]);
    }
  });

  test('a clone copies the tasks as they are, by a request and by a job', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const ids: string[] = [];
    const makeTask = async (number: number): Promise<void> => {
      ids.push(await make('tasks', { projectId: project, name: `${number}` }));
    };
    for (let number = 0; number < 3; number += 1) await makeTask(number);
    const tasksOf = async (id: string): Promise<List['data']> => {
      const path = `/v1/projects/${id}/tasks?sortOrder=asc&limit=100`;
      const pages = [await faulty.send<List>('GET', path), await faulty.send<List>('GET', `${path}&page=2`)];
      return pages.flatMap(({ body }) => body.data);
    };
    const expectClone = async (names: readonly string[]): Promise<void> => {
      const { status, body } = await faulty.send<Task>('POST', `/v1/projects/${project}/clone`);
      expect(status).toBe(201);
      for (let left = 200; left > 0 && (await tasksOf(body.id)).length < names.length; left -= 1)
        await delay(50);
      expect((await tasksOf(body.id)).map((task) => task.name)).toEqual(names);
    };
    await expectClone(['0', '1', '2']);
    await faulty.send('DELETE', `/v1/tasks/${ids[0]}`);
    await faulty.send('PATCH', `/v1/tasks/${ids[1]}`, { name: 'changed' });
    await expectClone(['changed', '2']);
    // More than one transaction can copy.
    await forEach(Array(110).keys(), 8, makeTask);
    const tasks = await tasksOf(project);
    expect(tasks).toHaveLength(112);
    await faulty.send('PATCH', `/v1/tasks/${ids[2]}`, { name: 'last' });
    await expectClone(tasks.map(({ id, name }) => (id === ids[2] ? 'last' : name)));
  });

  test('an archive finds the projects that were created a moment ago', async () => {
    const organizationId = await make('organizations');
    const ids = [await make('projects', { organizationId }), await make('projects', { organizationId })];
    expect((await faulty.send('POST', `/v1/organizations/${organizationId}/archive`)).status).toBe(200);
    await expectList(`/v1/organizations/${organizationId}/projects?status=archived`, ids.toReversed());
  });

  test('totals are correct at once on any page', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const path = `/v1/projects/${project}/tasks?limit=3&page=`;
    for (let number = 1; number <= 7; number += 1) {
      await make('tasks', { projectId: project });
      for (const page of [1, 2, 3, 4]) {
        expect((await faulty.send<List>('GET', path + page)).body.total).toBe(number);
      }
    }
  });
});

describe('reads of an index for one list', () => {
  /** What each list reads from an index: `path` after the parent, and the number of tasks of the parent. */
  const lists = [
    ['of a parent, by creation', 30, ''],
    ['of a parent with a status', 30, '?status=active'],
    ['of a parent with few tasks, by name', 30, '?sortBy=name'],
    ['of a parent with many tasks, by creation', 130, ''],
  ] as const;

  let path: string;
  let ids: string[];

  async function makeTasks(count: number): Promise<void> {
    const project = await make('projects', { organizationId: await make('organizations') });
    path = `/v1/projects/${project}/tasks`;
    ids = [];
    const numbers = Array.from({ length: count }, (_, number) => number);
    await forEach(numbers, 8, async () => {
      ids.push(await make('tasks', { projectId: project }));
    });
    await compactAll(database(), 'public', 'task');
  }

  afterEach(() => faulty.proxy.inject(undefined));

  /** The schedule queries another index for jobs meanwhile. */
  const isIndexQuery = ({ operation, body }: Call): boolean =>
    operation === 'Query' && body['IndexName'] === 'by-parent';

  /** Changes tasks at the beginning of each list. */
  const changeSome = async (): Promise<void> => {
    for (const id of [...ids].sort().slice(-3))
      await faulty.send('PATCH', `/v1/tasks/${id}`, { description: String(Math.random()) });
  };

  test.each(lists)('is at most one while the tasks change: %s', async (_, count, query) => {
    await makeTasks(count);
    const read: unknown[] = [];
    faulty.proxy.inject(async (call, pass) => {
      if (!isIndexQuery(call)) return pass();
      read.push(call.body['Limit']);
      // Each time, the index is newer than the state of the log that the list has read.
      await changeSome();
      return pass();
    });
    const { status, body } = await faulty.send<List>('GET', path + query);
    expect([status, body.total]).toEqual([200, count]);
    // In other orders than that of creation, it has at most four times as many entities as the page.
    expect(read).toEqual([expect.any(Number)]);
    expect(read[0]).toBeLessThanOrEqual(80);
  });

  test.each(lists)('are not repeated after a throttle: %s', async (_, count, query) => {
    await makeTasks(count);
    let served = 0;
    let throttled = 0;
    faulty.proxy.inject(async (call, pass) => {
      if (!isIndexQuery(call)) return pass();
      if (throttled === 0) {
        throttled += 1;
        return errorResponse('ProvisionedThroughputExceededException');
      }
      served += 1;
      await changeSome();
      return pass();
    });
    const { status, body } = await faulty.send<List>('GET', path + query);
    expect([status, body.total, throttled, served]).toEqual([200, count, 1, 1]);
  });

  /** Gives the replica, which has received none of the tasks, some of them: what an index has that lags by more than compaction waits. */
  async function copyToReplica(some: readonly string[]): Promise<void> {
    const items = await faulty.client.send(
      new ScanCommand({
        TableName: faulty.service.tableName,
        FilterExpression: 'projectId = :project',
        ExpressionAttributeValues: { ':project': path.split('/')[3] },
      }),
    );
    const found = (items.Items ?? []).filter(({ pk }) => some.some((id) => String(pk).endsWith(id)));
    const other = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: replica.endpoint }));
    await forEach(found, 8, async (Item) => {
      await other.send(new PutCommand({ TableName: faulty.service.tableName, Item }));
    });
    other.destroy();
    expect(found.length).toBe(some.length);
  }

  const deleteTasks = (some: readonly string[]): Promise<void> =>
    forEach(some, 8, async (id) => {
      await faulty.send('DELETE', `/v1/tasks/${id}`);
    });

  const readIndexesFromReplica = (): void =>
    faulty.proxy.inject(async (call, pass) => (isIndexQuery(call) ? pass(replica.endpoint) : pass()));

  test('a list of a parent whose index still has many removed children is right', async () => {
    await makeTasks(130);
    await copyToReplica(ids);
    await deleteTasks(ids.slice(10));
    readIndexesFromReplica();
    await expectList(`${path}?sortBy=createdAt,name&priority=none&sortOrder=asc`, ids.slice(0, 10).sort());
  });

  test('a list of a parent whose index lacks children that compaction has absorbed is right', async () => {
    await makeTasks(10);
    await copyToReplica(ids.slice(2));
    readIndexesFromReplica();
    await expectList(`${path}?sortBy=createdAt,name&priority=none&sortOrder=asc`, ids.toSorted());
  });

  test('a list of a parent whose index has children whose deletion compaction has absorbed is right', async () => {
    await makeTasks(10);
    await copyToReplica(ids);
    await deleteTasks(ids.slice(0, 2));
    await compactAll(database(), 'public', 'task');
    readIndexesFromReplica();
    await expectList(`${path}?sortBy=createdAt,name&priority=none&sortOrder=asc`, ids.slice(2).sort());
  });

  test('a list of a parent whose index has all children reads it once', async () => {
    await makeTasks(10);
    await copyToReplica(ids.slice(2));
    // These are in no record that compaction has absorbed.
    await deleteTasks(ids.slice(0, 2));
    let queries = 0;
    faulty.proxy.inject(async (call, pass) => {
      if (!isIndexQuery(call)) return pass();
      queries += 1;
      return pass(replica.endpoint);
    });
    await expectList(`${path}?sortBy=createdAt,name&priority=none&sortOrder=asc`, ids.slice(2).sort());
    expect(queries).toBe(1);
  });
});
