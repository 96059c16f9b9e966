import { randomUUID } from 'node:crypto';
import { applyBatch, type BatchOperation } from '#functions/engine/batches/apply-batch.ts';
import { processMemory } from '#functions/engine/columns/process-memory.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { restoreEntity } from '#functions/engine/deletions/restore.ts';
import { compactBusyLog, continueReminder } from '#functions/engine/due-work/compact-log.ts';
import { readJobs } from '#functions/engine/due-work/read-jobs.ts';
import { visitLog } from '#functions/engine/due-work/visit-logs.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import {
  buildCreate,
  buildDeletion,
  buildRestore,
  buildTextWrite,
  buildUpdate,
  buildWrite,
  type Change,
} from '#functions/engine/model/changes.ts';
import { newDeletion } from '#functions/engine/model/deletion.ts';
import type { Fields, StoredEntity } from '#functions/engine/model/entity.ts';
import { BatchFailed, VersionMismatch } from '#functions/engine/model/errors.ts';
import { decodeEntity } from '#functions/engine/model/item-codec.ts';
import { entityKey } from '#functions/engine/model/keys.ts';
import type { ListQuery } from '#functions/engine/model/list-query.ts';
import { entryKey } from '#functions/engine/model/registry.ts';
import { cascadeKinds, dependentsOf } from '#functions/engine/model/relations.ts';
import { decodeReminder, type Reminder, reminderKey } from '#functions/engine/model/reminder.ts';
import { scalarText } from '#functions/engine/model/row.ts';
import { writeUnits } from '#functions/engine/model/write-units.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { countOf, type Database } from '#functions/engine/table/database.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyChangeSet } from '#functions/engine/write/commit.ts';
import { continueJob } from '#functions/jobs/continue-job.ts';
import type { Kind } from '#functions/schema.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const store = startTestStore();

/** Creates an entity of a tenant. @returns its id. */
const make = async (tenant: string, kind: Kind, fields: object = {}): Promise<string> =>
  (await createEntity(store.session(tenant), kind, { name: 'x', status: 'active', ...fields })).entity.id;

/** Returns the calls and the units of an action, as the embedded engine reports them. */
async function costOf(tenant: string, act: (session: Session) => Promise<unknown>) {
  const session = store.session(tenant);
  await act(session);
  const { calls, readUnits, writeUnits } = session.database.consumption;
  return { calls, readUnits, writeUnits };
}

type Cost = Awaited<ReturnType<typeof costOf>>;

const added = (one: Cost, other: Cost): Cost => ({
  calls: one.calls + other.calls,
  readUnits: one.readUnits + other.readUnits,
  writeUnits: one.writeUnits + other.writeUnits,
});

/** Creates tasks, 25 in a transaction. */
async function makeTasks(tenant: string, count: number, fieldsOf: (number: number) => Fields): Promise<void> {
  for (let created = 0; created < count; created += 25) {
    const numbers = Array.from({ length: Math.min(25, count - created) }, (_, place) => created + place);
    const changes = numbers.map((number) => buildCreate('task', fieldsOf(number), Date.now()));
    await applyChangeSet(store.session(tenant), { changes });
  }
}

describe('lists of 1,000 tasks', () => {
  const tenant = 'lists';
  let parents: Readonly<Record<string, string>>;

  const taskFields = (number: number): Fields => ({
    name: `Review the plan ${number}`,
    description: 'See the notes of the meeting.'.repeat(1 + (number % 3)),
    status: number % 3 ? 'open' : 'done',
    priority: number % 2 ? 'high' : 'low',
    dueDate: `2026-0${1 + (number % 9)}-1${number % 10}`,
    projectId: number % 4 ? parents['projectId'] : null,
    userId: number % 5 ? parents['userId'] : null,
    tagIds: [parents['tag']],
    position: null,
    number: 1 + number,
  });

  beforeAll(async () => {
    const organizationId = await make(tenant, 'organization');
    parents = {
      projectId: await make(tenant, 'project', { organizationId }),
      userId: await make(tenant, 'user', { organizationId }),
      tag: await make(tenant, 'tag', { organizationId: null }),
    };
    await makeTasks(tenant, 1_000, taskFields);
    for (const kind of ['task', 'project', 'user', 'tag']) await compactAll(store.database(), tenant, kind);
  });

  /** Returns the units and calls of a list, for a process that knows nothing and for one that has answered it. */
  async function measure(query: ListQuery, isExpanded = false) {
    processMemory.clear();
    const costs: Record<string, { units: number; calls: number; shown: number }> = {};
    for (const name of ['cold', 'warm']) {
      const session = store.session(tenant);
      let calls = 0;
      store.table.intercept = () => {
        calls += 1;
        return undefined;
      };
      const page = await listEntities(session, 'task', query);
      if (isExpanded) {
        const fields = new Set(['name']);
        const { projectId = '', userId = '', tag = '' } = parents;
        const ids = { project: projectId, user: userId, tag };
        await page.readReferenced?.(Object.entries(ids).map(([kind, id]) => ({ kind, ids: [id], fields })));
      }
      store.table.intercept = undefined;
      costs[name] = { units: session.database.consumption.readUnits, calls, shown: page.entities.length };
    }
    return costs;
  }

  test.each([
    ['by creation', listQuery()],
    [
      'of a status, by due date',
      listQuery({ filters: [isValue('status', 'open')], sort: sortedBy('dueDate') }),
    ],
    ['by name', listQuery({ sort: sortedBy('name', 'desc'), page: 3 })],
    ['of a project', listQuery({ filters: [isValue('projectId', 'project')] })],
    ['of 100', listQuery({ limit: 100, sort: sortedBy('priority') })],
    ['with counts', listQuery({ countBy: ['status', 'priority'] })],
  ])('%s', async (_, query) => {
    const filters = query.filters.map((filter) =>
      filter.field === 'projectId' ? isValue('projectId', parents['projectId'] as string) : filter,
    );
    const { cold, warm } = await measure({ ...query, filters });
    expect(warm).toEqual({ units: expect.any(Number), calls: 1, shown: query.limit });
    expect(warm?.units).toBeLessThanOrEqual(1.5);
    expect(cold?.calls).toBeLessThanOrEqual(3);
    expect(cold?.units).toBeLessThanOrEqual(15);
  });

  test('of a number costs one read unit in a process that has loaded its column', async () => {
    const { warm } = await measure(listQuery({ filters: [isValue('number', scalarText(42) as string)] }));
    expect(warm).toEqual({ units: 1, calls: 1, shown: 1 });
  });

  test('with the entities that they refer to', async () => {
    // The first time, the process knows nothing of the other kinds.
    const { warm } = await measure(listQuery(), true);
    expect(warm?.units).toBeLessThanOrEqual(5);
  });

  test('of more tasks cost at most about twice what the better choice costs, keys or columns, in any number of random screens', async () => {
    const large = 'large';
    await makeTasks(large, 2_500, taskFields);
    await compactAll(store.database(), large, 'task');
    const screens = Array.from({ length: 80 }, (_, number) =>
      listQuery({
        filters: [isValue('priority', number % 2 ? 'high' : 'low')],
        sort: sortedBy(['name', 'dueDate', 'updatedAt'][number % 3] as string),
        page: 1 + ((number * 7) % 20),
        limit: [20, 50][number % 2] as number,
        withTexts: false,
      }),
    );
    const { cheapRows } = processMemory;
    /** Returns the units of the first screens of a process, up to each. */
    async function unitsUpTo(rows: number, mayEarn: boolean): Promise<number[]> {
      processMemory.clear();
      processMemory.cheapRows = rows;
      let units = 0;
      const upTo: number[] = [];
      for (const screen of screens) {
        const session = store.session(large);
        await listEntities(session, 'task', screen);
        if (!mayEarn) processMemory.of(`${store.tableName}#${large}`, 'task').set('read-by-key', 0, 0);
        units += session.database.consumption.readUnits;
        upTo.push(units);
      }
      processMemory.cheapRows = cheapRows;
      return upTo;
    }
    const [earned, byKey, byColumns] = [
      await unitsUpTo(0, true),
      await unitsUpTo(0, false),
      await unitsUpTo(10_000, true),
    ];
    const ratios = earned.map((units, place) => units / Math.min(byKey[place] ?? 0, byColumns[place] ?? 0));
    expect(Math.max(...ratios)).toBeLessThanOrEqual(2.1);
    expect(ratios.at(-1)).toBeLessThan(1.5);
    expect((byKey.at(-1) ?? 0) / (byColumns.at(-1) ?? 1)).toBeGreaterThan(4);
  });

  test('with long descriptions: half a unit for each', async () => {
    const { entities } = await listEntities(store.session(tenant), 'task', listQuery({ limit: 2 }));
    for (const [position, { id }] of entities.entries())
      await updateEntity(
        store.session(tenant),
        { kind: 'task', id },
        { description: 'x'.repeat(200 + 500 * position) },
      );
    const { warm } = await measure(listQuery());
    expect(warm).toEqual({ units: 2, calls: 2, shown: 20 });
  });
});

test('a deletion that leaves its children to a job reads none of them', async () => {
  const tenant = 'children';
  const task = { name: 'x', status: 'open', priority: 'none', userId: null, tagIds: [] };
  const [first, projectId] = [await make(tenant, 'project'), await make(tenant, 'project')];
  await makeTasks(tenant, 300, () => ({ ...task, projectId }));
  await compactAll(store.database(), tenant, 'task');
  // The process has read the columns then.
  await deleteEntity(store.session(tenant), 'project', first);
  const { readUnits } = await costOf(tenant, (session) => deleteEntity(session, 'project', projectId));
  expect(readUnits).toBeLessThanOrEqual(5);
});

test('the deletion of an organization with 40 projects of 5 tasks is one job of few calls', async () => {
  const tenant = 'cascade';
  const common = { name: 'x', status: 'open' };
  const organizationId = await make(tenant, 'organization');
  for (let count = 0; count < 40; count += 1) {
    const projectId = await make(tenant, 'project', { organizationId });
    const task = { ...common, priority: 'none', userId: null, tagIds: [], projectId };
    await makeTasks(tenant, 5, () => task);
  }
  const databases: Database[] = [];
  const open = (): Database => {
    const database = store.database();
    databases.push(database);
    return database;
  };
  let calls = 0;
  const count = (): undefined => {
    calls += 1;
  };
  store.table.intercept = count;
  await deleteEntity({ tenant, database: open() }, 'organization', organizationId);
  // The passes of the job, until none is left.
  const ids = new Set<string>();
  for (let nowMs = Date.now(); ; nowMs += 63_000) {
    jest.spyOn(Date, 'now').mockReturnValue(nowMs);
    store.table.intercept = undefined;
    const left = (await readJobs(store.database())).filter((job) => job.tenant === tenant);
    store.table.intercept = count;
    if (left.length === 0) break;
    for (const job of left) {
      ids.add(job.id);
      await continueJob(open(), job, { owner: 'test' });
    }
  }
  store.table.intercept = undefined;
  jest.restoreAllMocks();
  const total = (units: 'readUnits' | 'writeUnits') =>
    databases.reduce((sum, { consumption }) => sum + consumption[units], 0);
  expect(total('writeUnits')).toBeLessThanOrEqual(1_600);
  expect(total('readUnits')).toBeLessThanOrEqual(320);
  // Both passes look for what refers to each kind, so a new resource adds calls.
  const relations = ['organization' as const, ...cascadeKinds('organization')].flatMap(dependentsOf);
  expect(calls).toBeLessThanOrEqual(65 + 4 * relations.length);
  expect(ids.size).toBe(1);
});

describe('quiet-log', () => {
  const tenant = 'quiet';
  const hourMs = 3_600_000;
  const rows = 500;
  const days = 60;

  const ids: string[] = [];
  let now = Date.parse('2026-02-03T04:00:00.000Z');

  beforeAll(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    for (let row = 0; row < rows; row += 50) {
      const changes = Array.from({ length: 50 }, (_, number) =>
        buildCreate('tag', { name: `Tag ${row + number}`, status: 'active' }, now),
      );
      ids.push(...changes.map(({ after }) => after.entity.id));
      await applyChangeSet(store.session(tenant), { changes });
      now += 1_000;
    }
    await compactAll(store.database(), tenant, 'tag');
    now += hourMs;
  });

  afterAll(() => jest.restoreAllMocks());

  const create = async (): Promise<Change> => buildCreate('tag', { name: 'Another', status: 'active' }, now);

  async function change(day: number): Promise<Change> {
    const key = entityKey(tenant, 'tag', ids[(day * 37) % rows] as string);
    const before = decodeEntity((await store.database().get(key)) as Item);
    return buildUpdate(before, { name: `Changed on day ${day}` }, now);
  }

  /** Nothing else changes it between two looks. */
  async function readReminder(): Promise<Reminder | undefined> {
    const item = await store.database().get(reminderKey({ tenant, kind: 'tag' }));
    return item && decodeReminder(item);
  }

  const log = { tenant, kind: 'tag' } as const;

  /** Lets days pass, in each of which the schedule visits the log, and looks at it a minute later if the visit has asked for it: by a process that has read no columns yet. */
  async function passDays(database: ReturnType<TestStore['database']>, count: number): Promise<void> {
    for (let day = 0; day < count; day += 1) {
      now += 24 * hourMs;
      processMemory.clear();
      await visitLog(database, log, countOf(await store.database().get(entryKey(log))));
      const reminder = await readReminder();
      if (reminder) await continueReminder(database, reminder);
    }
  }

  test.each([
    ['a change a day', change],
    ['a create a day', create],
  ])('%s costs few write units and read units', async (_, build: (day: number) => Promise<Change>) => {
    const background = store.database(600_000);
    for (let day = 0; day < days; day += 1) {
      const one = await build(day);
      await applyChangeSet(store.session(tenant), { changes: [one] });
      await compactBusyLog({ tenant, database: background }, 'tag');
      await passDays(background, 1);
    }
    const { writeUnits, readUnits } = background.consumption;
    expect(writeUnits / days).toBeLessThanOrEqual(8);
    expect(readUnits / days).toBeLessThanOrEqual(10);
  });

  test('a lone write is absorbed within three days, by a reminder that a visit writes', async () => {
    await applyChangeSet(store.session(tenant), { changes: [await create()] });
    const stream = store.database();
    await compactBusyLog({ tenant, database: stream }, 'tag');
    // The entry is there already: a condition that fails costs a unit, which no response tells.
    expect(stream.consumption.writeUnits).toBe(0);
    const background = store.database(600_000);
    await passDays(background, 2);
    expect(background.consumption).toMatchObject({ readUnits: 5, writeUnits: 1 });
    await passDays(background, 1);
    expect(await readReminder()).toBeUndefined();
    expect(background.consumption.writeUnits).toBeLessThanOrEqual(11);
  });
});

describe('write-costs', () => {
  /** The capacity units of writes. docs/costs-and-limits.md has them. */

  const tenant = 'writes';

  /** Write units of an item of up to 1 KB in a transaction (DynamoDB pricing). */
  const inTransaction = 2;
  const position = 1;
  const number = 1;
  const record = position + inTransaction;

  let task: Fields;

  beforeAll(async () => {
    const organizationId = await make(tenant, 'organization');
    const projectId = await make(tenant, 'project', { organizationId });
    const userId = await make(tenant, 'user', { organizationId: null });
    task = { name: 'x', status: 'active', priority: 'none', projectId, userId, tagIds: [] };
    await make(tenant, 'task', task);
    await listEntities(store.session(tenant), 'task', listQuery());
  });

  const create = (description: string) => {
    const session = store.session(tenant);
    return createEntity(session, 'task', { ...task, description }).then(({ entity }) => ({
      id: entity.id,
      cost: { ...session.database.consumption },
    }));
  };

  const update = (id: string, fields: Readonly<Record<string, unknown>>) =>
    costOf(tenant, (session) => updateEntity(session, { kind: 'task', id }, fields));

  test('the first write of a log makes its entry and its sequencer', async () => {
    const session = store.session('first');
    await createEntity(session, 'tag', { name: 'x', status: 'active' });
    const ofSecond = await costOf('first', (one) =>
      createEntity(one, 'tag', { name: 'x', status: 'active' }),
    );
    const { calls, readUnits, writeUnits } = session.database.consumption;
    // The condition that has failed costs another write unit, which no response tells.
    expect([
      calls - ofSecond.calls,
      readUnits - ofSecond.readUnits,
      writeUnits - ofSecond.writeUnits,
    ]).toEqual([3, 1, 1]);
  });

  test('a write costs the entity, its indexes, and a record of the log', async () => {
    // A task is in two indexes. The counter gives it its number, beside the reads.
    const { id, cost } = await create('x'.repeat(100));
    expect(cost).toMatchObject({
      calls: 3 + number,
      readUnits: 2,
      writeUnits: inTransaction + 2 + record + number,
    });

    const rename = await update(id, { description: 'y' });
    expect(rename).toEqual({ calls: 3, readUnits: 1, writeUnits: inTransaction + 2 + record });

    // A move by drag and drop costs what any other change costs.
    expect(await update(id, { position: 'a0V' })).toEqual(rename);

    // A changed index key costs two writes: one removes the old entry, one adds the new entry. The status is in one index.
    const close = await update(id, { status: 'done' });
    expect(close).toEqual({ calls: 3, readUnits: 1, writeUnits: inTransaction + 2 + 1 + record });

    const remove = await costOf(tenant, (session) => deleteEntity(session, 'task', id));
    // The deleted entity goes from two indexes. A job, which is in one index, looks for late sub-tasks.
    const job = inTransaction + 1;
    // This process lists tasks, but not the other kinds, for the second time: for the first one, a call and a unit more.
    const kinds = dependentsOf('task').length;
    expect(remove).toEqual({
      calls: 2 + 2 * kinds,
      readUnits: 2 * kinds,
      writeUnits: inTransaction + 2 + record + job,
    });

    const restore = await costOf(tenant, (session) => restoreEntity(session, 'task', id));
    // It looks for sub-tasks that the deletion has removed, and for references that come back, and once more by a job.
    expect(restore).toEqual({
      calls: 5 + kinds,
      readUnits: 4 + kinds,
      writeUnits: inTransaction + 2 + record + job,
    });
  });

  test('an idempotency key costs the read and the write of its record, and a refused request reads it twice', async () => {
    const { id } = await create('');
    const sent = (key: object, expected?: ReadonlySet<number>) =>
      costOf(tenant, (session) =>
        updateEntity({ ...session, ...key }, { kind: 'task', id, expected }, { name: randomUUID() }).catch(
          (error: Error) => expect(error).toBeInstanceOf(VersionMismatch),
        ),
      );
    const key = () => ({ idempotency: { scope: randomUUID(), fingerprint: '' } });
    const [without, refused] = [await sent({}), await sent({}, new Set())];
    const record = { calls: 1, readUnits: 1, writeUnits: inTransaction };
    expect(await sent(key())).toEqual(added(without, record));
    expect(await sent(key(), new Set())).toEqual(added(refused, { calls: 2, readUnits: 2, writeUnits: 0 }));
  });

  test('a batch that is refused writes nothing, unless it creates: it has a position then, which needs a filler', async () => {
    const deleted: BatchOperation = { operation: 'delete', id: randomUUID(), expected: undefined };
    const costOfRefused = (...operations: BatchOperation[]) =>
      costOf(tenant, (session) =>
        applyBatch(session, 'task', operations).catch((error: Error) =>
          expect(error).toBeInstanceOf(BatchFailed),
        ),
      );
    expect(await costOfRefused(deleted)).toMatchObject({ writeUnits: 0 });
    const created: BatchOperation = { operation: 'create', fields: task };
    expect(await costOfRefused(deleted, created)).toMatchObject({ writeUnits: position + 1 + number });
  });

  test.each([
    [100, 7],
    [300, 7],
    [400, 7],
    // Beside the entity: two write units for each KB of a transaction.
    [500, 9],
    [5_000, 17],
    [30_000, 67],
  ])(
    'a description of %i characters costs %i units, no index has it, and it is not written again with other fields',
    async (characters, units) => {
      const { id, cost } = await create('x'.repeat(characters));
      const status = await update(id, { status: 'done' });
      const priority = await update(id, { priority: 'high' });
      const text = await update(id, { description: 'y'.repeat(characters) });
      expect([cost, status, priority, text].map(({ writeUnits }) => writeUnits)).toEqual([
        units + number,
        8,
        7,
        units,
      ]);
    },
  );
});

describe('write-units', () => {
  /** The estimate, compared with what the engine reports for the same transaction. */

  const parent = '01890000-0000-7000-8000-7a2c4d8f0e36';
  const fields = (more: object): Fields =>
    ({
      name: 'x',
      status: 'active',
      description: '',
      projectId: parent,
      tagIds: [],
      ...more,
    }) as unknown as Fields;

  /** Applies a change. @returns the estimated and the reported units. */
  async function unitsOf(change: Change): Promise<[number, number]> {
    const writes = [buildWrite('@t', change, 1_770_000_000_000), ...buildTextWrite('@t', change)];
    const database = store.database();
    await database.transact(writes);
    const estimated = writes.map(writeUnits).reduce((sum, units) => sum + units, 0);
    return [estimated, database.consumption.writeUnits];
  }

  const long = '😀'.repeat(250);

  test.each<[string, object, Readonly<Record<string, unknown>>]>([
    ['a small entity', {}, { priority: 'low' }],
    ['a status, the key of an index', {}, { status: 'done' }],
    ['the status of an entity of 2 KB', { name: long, tagIds: Array(20).fill(parent) }, { status: 'done' }],
    ['an entity that grows', {}, { name: long, tagIds: Array(20).fill(parent) }],
    ['a parent that an index has', {}, { projectId: null }],
    ['a long description', {}, { description: '😀'.repeat(10_000) }],
  ])('estimates the creation, the change, the deletion and the restore of %s', async (_, before, after) => {
    const nowMs = Date.now();
    const created = buildCreate('task', fields(before), nowMs);
    const changed = buildUpdate(created.after, after, nowMs);
    const whole = changed.after as StoredEntity;
    const deleted = buildDeletion(whole, newDeletion(whole, 'user', nowMs));
    const restored = buildRestore(deleted.after, {}, nowMs);
    const removed = { before: restored.after } as Change;
    for (const change of [created, changed, deleted, restored, removed]) {
      const [estimated, reported] = await unitsOf(change);
      expect(estimated).toBe(reported);
    }
  });
});
