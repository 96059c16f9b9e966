/**
 * Who sees what. Each random write is followed by every way to read, for every caller: an administrator sees all, and each other caller exactly what the rule
 * leaves of it. What a caller does not see behaves as if it did not exist.
 */
import { randomUUID } from 'node:crypto';
import { type Contract, scopeOf } from '#functions/contract/contract.ts';
import { numbersKey } from '#functions/engine/entities/numbers.ts';
import { groupBy } from '#functions/runtime/group-by.ts';
import { Random } from '../simulation/random.ts';
import { expectComplete } from '../support/complete.ts';
import { fc } from '../support/fast-check.ts';
import { isFullRun } from '../support/runs.ts';
import { guarded, type TestResponse, unknown, useTwoTenants } from './two-tenants.ts';

const tenants = useTwoTenants();

const usualScopes = [...new Set(guarded.map(scopeOf))].join(' ');

/** Users of the tenant, and somebody who is no user of it. */
const viewers = ['ada', 'bob', 'eve', 'stranger'] as const;
type Viewer = (typeof viewers)[number];

interface Item {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A tenant with its callers. */
async function openTenant() {
  const name = `tenant-${randomUUID()}`;
  const admin = await tenants.as(name, { sub: 'admin' });
  const tokens = new Map<string, string>([['admin', admin]]);
  const ids = new Map<string, string>();
  for (const viewer of viewers)
    tokens.set(viewer, await tenants.as(name, { sub: viewer, scope: usualScopes }));
  const send = (
    caller: string,
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> => tenants.send(method, path, { token: tokens.get(caller), body, headers });
  const tokenOf = (subject: string): Promise<string> =>
    tenants.as(name, { sub: subject, scope: usualScopes });
  const make = async (caller: string, plural: string, fields: object): Promise<Item> => {
    const { status, body, text } = await send(caller, 'POST', `/v1/${plural}`, fields);
    expect([status, text]).toEqual([201, text]);
    return body as unknown as Item;
  };
  for (const viewer of viewers.slice(0, -1))
    ids.set(viewer, (await make('admin', 'users', { name: viewer, subject: viewer })).id);
  const organization = await make('admin', 'organizations', { name: 'Organization' });
  const idOf = (viewer: string): string => ids.get(viewer) ?? '';
  /** Creates a project of an administrator. */
  const project = (fields: object): Promise<Item> =>
    make('admin', 'projects', {
      name: `project-${randomUUID()}`,
      organizationId: organization.id,
      ...fields,
    });
  const closed = (...of: readonly Viewer[]): Promise<Item> =>
    project({ visibility: 'members', memberIds: of.map(idOf) });
  const task = (fields: object): Promise<Item> =>
    make('admin', 'tasks', { name: `task-${randomUUID()}`, ...fields });
  return { send, make, idOf, tokenOf, organization, project, closed, task };
}

type Tenant = Awaited<ReturnType<typeof openTenant>>;

const listOf = (response: TestResponse): Item[] => (response.body?.['data'] ?? []) as Item[];
const idsOf = (items: readonly Item[]): string[] => items.map(({ id }) => id);

/** Reads a list of all entities by cursors. */
async function readAll({ send }: Tenant, caller: string, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = ''; ; ) {
    const separator = path.includes('?') ? '&' : '?';
    const response = await send(caller, 'GET', `${path}${separator}limit=100&after=${after}`);
    expect([path, response.status]).toEqual([path, 200]);
    items.push(...listOf(response));
    const { next } = response.body as { next?: string | null };
    if (!next) return items;
    after = next;
  }
}

/** All that an administrator sees. */
interface World {
  readonly projects: readonly Item[];
  readonly tasks: readonly Item[];
  readonly deletedProjects: readonly Item[];
  readonly deletedTasks: readonly Item[];
  /** What comes back with deleted projects. */
  readonly members: readonly Item[];
}

const collections = ['projects', 'tasks'] as const;

const membersPath = (id: string): string => `/v1/tasks/deleted?deletedWith=${id}`;

async function readWorld(tenant: Tenant): Promise<World> {
  const read = (path: string) => readAll(tenant, 'admin', `/v1/${path}`);
  const deletedProjects = await read('projects/deleted');
  const members: Item[] = [];
  for (const { id } of deletedProjects) members.push(...(await readAll(tenant, 'admin', membersPath(id))));
  return {
    ...{ projects: await read('projects'), tasks: await read('tasks') },
    ...{ deletedProjects, deletedTasks: await read('tasks/deleted'), members },
  };
}

/** The rule, said once more. */
function sightOf({ idOf }: Tenant, viewer: Viewer, world: World) {
  const isOfViewer = (project: Item): boolean =>
    project['visibility'] !== 'members' ||
    (idOf(viewer) !== '' && (project['memberIds'] as string[]).includes(idOf(viewer)));
  const known = [...world.projects, ...world.deletedProjects].filter(isOfViewer);
  const visible = new Set(idsOf(known));
  return (item: Item): boolean =>
    'visibility' in item
      ? visible.has(item.id)
      : item['projectId'] === null || visible.has(String(item['projectId']));
}

/** What a caller keeps of a feed. */
class Copy {
  readonly items = new Map<string, Item>();
  #cursor: string | undefined;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async follow({ send }: Tenant, caller: string): Promise<void> {
    for (;;) {
      const since = this.#cursor === undefined ? '' : `&since=${this.#cursor}`;
      const response = await send(caller, 'GET', `${this.#path}/changes?limit=3${since}`);
      if (response.status === 410) {
        expect(response.headers.get('retry-after')).toMatch(/^([12]?\d|30)$/);
        this.#cursor = undefined;
        this.items.clear();
        continue;
      }
      expect(response.status).toBe(200);
      const { cursor, hasMore, removed } = response.body as {
        cursor: string;
        hasMore: boolean;
        removed: string[];
      };
      for (const item of listOf(response)) this.items.set(item.id, item);
      for (const id of removed) this.items.delete(id);
      this.#cursor = cursor;
      if (!hasMore) return;
    }
  }
}

/** Asserts that no response tells anything of what is hidden. */
function expectNothingOf(hidden: readonly Item[], { text, headers }: TestResponse): void {
  const all = text + JSON.stringify([...headers]);
  expect(hidden.filter(({ name }) => all.includes(name))).toEqual([]);
}

/** Returns what is hidden, but for what has the name of something that is seen: its copy. */
function hiddenIn(world: World, isSeen: (item: Item) => boolean): Item[] {
  const items = Object.values(world).flat() as Item[];
  const names = new Set(items.filter(isSeen).map(({ name }) => name));
  return items.filter((one) => !isSeen(one) && !names.has(one.name));
}

/** A viewer who reads, with what the rule says of the world. */
class Reader {
  readonly tenant: Tenant;
  readonly viewer: Viewer;
  readonly world: World;
  readonly isSeen: (item: Item) => boolean;
  readonly #hidden: readonly Item[];

  constructor(tenant: Tenant, viewer: Viewer, world: World) {
    this.tenant = tenant;
    this.viewer = viewer;
    this.world = world;
    this.isSeen = sightOf(tenant, viewer, world);
    this.#hidden = hiddenIn(world, this.isSeen);
  }

  seen(items: readonly Item[]): Item[] {
    return items.filter(this.isSeen);
  }

  async read(path: string, method = 'GET'): Promise<TestResponse> {
    const response = await this.tenant.send(this.viewer, method, path);
    expect([this.viewer, path, response.status]).toEqual([this.viewer, path, 200]);
    expectNothingOf(this.#hidden, response);
    return response;
  }

  async list(path: string, expected: readonly Item[]): Promise<TestResponse> {
    const response = await this.read(path);
    expect([this.viewer, path, idsOf(listOf(response)).sort(), response.body?.['total']]).toEqual([
      ...[this.viewer, path, idsOf(expected).sort(), expected.length],
    ]);
    return response;
  }

  /** Reads a collection in every order and with filters, by ids, and one by one. */
  async collection(plural: (typeof collections)[number]): Promise<void> {
    const path = `/v1/${plural}?limit=100`;
    const seen = this.seen(this.world[plural]);
    expect(listOf(await this.list(path, seen))).toEqual(seen);
    expect((await this.read(path, 'HEAD')).headers.get('x-total-count')).toBe(String(seen.length));
    await this.list(`${path}&sortBy=name,status&sortOrder=asc`, seen);
    await this.list(`${path}&search=${plural.slice(0, -1)}`, seen);
    await this.list(`${path}&name[contains]=-&status[ne]=done`, seen);
    const some = this.world[plural].slice(0, 20);
    if (some.length > 0) await this.list(`${path}&id[in]=${idsOf(some).join()}`, this.seen(some));
    // The newest ones: those before have been read after other writes.
    for (const one of this.world[plural].slice(0, 6))
      await expectOne(this.tenant, this.viewer, `/v1/${plural}/${one.id}`, this.isSeen(one));
  }

  async trash(): Promise<void> {
    const { deletedTasks, deletedProjects, members } = this.world;
    await this.list('/v1/tasks/deleted?limit=100', this.seen(deletedTasks));
    const shown = await this.list('/v1/projects/deleted?limit=100', this.seen(deletedProjects));
    for (const { id, restores } of listOf(shown)) {
      const own = this.seen(members).filter((task) => task['deletedWith'] === id);
      expect([id, restores]).toEqual([id, own.length]);
    }
    for (const { id } of deletedProjects) {
      const own = members.filter((task) => task['deletedWith'] === id);
      await this.list(`${membersPath(id)}&limit=100`, this.seen(own));
    }
  }

  async numbers(): Promise<void> {
    const tasks = this.seen(this.world.tasks);
    const { body } = await this.read('/v1/tasks?limit=1&countBy=projectId&sumBy=estimate');
    const counts = body?.['counts'] as { projectId: { value: string | null; count: number }[] };
    const expected = [...groupBy(tasks, (task) => task['projectId'])];
    expect(new Map(counts.projectId.map(({ value, count }) => [value, count]))).toEqual(
      new Map(expected.map(([value, own]) => [value, own.length])),
    );
    const estimate = tasks.reduce((sum, task) => sum + Number(task['estimate'] ?? 0), 0);
    expect(body?.['sums']).toEqual({ estimate });
  }

  async related(): Promise<void> {
    const { projects, tasks } = this.world;
    for (const project of projects) {
      const own = tasks.filter((task) => task['projectId'] === project.id);
      await this.list(`/v1/projects/${project.id}/tasks?limit=100`, this.isSeen(project) ? own : []);
    }
    const idOf = (items: readonly Item[], id: unknown): string | null =>
      items.find((one) => one.id === id && this.isSeen(one))?.id ?? null;
    for (const task of listOf(await this.read('/v1/tasks?limit=100&expand=project,parent'))) {
      const [project, parent] = [task['project'], task['parent']] as (Item | null)[];
      expect([project?.id ?? null, parent?.id ?? null]).toEqual([
        ...[idOf(projects, task['projectId']), idOf(tasks, task['parentId'])],
      ]);
    }
  }

  async copy(plural: (typeof collections)[number], copy: Copy): Promise<void> {
    await copy.follow(this.tenant, this.viewer);
    const byId = (items: Iterable<Item>) => new Map([...items].map((one) => [one.id, one]));
    expect([this.viewer, byId(copy.items.values())]).toEqual([
      ...[this.viewer, byId(this.seen(this.world[plural]))],
    ]);
  }
}

/** Returns a response without the parts that differ between requests. */
function comparable({ status, headers, text }: TestResponse, id: string): string {
  // What a request costs may be known (SECURITY.md).
  const differing = ['date', 'apigw-requestid', 'ratelimit', 'server-timing'];
  const shown = [...headers].filter(([name]) => !differing.includes(name));
  return `${status} ${text.replace(/"requestId":"[^"]*"/, '')} ${JSON.stringify(shown)}`.replaceAll(
    id,
    '<id>',
  );
}

/** Reads one entity and its history: what is hidden is as what is missing. */
async function expectOne({ send }: Tenant, viewer: Viewer, path: string, isSeen: boolean): Promise<void> {
  for (const own of [path, `${path}/changes`]) {
    const response = await send(viewer, 'GET', own);
    expect([viewer, own, response.status]).toEqual([viewer, own, isSeen ? 200 : 404]);
    if (isSeen) continue;
    const id = path.split('/').at(-1) ?? '';
    const missing = await send(viewer, 'GET', own.replace(id, unknown));
    expect(comparable(response, id)).toBe(comparable(missing, unknown));
  }
}

/** Sends random requests of random callers. */
class Workload {
  readonly #random: Random;
  readonly #tenant: Tenant;

  constructor(tenant: Tenant, seed: number) {
    this.#tenant = tenant;
    this.#random = new Random(seed);
  }

  #members(): string[] {
    return viewers
      .slice(0, -1)
      .filter(() => this.#random.chance(0.4))
      .map(this.#tenant.idOf);
  }

  #projectId(world: World): string | null | undefined {
    if (this.#random.chance(0.2)) return undefined;
    return this.#random.chance(0.2) ? null : this.#random.pick(world.projects)?.id;
  }

  #fieldsOfProject(): object {
    return {
      ...(this.#random.chance(0.7) && { visibility: this.#random.pick(['tenant', 'members', 'members']) }),
      ...(this.#random.chance(0.7) && { memberIds: this.#members() }),
    };
  }

  #fieldsOfTask(world: World): object {
    const projectId = this.#projectId(world);
    const isSub = world.tasks.length > 0 && this.#random.chance(0.4);
    return {
      ...(projectId !== undefined && { projectId }),
      ...(isSub && { parentId: this.#random.pick(world.tasks).id }),
      ...(this.#random.chance(0.5) && { estimate: this.#random.below(10) }),
    };
  }

  /** Sends one request. An operation that is refused changes nothing, which the reads after it show. */
  async next(world: World): Promise<void> {
    const random = this.#random;
    const { send, organization } = this.#tenant;
    const caller = random.pick(['admin', ...viewers]);
    const some = <Value>(values: readonly Value[]): Value | undefined =>
      values.length > 0 ? random.pick(values) : undefined;
    const [project, task] = [some(world.projects)?.id ?? unknown, some(world.tasks)?.id ?? unknown];
    const [lost, undone] = [some(world.deletedProjects)?.id, some(world.deletedTasks)?.id];
    const name = () => `${random.chance(0.5) ? 'task' : 'project'}-${randomUUID()}`;
    const ofProject = () => ({
      name: `project-${randomUUID()}`,
      organizationId: organization.id,
      ...this.#fieldsOfProject(),
    });
    const ofTask = () => ({ name: `task-${randomUUID()}`, ...this.#fieldsOfTask(world) });
    const long = { description: 'x'.repeat(3_000) };
    const requests: (() => Promise<TestResponse>)[] = [
      () => send(caller, 'POST', '/v1/projects', ofProject()),
      () => send(caller, 'POST', '/v1/tasks', { ...ofTask(), ...(random.chance(0.2) && long) }),
      () => send(caller, 'POST', '/v1/tasks', ofTask()),
      () => send(caller, 'PATCH', `/v1/projects/${project}`, this.#fieldsOfProject()),
      () => send(caller, 'PATCH', `/v1/projects/${project}`, { status: 'planned' }),
      () =>
        send(caller, 'PUT', `/v1/projects/${project}`, {
          name: `project-${randomUUID()}`,
          organizationId: organization.id,
        }),
      () => send(caller, 'PATCH', `/v1/tasks/${task}`, this.#fieldsOfTask(world)),
      () => send(caller, 'PUT', `/v1/tasks/${task}`, { name: `task-${randomUUID()}` }),
      () => send(caller, 'DELETE', `/v1/tasks/${task}`),
      () =>
        random.chance(0.3)
          ? send(caller, 'DELETE', `/v1/projects/${project}`)
          : send(caller, 'GET', '/v1/users/me'),
      () => send(caller, 'POST', `/v1/projects/${project}/clone`, {}),
      () => send(caller, 'POST', `/v1/projects/${lost ?? project}/restore`),
      () => send(caller, 'POST', `/v1/tasks/${undone ?? task}/restore`),
      () =>
        send(caller, 'POST', '/v1/tasks/batch', {
          operations: [
            { operation: 'create', body: ofTask() },
            {
              operation: 'update',
              id: task,
              body: { ...this.#fieldsOfTask(world), name: name().replace('project', 'task') },
            },
          ],
        }),
    ];
    const response = await random.pick(requests)();
    expect(response.status).toBeLessThan(500);
    if (caller === 'admin') return;
    // What it shows is what the caller sees by now.
    const after = await readWorld(this.#tenant);
    const isSeen = sightOf(this.#tenant, caller as Viewer, after);
    const hidden = hiddenIn(after, isSeen);
    const wasSeen = sightOf(this.#tenant, caller as Viewer, world);
    expectNothingOf(
      hidden.filter((one) => !wasSeen(one) && !response.text.includes(one.id)),
      response,
    );
  }
}

test('every caller sees what the rule says, in every way to read, after each of many random writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const tenant = await openTenant();
      const workload = new Workload(tenant, seed);
      for (let count = 0; count < 4; count += 1) await tenant.closed(...viewers.slice(0, count % 3));
      const copies = new Map(
        viewers.flatMap((viewer) =>
          collections.map((plural) => [`${viewer} ${plural}`, new Copy(`/v1/${plural}`)] as const),
        ),
      );
      for (let step = 0; step < 20; step += 1) {
        await workload.next(await readWorld(tenant));
        if (step % 6 === 5) await tenants.service.pass(70_000);
        const world = await readWorld(tenant);
        for (const viewer of viewers) {
          const reader = new Reader(tenant, viewer, world);
          for (const plural of collections) {
            await reader.collection(plural);
            await reader.copy(plural, copies.get(`${viewer} ${plural}`) as Copy);
          }
          await reader.trash();
          await reader.numbers();
          await reader.related();
        }
      }
    }),
    { numRuns: isFullRun ? 4 : 1, endOnFailure: true },
  );
});

/** Requests for what is in the path, with bodies that they accept. */
const bodies: Readonly<Record<string, object>> = {
  PUT: { name: 'x' },
  PATCH: { status: 'planned' },
};

describe('what is hidden', () => {
  let tenant: Tenant;
  let project: Item;
  let task: Item;
  beforeAll(async () => {
    tenant = await openTenant();
    project = await tenant.closed('ada');
    task = await tenant.task({ projectId: project.id });
  });

  const ofOne = guarded.filter(
    ({ path, success }) => /^\/v1\/(projects|tasks)\/\{id\}/.test(path) && success !== 'list',
  );

  test.each(ofOne.map((contract) => [contract.operation, contract] as const))(
    'is as what is missing for %s, with every condition',
    async (_, { method, path }: Contract) => {
      const id = path.startsWith('/v1/projects') ? project.id : task.id;
      const before = await tenant.send('admin', 'GET', `${path.split('/{id}')[0]}/${id}`);
      const own = path.startsWith('/v1/projects') ? { organizationId: tenant.organization.id } : {};
      const body = bodies[method] && { ...bodies[method], ...(method === 'PUT' && own) };
      for (const headers of [
        {},
        { 'if-match': '*' },
        { 'if-match': '"000000000000-1"' },
        { 'if-none-match': '"x"' },
      ]) {
        if (method === 'GET' && 'if-match' in headers) continue;
        for (const viewer of ['bob', 'stranger'] as const) {
          const answers = await Promise.all(
            [id, unknown].map(async (one) =>
              comparable(await tenant.send(viewer, method, path.replace('{id}', one), body, headers), one),
            ),
          );
          expect(answers[0]).toBe(answers[1]);
        }
      }
      expect((await tenant.send('admin', 'GET', `${path.split('/{id}')[0]}/${id}`)).text).toBe(before.text);
    },
  );

  test.each(['projects', 'tasks'])('cannot be named in a batch of %s', async (plural) => {
    const id = plural === 'projects' ? project.id : task.id;
    for (const operation of [{ operation: 'update', body: { status: 'planned' } }, { operation: 'delete' }]) {
      const answers = await Promise.all(
        [id, unknown].map(async (one) =>
          comparable(
            await tenant.send('bob', 'POST', `/v1/${plural}/batch`, {
              operations: [{ ...operation, id: one }],
            }),
            one,
          ),
        ),
      );
      expect(answers[0]).toBe(answers[1]);
    }
  });

  test('cannot be referred to', async () => {
    for (const [field, id] of Object.entries({ projectId: project.id, parentId: task.id })) {
      const answers = await Promise.all(
        [id, unknown].map(async (one) =>
          comparable(await tenant.send('bob', 'POST', '/v1/tasks', { name: 'x', [field]: one }), one),
        ),
      );
      expect(answers[0]).toBe(answers[1]);
      expect(answers[0]).toMatch(/^400/);
    }
  });

  test('takes its id: the answer is one, whether it exists, was deleted or erased', async () => {
    const deleted = await tenant.task({ projectId: project.id });
    await tenant.send('admin', 'DELETE', `/v1/tasks/${deleted.id}`);
    for (const id of [task.id, deleted.id]) {
      const put = await tenant.send('bob', 'PUT', `/v1/tasks/${id}`, { name: 'x' }, { 'if-none-match': '*' });
      expect([put.status, put.body?.['detail'], put.headers.get('etag')]).toEqual([
        ...[412, 'The id is taken. Use a new one.', null],
      ]);
      const operations = [{ operation: 'create', id, body: { name: 'x' } }];
      const batch = await tenant.send('bob', 'POST', '/v1/tasks/batch', { operations });
      expect([
        batch.status,
        String(batch.body?.['detail']).includes('The id is taken. Use a new one.'),
      ]).toEqual([...[412, true]]);
    }
  });

  test('is not in the response to a repeated request of somebody who has been removed', async () => {
    const own = await tenant.closed('ada', 'bob');
    const key = { 'idempotency-key': randomUUID() };
    const [batchKey, sameKey] = [randomUUID(), randomUUID()].map((one) => ({ 'idempotency-key': one }));
    const body = { name: 'repeated', projectId: own.id };
    const operations = [{ operation: 'create', body }];
    const create = () => tenant.send('bob', 'POST', '/v1/tasks', body, key);
    const batch = () => tenant.send('bob', 'POST', '/v1/tasks/batch', { operations }, batchKey);
    expect([(await create()).status, (await batch()).status]).toEqual([201, 200]);
    // It changes nothing, so the entity is read again.
    const kept = await tenant.task({ projectId: own.id });
    const same = () =>
      tenant.send(
        ...(['bob', 'POST', '/v1/tasks/batch'] as const),
        { operations: [{ operation: 'update', id: kept.id, body: { name: kept.name } }] },
        sameKey,
      );
    expect((await same()).status).toBe(200);
    await tenant.send('admin', 'PATCH', `/v1/projects/${own.id}`, { memberIds: [tenant.idOf('ada')] });
    const [created, batched] = [await create(), await batch()];
    expect([created.status, created.text.includes('repeated')]).toEqual([404, false]);
    expect([batched.status, batched.body]).toEqual([200, { results: [{ status: 404 }] }]);
    expect((await same()).body).toEqual({ results: [{ status: 404 }] });
  });

  test('is deleted, and comes back, with what it belongs to', async () => {
    const organization = await tenant.make('bob', 'organizations', { name: 'Other' });
    const own = await tenant.project({
      ...{ organizationId: organization.id, visibility: 'members' },
      memberIds: [tenant.idOf('ada')],
    });
    expect((await tenant.send('bob', 'DELETE', `/v1/organizations/${organization.id}`)).status).toBe(204);
    expect((await tenant.send('ada', 'GET', `/v1/projects/${own.id}`)).status).toBe(404);
    const { body } = await tenant.send('bob', 'GET', '/v1/organizations/deleted');
    expect(body).toMatchObject({ data: [{ id: organization.id, restores: 0 }] });
    expect((await tenant.send('bob', 'POST', `/v1/organizations/${organization.id}/restore`)).status).toBe(
      200,
    );
    expect((await tenant.send('ada', 'GET', `/v1/projects/${own.id}`)).status).toBe(200);
  });

  test('has numbers that a lost counter does not give again', async () => {
    const own = await openTenant();
    const secret = await own.closed('ada');
    const { number } = await own.task({ projectId: secret.id });
    const name = String((await own.send('admin', 'GET', '/v1/users/me')).body?.['tenant']);
    const key = numbersKey({ tenant: `@${name}`, kind: 'task' });
    const { tableName } = tenants.service.table;
    await tenants.service.table.deleteItem({ TableName: tableName, Key: { ...key } });
    const next = await own.make('bob', 'tasks', { name: 'x' });
    expect(next['number']).toBeGreaterThan(Number(number));
  });

  test('is hidden from the first request on that begins after somebody was removed', async () => {
    const own = await tenant.closed('ada', 'bob');
    const { id } = await tenant.task({ projectId: own.id });
    const seen = async () => (await tenant.send('bob', 'GET', `/v1/tasks?id=${id}`)).body?.['total'];
    expect(await seen()).toBe(1);
    await tenant.send('ada', 'PATCH', `/v1/projects/${own.id}`, { memberIds: [tenant.idOf('ada')] });
    expect([await seen(), (await tenant.send('bob', 'GET', `/v1/tasks/${id}`)).status]).toEqual([0, 404]);
  });

  test('stays hidden when it was deleted, and is in the trash of those who saw it', async () => {
    const own = await tenant.closed('ada');
    const { id } = await tenant.task({ projectId: own.id });
    await tenant.send('ada', 'DELETE', `/v1/tasks/${id}`);
    await tenant.send('ada', 'DELETE', `/v1/projects/${own.id}`);
    const trashOf = async (viewer: Viewer) =>
      idsOf(listOf(await tenant.send(viewer, 'GET', `/v1/tasks/deleted?projectId=${own.id}`)));
    expect([await trashOf('ada'), await trashOf('bob')]).toEqual([[id], []]);
  });

  test('is archived with its organization', async () => {
    const organization = await tenant.make('bob', 'organizations', { name: 'Other' });
    const own = await tenant.project({
      ...{ organizationId: organization.id, visibility: 'members' },
      memberIds: [tenant.idOf('ada')],
    });
    expect((await tenant.send('bob', 'POST', `/v1/organizations/${organization.id}/archive`)).status).toBe(
      200,
    );
    const { body } = await tenant.send('ada', 'GET', `/v1/projects/${own.id}`);
    expect(body).toMatchObject({ status: 'archived' });
  });

  test('has no depth that a caller could measure', async () => {
    const top = await tenant.task({});
    let parentId = top.id;
    for (let level = 0; level < 8; level += 1)
      parentId = (await tenant.task({ parentId, projectId: project.id })).id;
    const above = await tenant.task({});
    const below = await tenant.task({ parentId: above.id });
    const move = await tenant.send('bob', 'PATCH', `/v1/tasks/${top.id}`, { parentId: below.id });
    expect(move.status).toBe(200);
  });
});

describe('who may change what', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
  });
  const patch = (caller: string, { id }: Item, body: object) =>
    tenant.send(caller, 'PATCH', `/v1/projects/${id}`, body);
  const expectRefused = (response: TestResponse, status: number, code: string, pointer?: string): void => {
    const { type, errors = [] } = response.body as { type: string; errors?: { pointer: string }[] };
    expect([response.status, type.split('#')[1], errors[0]?.pointer]).toEqual([status, code, pointer]);
  };

  test('a project that is made private has its maker as a member', async () => {
    const fields = { name: 'x', organizationId: tenant.organization.id, visibility: 'members' };
    for (const memberIds of [[], [tenant.idOf('ada')]])
      expectRefused(
        await tenant.send('bob', 'POST', '/v1/projects', { ...fields, memberIds }),
        ...([400, 'invalid-request', '/memberIds'] as const),
      );
    const own = { ...fields, memberIds: [tenant.idOf('bob')] };
    expect((await tenant.send('bob', 'POST', '/v1/projects', own)).status).toBe(201);
    expect((await tenant.send('stranger', 'POST', '/v1/projects', own)).status).toBe(400);
  });

  test('members change who the members are, and nobody else but an administrator', async () => {
    const open = await tenant.project({ memberIds: [tenant.idOf('ada')] });
    for (const change of [
      { memberIds: [tenant.idOf('bob')] },
      { memberIds: [] },
      { visibility: 'members' },
      { visibility: 'members', memberIds: [tenant.idOf('bob'), tenant.idOf('ada')] },
    ]) {
      expectRefused(await patch('bob', open, change), 403, 'not-a-member');
      const operations = [{ operation: 'update', id: open.id, body: change }];
      expectRefused(
        await tenant.send('bob', 'POST', '/v1/projects/batch', { operations }),
        ...([403, 'not-a-member', '/operations/0/id'] as const),
      );
    }
    expect((await patch('bob', open, { status: 'planned', visibility: 'tenant' })).status).toBe(200);
    expect((await patch('ada', open, { memberIds: [tenant.idOf('bob')] })).status).toBe(200);
    expect((await patch('admin', open, { memberIds: [tenant.idOf('ada')] })).status).toBe(200);
    // The last one may leave.
    expect((await patch('ada', open, { visibility: 'members', memberIds: [] })).status).toBe(200);
    expect((await tenant.send('ada', 'GET', `/v1/projects/${open.id}`)).status).toBe(404);
  });

  test('without members, whoever becomes one decides', async () => {
    const open = await tenant.project({});
    expectRefused(await patch('bob', open, { visibility: 'members' }), 403, 'not-a-member');
    expectRefused(await patch('bob', open, { memberIds: [tenant.idOf('ada')] }), 403, 'not-a-member');
    const own = { visibility: 'members', memberIds: [tenant.idOf('bob')] };
    expect((await patch('bob', open, own)).status).toBe(200);
  });

  test('a deployment can reserve to administrators who makes a project private that has no members', async () => {
    process.env['CLOSE_PROJECTS'] = 'all-projects';
    try {
      const own = { visibility: 'members', memberIds: [tenant.idOf('bob')] };
      const fields = { name: 'x', organizationId: tenant.organization.id };
      expectRefused(
        await tenant.send('bob', 'POST', '/v1/projects', { ...fields, ...own }),
        ...([403, 'missing-scope'] as const),
      );
      expect((await tenant.send('bob', 'POST', '/v1/projects', fields)).status).toBe(201);
      expectRefused(await patch('bob', await tenant.project({}), own), 403, 'missing-scope');
      const ofBob = await tenant.project({ memberIds: [tenant.idOf('bob')] });
      expect((await patch('bob', ofBob, own)).status).toBe(200);
    } finally {
      delete process.env['CLOSE_PROJECTS'];
    }
  });

  test('a replacement that does not name who sees what leaves it', async () => {
    const closed = await tenant.closed('ada');
    const task = await tenant.task({ projectId: closed.id });
    const body = { name: 'replaced', organizationId: tenant.organization.id };
    const { body: replaced } = await tenant.send('ada', 'PUT', `/v1/projects/${closed.id}`, body);
    expect(replaced).toMatchObject({ visibility: 'members', memberIds: [tenant.idOf('ada')] });
    const { body: after } = await tenant.send('ada', 'PUT', `/v1/tasks/${task.id}`, { name: 'replaced' });
    expect(after).toMatchObject({ projectId: closed.id });
  });

  test('a sub-task gets the project of its parent, also in one batch, unless it names one', async () => {
    const closed = await tenant.closed('ada');
    const parent = await tenant.task({ projectId: closed.id });
    const made = async (fields: object) =>
      (await tenant.make('ada', 'tasks', { name: 'x', parentId: parent.id, ...fields }))['projectId'];
    expect([await made({}), await made({ projectId: null })]).toEqual([closed.id, null]);
    const id = `${parent.id.slice(0, -4)}ffff`;
    const below = `${parent.id.slice(0, -4)}fffe`;
    const create = (fields: object) => ({ operation: 'create', body: { name: 'x' }, ...fields });
    const operations = [
      create({ body: { name: 'x', parentId: below } }),
      create({ id: below, body: { name: 'x', parentId: id } }),
      create({ id, body: { name: 'x', projectId: closed.id } }),
    ];
    const { body } = await tenant.send('ada', 'POST', '/v1/tasks/batch', { operations });
    expect(body).toMatchObject({ results: [0, 1, 2].map(() => ({ body: { projectId: closed.id } })) });
  });

  test('a sub-task of a task that the same batch moves gets the project to which it moves', async () => {
    const closed = await tenant.closed('ada');
    const parent = await tenant.task({});
    const operations = [
      { operation: 'create', body: { name: 'x', parentId: parent.id } },
      { operation: 'update', id: parent.id, body: { projectId: closed.id } },
    ];
    const { body } = await tenant.send('ada', 'POST', '/v1/tasks/batch', { operations });
    expect(body).toMatchObject({ results: [0, 1].map(() => ({ body: { projectId: closed.id } })) });
  });

  test('a task of a private project comes back with its project alone', async () => {
    const closed = await tenant.closed('ada');
    const task = await tenant.task({ projectId: closed.id });
    await tenant.send('ada', 'DELETE', `/v1/projects/${closed.id}`);
    for (const caller of ['ada', 'admin'])
      expectRefused(
        await tenant.send(caller, 'POST', `/v1/tasks/${task.id}/restore`),
        ...([409, 'reference-missing', '/projectId'] as const),
      );
    expect((await tenant.send('bob', 'POST', `/v1/tasks/${task.id}/restore`)).status).toBe(404);
    expect((await tenant.send('ada', 'POST', `/v1/projects/${closed.id}/restore`)).status).toBe(200);
    const { body } = await tenant.send('ada', 'GET', `/v1/tasks/${task.id}`);
    expect(body).toMatchObject({ projectId: closed.id });
  });

  test('a task of an open project comes back without it', async () => {
    const open = await tenant.project({});
    const task = await tenant.task({ projectId: open.id });
    await tenant.send('bob', 'DELETE', `/v1/projects/${open.id}`);
    const { body } = await tenant.send('bob', 'POST', `/v1/tasks/${task.id}/restore`);
    expect(body).toMatchObject({ projectId: null });
  });

  test('who is who is changed by administrators alone, but for the creation of oneself', async () => {
    const refused = (response: TestResponse): void => expectRefused(response, 403, 'missing-scope');
    const other = await tenant.make('admin', 'users', { name: 'Mallory', subject: 'mallory' });
    const path = `/v1/users/${other.id}`;
    refused(await tenant.send('bob', 'POST', '/v1/users', { name: 'x', subject: 'somebody' }));
    refused(await tenant.send('bob', 'PATCH', path, { subject: 'bob-2' }));
    refused(await tenant.send('bob', 'PATCH', path, { subject: null }));
    refused(await tenant.send('bob', 'PUT', path, { name: 'x', subject: null }));
    refused(await tenant.send('bob', 'DELETE', path));
    expect((await tenant.send('bob', 'PUT', path, { name: 'x' })).body).toMatchObject({ subject: 'mallory' });
    for (const operation of [
      { operation: 'create', body: { name: 'x', subject: 'somebody' } },
      { operation: 'update', id: other.id, body: { subject: null } },
      { operation: 'delete', id: other.id },
    ])
      expect((await tenant.send('bob', 'POST', '/v1/users/batch', { operations: [operation] })).status).toBe(
        403,
      );
    expect((await tenant.send('admin', 'DELETE', path)).status).toBe(204);
    refused(await tenant.send('bob', 'POST', `${path}/restore`));
    expect(
      (await tenant.send('stranger', 'POST', '/v1/users', { name: 'x', subject: 'stranger' })).status,
    ).toBe(201);
  });

  test('who is a member is deleted by administrators, and by the other members', async () => {
    const other = await tenant.make('admin', 'users', { name: 'No subject' });
    const open = await tenant.project({ memberIds: [other.id, tenant.idOf('ada')] });
    const path = `/v1/users/${other.id}`;
    expectRefused(await tenant.send('bob', 'DELETE', path), 403, 'not-a-member');
    expect((await tenant.send('ada', 'DELETE', path)).status).toBe(204);
    const { body } = await tenant.send('ada', 'GET', `/v1/projects/${open.id}`);
    expect(body).toMatchObject({ memberIds: [tenant.idOf('ada')] });
    const nobody = await tenant.make('admin', 'users', { name: 'In no project' });
    expect((await tenant.send('bob', 'DELETE', `/v1/users/${nobody.id}`)).status).toBe(204);
  });

  test('a clone ends when others see the original', async () => {
    const own = await tenant.closed('ada', 'bob');
    const many = Array.from({ length: 25 }, () => ({
      operation: 'create',
      body: { name: `task-${randomUUID()}`, projectId: own.id },
    }));
    for (let count = 0; count < 5; count += 1)
      await tenant.send('admin', 'POST', '/v1/tasks/batch', { operations: many });
    const clone = await tenant.send('bob', 'POST', `/v1/projects/${own.id}/clone`);
    await tenant.send('ada', 'PATCH', `/v1/projects/${own.id}`, { memberIds: [tenant.idOf('ada')] });
    await tenants.service.pass(120_000);
    const path = `/v1/projects/${clone.body?.['id']}/tasks?limit=1`;
    expect((await tenant.send('bob', 'GET', path)).body?.['total']).toBeLessThan(125);
  });

  test('a subject that is not well-formed belongs to no user', async () => {
    await tenant.make('admin', 'users', { name: 'x', subject: '\ufffd' });
    const { id } = (await tenant.send('admin', 'GET', '/v1/users?subject=%EF%BF%BD')).body?.['data']?.[
      0 as never
    ] ?? { id: '' };
    const own = await tenant.project({ visibility: 'members', memberIds: [id] });
    const read = async (subject: string) => {
      const token = await tenant.tokenOf(subject);
      return (await tenants.send('GET', `/v1/projects/${own.id}`, { token })).status;
    };
    expect([await read('\ufffd'), await read('\ud800')]).toEqual([200, 404]);
  });

  test('a program is no user, although its name is the subject of one', async () => {
    const own = await openTenant();
    const closed = await own.closed('ada');
    const name = String((await own.send('admin', 'GET', '/v1/users/me')).body?.['tenant']);
    const token = await tenants.as(name, { sub: undefined, client_id: 'ada', scope: usualScopes });
    const { status } = await tenants.send('GET', `/v1/projects/${closed.id}`, { token });
    expect(status).toBe(404);
  });

  test('the scope is named by the signed-in user', async () => {
    const scopesOf = async (caller: string) =>
      (await tenant.send(caller, 'GET', '/v1/users/me')).body?.['scopes'] as string[];
    expect((await scopesOf('admin')).includes('all-projects')).toBe(true);
    expect((await scopesOf('ada')).includes('all-projects')).toBe(false);
  });
});

describe('a feed', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
  });
  const poll = async (caller: string, cursor: unknown) =>
    tenant.send(caller, 'GET', `/v1/tasks/changes?since=${cursor}`);
  const begin = async (caller: string): Promise<unknown> =>
    (await tenant.send(caller, 'GET', '/v1/tasks/changes?since=now')).body?.['cursor'];

  test('ends when a project becomes visible or hidden for its caller, and for nobody else', async () => {
    const closed = await tenant.closed('ada');
    const task = await tenant.task({ projectId: closed.id });
    const cursors = { ada: await begin('ada'), bob: await begin('bob'), eve: await begin('eve') };
    const list = await tenant.send('bob', 'GET', '/v1/tasks?changesCursor=true');
    await tenant.send('ada', 'PATCH', `/v1/projects/${closed.id}`, {
      memberIds: [tenant.idOf('ada'), tenant.idOf('bob')],
    });
    expect([
      (await poll('ada', cursors.ada)).status,
      (await poll('bob', cursors.bob)).status,
      (await poll('bob', list.body?.['changesCursor'])).status,
      (await poll('eve', cursors.eve)).status,
    ]).toEqual([200, 410, 410, 200]);
    const again = await begin('bob');
    await tenant.send('ada', 'PATCH', `/v1/projects/${closed.id}`, { status: 'planned' });
    await tenant.send('ada', 'PATCH', `/v1/tasks/${task.id}`, { status: 'planned' });
    const changed = await poll('bob', again);
    expect([changed.status, idsOf(listOf(changed))]).toEqual([200, [task.id]]);
    await tenant.send('ada', 'DELETE', `/v1/projects/${closed.id}`);
    expect((await poll('bob', changed.body?.['cursor'])).body).toMatchObject({
      data: [],
      removed: [task.id],
    });
    expect((await poll('eve', cursors.eve)).body).toMatchObject({ data: [], removed: [] });
  });

  test('removes what moves to a hidden project, and gives what comes from one', async () => {
    const [closed, open] = [await tenant.closed('ada'), await tenant.project({})];
    const task = await tenant.task({ projectId: open.id });
    const cursor = await begin('bob');
    await tenant.send('ada', 'PATCH', `/v1/tasks/${task.id}`, { projectId: closed.id });
    const gone = await poll('bob', cursor);
    expect(gone.body).toMatchObject({ data: [], removed: [task.id] });
    await tenant.send('ada', 'PATCH', `/v1/tasks/${task.id}`, { status: 'planned' });
    const quiet = await poll('bob', gone.body?.['cursor']);
    expect(quiet.body).toMatchObject({ data: [], removed: [] });
    await tenant.send('ada', 'PATCH', `/v1/tasks/${task.id}`, { projectId: open.id });
    expect(idsOf(listOf(await poll('bob', quiet.body?.['cursor'])))).toEqual([task.id]);
  });

  test('shows nothing that is hidden by now, also where a page ends before the change that hides it', async () => {
    const first = async (plural: string, cursor: unknown) =>
      tenant.send('bob', 'GET', `/v1/${plural}/changes?limit=1&since=${cursor}`);
    const now = async (plural: string) =>
      (await tenant.send('bob', 'GET', `/v1/${plural}/changes?since=now`)).body?.['cursor'];
    const ofProjects = await now('projects');
    const [own, open] = [await tenant.closed('ada', 'bob'), await tenant.project({})];
    await tenant.send('ada', 'PATCH', `/v1/projects/${own.id}`, { status: 'planned' });
    await tenant.send('ada', 'PATCH', `/v1/projects/${own.id}`, { memberIds: [tenant.idOf('ada')] });
    const cursors = { projects: ofProjects, tasks: await now('tasks') };
    const hidden = await tenant.closed('ada');
    const task = await tenant.task({ projectId: open.id });
    await tenant.send('ada', 'PATCH', `/v1/tasks/${task.id}`, { projectId: hidden.id });
    await tenant.task({});
    for (const [plural, secret] of [
      ['projects', own],
      ['tasks', task],
    ] as const) {
      let [cursor, hasMore] = [cursors[plural], true];
      while (hasMore) {
        const page = await first(plural, cursor);
        expect([page.status, page.text.includes(secret.name)]).toEqual([200, false]);
        [cursor, hasMore] = [page.body?.['cursor'], page.body?.['hasMore'] === true];
      }
    }
  });

  test('ends when a restored project comes back without its caller', async () => {
    const user = await tenant.make('admin', 'users', { name: 'Kim', subject: 'kim' });
    const token = await tenant.tokenOf('kim');
    const send = (path: string) => tenants.send('GET', path, { token });
    const own = await tenant.project({ visibility: 'members', memberIds: [user.id, tenant.idOf('ada')] });
    await tenant.task({ projectId: own.id });
    const cursor = (await send('/v1/tasks/changes?since=now')).body?.['cursor'];
    for (const [method, path] of [
      ['DELETE', `projects/${own.id}`],
      ['DELETE', `users/${user.id}`],
      ['POST', `projects/${own.id}/restore`],
      ['POST', `users/${user.id}/restore`],
    ] as const)
      expect((await tenant.send('admin', method, `/v1/${path}`)).status).toBeLessThan(300);
    expect((await send(`/v1/tasks/changes?since=${cursor}`)).status).toBe(410);
  });

  test('belongs to its caller', async () => {
    const cursor = await begin('ada');
    expect([(await poll('bob', cursor)).status, (await poll('admin', cursor)).status]).toEqual([410, 410]);
    expect((await poll('ada', await begin('admin'))).status).toBe(410);
  });
});

test('every operation with a rule takes part in these tests', () => {
  const withRule = guarded.filter(({ resource }) => resource?.access !== undefined);
  // Lists, feeds and deleted lists of collections are read above after each write; operations on one entity are in "what is hidden".
  const tried = withRule.filter(
    ({ path, success, method }) =>
      path.includes('{id}') || success === 'batch' || success === 'created' || method === 'GET',
  );
  expectComplete(
    tried.map(({ operation }) => operation),
    withRule.map(({ operation }) => operation),
    { missing: 'Add it to test/security/private-projects.test.ts.' },
  );
});
