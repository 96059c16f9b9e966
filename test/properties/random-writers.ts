import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { rebuildLogs } from '#lib/audit/change-logs.ts';
import { type Injector, seeded } from '../faults/engine-proxy.ts';
import { type FaultyService, startFaultyService, type TestResponse } from '../faults/faulty-service.ts';
import { compactAll, smallSizes } from '../support/compaction.ts';
import { areValues, listQuery, sortedBy } from '../support/list-queries.ts';
import { plainList, ranks } from '../support/plain-list.ts';
import { runs } from '../support/runs.ts';
import { followUntil, randomFollowers } from './feed-followers.ts';

/**
 * Concurrent writers with random operations, on an engine with an injected fault. Each writer changes only its own entities,
 * so it knows their expected state. The writers share lists. Afterwards, the totals, pages and order of every
 * list must match the model, and the audit must find nothing.
 */

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const sequences = runs(3, 42);
/**
 * The number of sequences after which the test starts another engine. Writes of the embedded engine get slower with the
 * size of its stream.
 */
const sequencesOfAnEngine = 25;
const writers = 3;
const operations = 5;
const statuses = ['active', 'planned', 'done'];

let faulty: FaultyService;
let spies: readonly jest.SpyInstance[];

beforeAll(() => {
  process.stdout.write(`seed ${seed}\n`);
  // The expected error lines of stopped requests would fill the output.
  const logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  // So would those of the schedule, which meets the faults too.
  const { error } = console;
  const reported = jest.spyOn(console, 'error').mockImplementation((...parts: unknown[]) => {
    if (parts[0] !== 'The scheduled function failed:') error(...parts);
  });
  spies = [logged, reported];
});

afterAll(() => {
  for (const spy of spies) spy.mockRestore();
});

type Kind = 'projects' | 'tasks';

interface Entity {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly status: string;
  readonly priority?: string;
  readonly dueDate?: string | null;
  readonly description?: string;
  readonly updatedAt: string;
  readonly organizationId?: string;
  readonly projectId?: string | null;
  readonly userId?: string | null;
}

interface List {
  readonly data: Entity[];
  readonly total: number;
  readonly totalPages: number;
}

type Model = Record<Kind, Map<string, Entity>>;
let everything: Model;

const send = (
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<TestResponse> => faulty.send(method, path, body, headers);

/** Milliseconds by which the ids that apps make are in the past, at most. */
const maxOwnIdAgeMs = 7 * 86_400_000;

const list = async (path: string, query: Record<string, string | number>): Promise<List> => {
  const { status, body } = await send(
    'GET',
    `${path}?${new URLSearchParams(query as Record<string, string>)}`,
  );
  expect([path, status]).toEqual([path, 200]);
  return body as List;
};

let names = 0;

class Writer {
  readonly #random: () => number;
  readonly #users: readonly string[];
  readonly organizationId: string;
  readonly own: Model = { projects: new Map(), tasks: new Map() };
  readonly #deletedTasks: string[] = [];

  constructor(random: () => number, organizationId: string, users: readonly string[]) {
    this.#random = random;
    this.organizationId = organizationId;
    this.#users = users;
  }

  #any<Value>(values: readonly Value[]): Value | undefined {
    return values[Math.floor(this.#random() * values.length)];
  }

  /** Returns an id as an app makes it, up to seven days ago. */
  #ownId(): string {
    return uuidv7({ msecs: Date.now() - Math.floor(this.#random() * maxOwnIdAgeMs) });
  }

  /** Creates a task with an id of its own, and sends the request again until its response arrives. */
  async #createWithOwnId(fields: object): Promise<void> {
    const id = this.#ownId();
    names += 1;
    const body = { ...fields, name: `own id ${names}` };
    for (let attempt = 1; ; attempt += 1) {
      const response = await send('PUT', `/v1/tasks/${id}`, body, { 'if-none-match': '*' });
      // An earlier attempt whose response was lost has created it.
      const isKnown = attempt > 1 && response.status === 412;
      expect([response.status, isKnown || response.status === 201 || response.status >= 500]).toEqual([
        response.status,
        true,
      ]);
      if (response.status < 500) return this.#settle('tasks', id);
    }
  }

  /** Restores a task that this writer has deleted. */
  async #restoreTask(): Promise<void> {
    const id = this.#any(this.#deletedTasks);
    if (!id) return;
    const { status } = await send('POST', `/v1/tasks/${id}/restore`);
    expect([status, status === 200 || status >= 500]).toEqual([status, true]);
    await this.#settle('tasks', id);
    if (this.own.tasks.has(id)) this.#deletedTasks.splice(this.#deletedTasks.indexOf(id), 1);
  }

  /** Updates the model after a failed request, which may have been applied or not. */
  async #settle(kind: Kind, id: string): Promise<void> {
    const { status, body } = await this.#readReliably('GET', `/v1/${kind}/${id}`);
    if (status === 404) this.own[kind].delete(id);
    else this.own[kind].set(id, body as Entity);
  }

  async #settleAll(kind: Kind): Promise<void> {
    for (const id of [...this.own[kind].keys()]) await this.#settle(kind, id);
  }

  /** Repeats a read until it succeeds. */
  async #readReliably(method: 'GET', path: string): Promise<TestResponse> {
    for (;;) {
      const response = await send(method, path);
      if (response.status < 500) return response;
    }
  }

  async #create(kind: Kind, path: string, fields: object): Promise<Entity | undefined> {
    names += 1;
    const name = `created ${names}`;
    const { status, body } = await send('POST', path, { ...fields, name });
    if (status === 201) {
      expect(body).toMatchObject(fields);
      this.own[kind].set((body as Entity).id, body as Entity);
      return body as Entity;
    }
    expect(status).toBeGreaterThanOrEqual(500);
    const found = (await this.#readReliably('GET', `/v1/${kind}?name=${encodeURIComponent(name)}`))
      .body as List;
    expect(found.total).toBeLessThanOrEqual(1);
    for (const entity of found.data) this.own[kind].set(entity.id, entity);
    return found.data[0];
  }

  async #update(kind: Kind, fields: object): Promise<void> {
    const id = this.#any([...this.own[kind].keys()]);
    if (!id) return;
    const { status, body } = await send('PATCH', `/v1/${kind}/${id}`, fields);
    if (status === 200) {
      expect(body).toMatchObject(fields);
      this.own[kind].set(id, body as Entity);
    } else await this.#settle(kind, id);
  }

  /** Creates, updates and deletes tasks in one batch. If the request fails, all of it is applied or nothing. */
  async #batch(fields: object): Promise<void> {
    const updated = this.#any([...this.own.tasks.keys()]);
    const deleted = this.#any([...this.own.tasks.keys()].filter((id) => id !== updated));
    if (!updated || !deleted) return;
    names += 1;
    const name = `batch ${names}`;
    const operations = [
      { operation: 'create', body: { ...fields, name }, ...(this.#random() < 0.5 && { id: this.#ownId() }) },
      { operation: 'delete', id: deleted },
      { operation: 'update', id: updated, body: { name } },
    ];
    const { status } = await send('POST', '/v1/tasks/batch', { operations });
    expect([status, status === 200 || status >= 500]).toEqual([status, true]);
    const path = `/v1/tasks?name=${encodeURIComponent(name)}`;
    const { data, total } = (await this.#readReliably('GET', path)).body as List;
    const isApplied = total > 0;
    if (status === 200) expect(isApplied).toBe(true);
    expect([total, data.some(({ id }) => id === updated)]).toEqual(isApplied ? [2, true] : [0, false]);
    expect((await this.#readReliably('GET', `/v1/tasks/${deleted}`)).status).toBe(isApplied ? 404 : 200);
    if (isApplied) this.own.tasks.delete(deleted);
    for (const entity of data) this.own.tasks.set(entity.id, entity);
  }

  async #clone(): Promise<void> {
    const from = this.#any([...this.own.projects.keys()]);
    if (!from) return;
    const clone = await this.#create('projects', `/v1/projects/${from}/clone`, {});
    if (!clone) return;
    const originals = [...this.own.tasks.values()].filter(({ projectId }) => projectId === from);
    const copies = (await this.#readReliably('GET', `/v1/tasks?projectId=${clone.id}&sortBy=name&limit=100`))
      .body as List;
    const textsOf = (tasks: readonly Entity[]): (string | undefined)[] =>
      tasks.map(({ description }) => description).sort();
    expect(textsOf(copies.data)).toEqual(textsOf(originals));
    for (const copy of copies.data) this.own.tasks.set(copy.id, copy);
  }

  async #deleteProject(): Promise<void> {
    const id = this.#any([...this.own.projects.keys()]);
    if (!id) return;
    const { status } = await send('DELETE', `/v1/projects/${id}`);
    if (status >= 500) {
      await this.#settleAll('projects');
      await this.#settleAll('tasks');
      return;
    }
    expect(status).toBe(204);
    this.own.projects.delete(id);
    for (const [task, { projectId }] of this.own.tasks) if (projectId === id) this.own.tasks.delete(task);
  }

  async #deleteTask(): Promise<void> {
    const id = this.#any([...this.own.tasks.keys()]);
    if (!id) return;
    const { status } = await send('DELETE', `/v1/tasks/${id}`);
    if (status === 204) this.own.tasks.delete(id);
    else await this.#settle('tasks', id);
    if (!this.own.tasks.has(id)) this.#deletedTasks.push(id);
  }

  async #archive(): Promise<void> {
    const { status } = await send('POST', `/v1/organizations/${this.organizationId}/archive`);
    if (status >= 500) return this.#settleAll('projects');
    for (const [id, entity] of this.own.projects)
      this.own.projects.set(id, { ...entity, status: 'archived' });
  }

  /** Returns a description: sometimes none, sometimes one that is stored beside its entity, up to the longest one. */
  #description(): string {
    const character = this.#any(['x', 'é', '€', '\u{1F600}']) ?? '';
    const length = this.#any([0, 5, 100, 399, 400, 401, 1_000, 10_000]) ?? 0;
    return length === 0 ? '' : character.repeat(length - 1) + this.#any(['y', 'z']);
  }

  step(): Promise<unknown> {
    const dice = this.#random();
    const status = this.#any(statuses) ?? '';
    const projectId = this.#any([...this.own.projects.keys(), null]) ?? null;
    const userId = this.#any([...this.#users, null]) ?? null;
    const values = {
      priority: this.#any(['none', 'low', 'medium', 'high', 'urgent']),
      dueDate: this.#any([null, '2026-01-01', '2026-01-02']),
      description: this.#description(),
    };
    if (dice < 0.08) return this.#createWithOwnId({ status, projectId, userId, ...values });
    if (dice < 0.35) return this.#create('tasks', '/v1/tasks', { status, projectId, userId, ...values });
    if (dice < 0.5)
      return this.#create('projects', '/v1/projects', { status, organizationId: this.organizationId });
    if (dice < 0.6) return this.#update('tasks', { status });
    if (dice < 0.65) return this.#update('tasks', values);
    if (dice < 0.75) return this.#update('tasks', { projectId, userId });
    if (dice < 0.78) return this.#update('projects', { status });
    if (dice < 0.8) return this.#update('projects', { description: values.description });
    if (dice < 0.85) return this.#batch({ status, projectId, userId, ...values });
    return this.#deleteOrMore(dice);
  }

  #deleteOrMore(dice: number): Promise<unknown> {
    if (dice < 0.89) return this.#deleteTask();
    if (dice < 0.93) return this.#restoreTask();
    if (dice < 0.95) return this.#deleteProject();
    return dice < 0.975 ? this.#archive() : this.#clone();
  }
}

/** Milliseconds that no transaction of these tests takes from its stamp to its commit. */
const longestCommitMs = 6_000;

/** Compacts the logs over and over, while others write. */
async function compactUntil(signal: AbortSignal, random: () => number): Promise<void> {
  while (!signal.aborted) {
    await delay(random() * 200);
    const kind = random() < 0.5 ? 'task' : 'project';
    const database = new Database(faulty.client, faulty.service.tableName, new Deadline(300_000));
    await compact({
      writer: openLog(database, 'public', kind),
      memory: new ProcessMemory().of('public', kind),
      nowMs: Date.now(),
      marginMs: longestCommitMs,
      sizes: smallSizes,
    });
  }
}

/** Absorbs all records: nobody writes. */
async function compactEverything(): Promise<void> {
  for (const kind of ['task', 'project'] as const) {
    const database = new Database(faulty.client, faulty.service.tableName, new Deadline(300_000));
    await compactAll(database, 'public', kind, smallSizes);
  }
}

/** Writes all columns again. Nobody writes. */
async function rebuildEverything(): Promise<void> {
  await rebuildLogs(faulty.client, faulty.service.tableName, { marginMs: 0 });
}

const newestFirst = (entities: Iterable<Entity>): string[] =>
  [...entities]
    .map(({ id }) => id)
    .sort()
    .reverse();

/** Reads all pages of a list and compares them with the expected entities. */
async function expectList(
  path: string,
  entities: Iterable<Entity>,
  limit: number,
  query: Record<string, string> = {},
): Promise<void> {
  const expected = newestFirst(entities);
  const sortOrder = query['sortOrder'] ?? 'desc';
  if (sortOrder === 'asc') expected.reverse();
  const seen: string[] = [];
  for (let page = 1; ; page += 1) {
    const { data, total, totalPages } = await list(path, { ...query, limit, page });
    expect([path, query, page, total]).toEqual([path, query, page, expected.length]);
    seen.push(...data.map(({ id }) => id));
    if (page >= totalPages) break;
  }
  expect([path, query, seen]).toEqual([path, query, expected]);
}

/** The model does not know when a project was archived. */
const sortFields = (path: string): string[] =>
  path.endsWith('tasks')
    ? [
        'name',
        'status',
        'updatedAt',
        'priority',
        'dueDate',
        'description',
        'projectId',
        'userId',
        'createdAt',
        'id',
      ]
    : ['name', 'status', 'organizationId', 'createdAt', 'id'];

/** Returns whether a value can be a filter: API Gateway accepts a request line of some 10 KB. */
const fitsUrl = (value: string): boolean => encodeURIComponent(value).length < 6_000;

/** Lists with random filters and orders that are compared for each path. */
const listsOfPath = 3;

/** Fields that a filter takes, with the values of one entity. */
const filterFields = [
  'name',
  'status',
  'priority',
  'dueDate',
  'description',
  'projectId',
  'userId',
  'createdAt',
  'id',
] as const;

/** Reads lists with random filters and orders, and compares them with the expected entities. */
async function expectRandomLists(
  path: string,
  entities: readonly Entity[],
  random: () => number,
): Promise<void> {
  for (let number = 0; number < listsOfPath; number += 1) {
    const fields = sortFields(path);
    const sortBy = fields[Math.floor(random() * fields.length)] ?? 'name';
    const sample: Partial<Entity> = entities[Math.floor(random() * entities.length)] ?? {};
    const filter = Object.fromEntries(
      filterFields.flatMap((field) => {
        const value = sample[field];
        return typeof value === 'string' && fitsUrl(value) && random() < 0.15
          ? [[field, value] as const]
          : [];
      }),
    );
    const sortOrder = random() < 0.5 ? 'asc' : 'desc';
    const limit = 1 + Math.floor(random() * 12);
    const sort = sortedBy(sortBy, sortOrder);
    const matching = listQuery({ filters: areValues(filter), sort, ranks, limit });
    const page = 1 + Math.floor((random() * plainList(entities, matching).total) / limit);
    const query = { ...filter, sortBy, sortOrder, limit, page };
    const { data, total } = await list(path, query);
    const expected = plainList(entities, { ...matching, page });
    expect([path, query, total]).toEqual([path, query, expected.total]);
    const shown = (found: readonly Entity[]) => found.map(({ id, description }) => [id, description]);
    expect([path, query, shown(data)]).toEqual([path, query, shown(expected.entities)]);
  }
}

async function runSequence(random: () => number): Promise<void> {
  const createReliably = async (path: string, body: object): Promise<string> => {
    for (;;) {
      const response = await send('POST', path, body);
      if (response.status === 201) return (response.body as Entity).id;
    }
  };
  const users = [await createReliably('/v1/users', { name: 'shared' })];
  const all: Writer[] = [];
  for (let number = 0; number < writers; number += 1) {
    all.push(new Writer(random, await createReliably('/v1/organizations', { name: 'own' }), users));
  }
  await Promise.all(
    all.map(async (writer) => {
      for (let number = 0; number < operations; number += 1) await writer.step();
    }),
  );
  const tasks = all.flatMap(({ own }) => [...own.tasks.values()]);
  for (const { own } of all) {
    for (const project of own.projects.values()) everything.projects.set(project.id, project);
    for (const task of own.tasks.values()) everything.tasks.set(task.id, task);
  }
  await verify(all, users, tasks);
  const randomLists = async (): Promise<void> => {
    for (const user of users) {
      const assigned = tasks.filter(({ userId }) => userId === user);
      await expectRandomLists(`/v1/users/${user}/tasks`, assigned, random);
    }
    await expectRandomLists('/v1/tasks', [...everything.tasks.values()], random);
    await expectRandomLists('/v1/projects', [...everything.projects.values()], random);
  };
  const injected = faulty.proxy.pause();
  await randomLists();
  if (random() < 0.3) {
    await compactEverything();
    await randomLists();
  }
  injected.resume();
}

async function verify(
  all: readonly Writer[],
  users: readonly string[],
  tasks: readonly Entity[],
): Promise<void> {
  const injected = faulty.proxy.pause();
  const ofOrganizations = all.map(({ organizationId, own }) =>
    expectList(`/v1/organizations/${organizationId}/projects`, own.projects.values(), 3),
  );
  const ofUsers = users.flatMap((user) => {
    const assigned = tasks.filter(({ userId }) => userId === user);
    const done = assigned.filter(({ status }) => status === 'done');
    const path = `/v1/users/${user}/tasks`;
    return [expectList(path, assigned, 3), expectList(path, done, 2, { status: 'done', sortOrder: 'asc' })];
  });
  await Promise.all([...ofOrganizations, ...ofUsers]);
  injected.resume();
}

async function verifyEverything(): Promise<void> {
  for (const kind of ['projects', 'tasks'] as const) {
    const entities = [...everything[kind].values()];
    await expectList(`/v1/${kind}`, entities, 37);
    for (const status of [...statuses, 'archived']) {
      const some = entities.filter((entity) => entity.status === status);
      await expectList(`/v1/${kind}`, some, 23, { status, sortOrder: 'asc' });
    }
  }
  const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 100 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
  expect(report.entities).toBeGreaterThan(everything.tasks.size);
}

/** Runs the sequences on an engine with an injected fault. */
export function testSequences(condition: string, injector: (seed: number) => Injector | undefined): void {
  const batches = Array.from({ length: Math.ceil(sequences / sequencesOfAnEngine) }, (_, batch) => {
    const first = batch * sequencesOfAnEngine;
    return { first, count: Math.min(sequencesOfAnEngine, sequences - first) };
  });
  // One test for each engine: all of them would take longer than a test may.
  test.each(batches)(
    `$count random sequences after $first others keep every list exact ${condition}`,
    async ({ first, count }) => {
      const random = seeded(seed + first);
      faulty = await startFaultyService();
      try {
        everything = { projects: new Map(), tasks: new Map() };
        faulty.proxy.inject(injector(seed + first));
        const stopped = new AbortController();
        const followers = randomFollowers((path) => send('GET', path), seeded(seed + first));
        const background = Promise.all([
          compactUntil(stopped.signal, seeded(seed + first)),
          followUntil(stopped.signal, followers, seeded(seed + first)),
        ]);
        try {
          for (let number = 0; number < count; number += 1) await runSequence(random);
        } finally {
          stopped.abort();
          await background;
        }
        faulty.proxy.inject(undefined);
        await verifyEverything();
        for (const follower of followers) await follower.check();
        await rebuildEverything();
        for (const follower of followers) {
          await follower.check();
          expect(follower.expired).toBe(1);
        }
      } finally {
        await faulty.stop();
      }
    },
    300_000,
  );
}
