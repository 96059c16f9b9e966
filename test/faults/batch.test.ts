import { randomUUID } from 'node:crypto';
import { auditTable } from '#lib/audit/audit-table.ts';
import { type Injector, stopAfter } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/** A batch is applied completely or not at all, wherever it stops and whatever others write meanwhile. */

let faulty: FaultyService;
let logged: jest.SpyInstance;

beforeAll(() => {
  // The expected error lines would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

beforeEach(async () => {
  faulty = await startFaultyService();
});

afterEach(() => faulty.stop());

afterAll(() => logged.mockRestore());

interface Entity {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface Batch {
  readonly results: readonly { readonly status: number; readonly body?: Entity }[];
}

const description = 'é'.repeat(300);

async function make(plural: string, fields: object = {}): Promise<string> {
  const body = { name: 'x', ...(plural !== 'users' && { description }), ...fields };
  const created = await faulty.send<Entity>('POST', `/v1/${plural}`, body);
  expect([plural, created.status]).toEqual([plural, 201]);
  return created.body.id;
}

const send = (plural: string, operations: readonly object[], key = randomUUID()) =>
  faulty.send<Batch>('POST', `/v1/${plural}/batch`, { operations }, { 'idempotency-key': key });

async function find(plural: string, id: string): Promise<Entity | undefined> {
  const { status, body } = await faulty.send<Entity>('GET', `/v1/${plural}/${id}`);
  return status === 404 ? undefined : body;
}

const totalOf = async (plural: string): Promise<number> =>
  (await faulty.send<{ total: number }>('GET', `/v1/${plural}?limit=1`)).body.total;

interface Subject {
  readonly plural: string;
  readonly operations: readonly object[];
  readonly state: () => Promise<readonly unknown[]>;
  /** What `state` returns after the batch. */
  readonly after: readonly unknown[];
}

/** Two deleted projects with tasks, an updated and a created one. */
async function projects(): Promise<Subject> {
  const organizationId = await make('organizations');
  const [one, two, kept] = [
    await make('projects', { organizationId }),
    await make('projects', { organizationId }),
    await make('projects', { organizationId }),
  ];
  const tasks = [await make('tasks', { projectId: one }), await make('tasks', { projectId: two })];
  const total = await totalOf('projects');
  return {
    plural: 'projects',
    operations: [
      { operation: 'delete', id: one },
      { operation: 'create', body: { name: 'new', organizationId, description } },
      { operation: 'update', id: kept, body: { status: 'changed', description: '' } },
      { operation: 'delete', id: two },
    ],
    state: async () => [
      await find('projects', one),
      await find('projects', two),
      await find('tasks', tasks[0] ?? ''),
      await find('tasks', tasks[1] ?? ''),
      (await find('projects', kept))?.['status'],
      (await totalOf('projects')) - total,
    ],
    after: [undefined, undefined, undefined, undefined, 'changed', -1],
  };
}

/** Two deleted tags of one task, an updated and a created one. */
async function tags(): Promise<Subject> {
  const [one, two, kept] = [await make('tags'), await make('tags'), await make('tags')];
  const task = await make('tasks', { tagIds: [one, kept, two] });
  const total = await totalOf('tags');
  return {
    plural: 'tags',
    operations: [
      { operation: 'update', id: kept, body: { color: '#123456' } },
      { operation: 'delete', id: one },
      { operation: 'delete', id: two },
      { operation: 'create', body: { name: 'new', description } },
    ],
    state: async () => [
      await find('tags', one),
      await find('tags', two),
      (await find('tasks', task))?.['tagIds'],
      (await find('tags', kept))?.['color'],
      (await totalOf('tags')) - total,
    ],
    after: [undefined, undefined, [kept], '#123456', -1],
  };
}

const audit = () => auditTable(faulty.client, faulty.service.tableName, { pauseMs: 50 });
const clean = { orphans: [], malformed: [], texts: [], subjects: [], logs: [] };

test.each([
  ['projects', projects],
  ['tags', tags],
])(
  'a batch of %s is applied completely or not at all when it stops after any call',
  async (_, makeSubject) => {
    const outcomes = new Set<string>();
    for (let [call, round] = [1, 1]; ; call += 1) {
      const { plural, operations, state, after } = await makeSubject();
      const key = randomUUID();
      const before = await state();
      const injector = stopAfter(call);
      const first = await faulty.injectWithoutJobs(injector, () => send(plural, operations, key));
      const found = await state();
      const isApplied = JSON.stringify(found) !== JSON.stringify(before);
      const again = await send(plural, operations, key);
      expect([call, again.status]).toEqual([call, 200]);
      const created = again.body.results.find(({ status }) => status === 201)?.body as Entity;
      if (isApplied) expect([call, found]).toEqual([call, after]);
      expect([call, again.headers.get('idempotency-replayed')]).toEqual([call, isApplied ? 'true' : null]);
      expect([call, await state()]).toEqual([call, after]);
      expect(await find(plural, created.id)).toEqual(created);
      expect([call, await audit()]).toMatchObject([call, clean]);
      if (!injector.isStopped) {
        expect(first.body).toEqual(again.body);
        // A request can make fewer calls than the one before it. Then none has stopped after its last call, and all are tried again.
        if (outcomes.size === 2 || round === 3) break;
        [call, round] = [0, round + 1];
        continue;
      }
      outcomes.add(isApplied ? 'applied' : 'not applied');
    }
    expect(outcomes).toEqual(new Set(['applied', 'not applied']));
  },
);

/** Returns an injector that runs `interfere` before the first transaction. */
function beforeTransaction(interfere: () => Promise<void>): Injector {
  let transactions = 0;
  return async ({ operation }, pass) => {
    if (operation !== 'TransactWriteItems') return pass();
    transactions += 1;
    if (transactions === 1) await interfere();
    return pass();
  };
}

test('a batch is planned again when another request changes an entity meanwhile, and keeps that change', async () => {
  const [one, two] = [await make('tags'), await make('tags')];
  const injector = beforeTransaction(async () => {
    expect((await faulty.send('PATCH', `/v1/tags/${two}`, { name: 'of the other' })).status).toBe(200);
  });
  const { status, body } = await faulty.injectWithoutJobs(injector, () =>
    send('tags', [
      { operation: 'update', id: one, body: { color: '#111111' } },
      { operation: 'update', id: two, body: { color: '#222222' } },
    ]),
  );
  expect([status, body.results.map((result) => result.body)]).toMatchObject([
    200,
    [{ color: '#111111' }, { color: '#222222', name: 'of the other' }],
  ]);
});

test('a batch is not applied when another request deletes an entity meanwhile', async () => {
  const [one, two] = [await make('tags'), await make('tags')];
  const injector = beforeTransaction(async () => {
    expect((await faulty.send('DELETE', `/v1/tags/${two}`)).status).toBe(204);
  });
  const { status, body } = await faulty.injectWithoutJobs(injector, () =>
    send('tags', [
      { operation: 'update', id: one, body: { color: '#111111' } },
      { operation: 'delete', id: two },
    ]),
  );
  expect([status, body]).toMatchObject([404, { errors: [{ pointer: '/operations/1/id' }] }]);
  expect(await find('tags', one)).toMatchObject({ color: '#808080' });
});

test('25 operations read entities, texts and references in one call each, and write in one transaction', async () => {
  const tag = await make('tags');
  const ids: string[] = [];
  for (let number = 0; number < 25; number += 1) ids.push(await make('tasks'));
  const calls: string[] = [];
  const countCalls: Injector = (call, pass) => {
    const keys = Object.values((call.body['RequestItems'] ?? {}) as Record<string, { Keys: unknown[] }>);
    calls.push(`${call.operation} ${keys.flatMap(({ Keys }) => Keys).length}`);
    return pass();
  };
  const operations = ids.map((id) => ({
    operation: 'update',
    id,
    body: { tagIds: [tag], description: 'é'.repeat(400) },
  }));
  const { status } = await faulty.injectWithoutJobs(countCalls, () => send('tasks', operations));
  expect(status).toBe(200);
  expect(calls.filter((call) => /BatchGet|Transact/.test(call))).toEqual([
    'BatchGetItem 25',
    'BatchGetItem 25',
    'BatchGetItem 1',
    'TransactWriteItems 0',
  ]);
});
