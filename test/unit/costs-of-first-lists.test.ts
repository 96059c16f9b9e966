/**
 * What the first list of a process for a tenant costs: the calls that wait for each other, and read units. docs/costs-and-limits.md has them. Each call takes
 * ten milliseconds of virtual time, so the time of a list tells how many of its calls follow each other.
 */
import { randomUUID } from 'node:crypto';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { processMemory } from '#functions/engine/columns/process-memory.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { listDeleted } from '#functions/engine/lists/list-deleted.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import type { ListQuery, Page } from '#functions/engine/model/list-query.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { Sight } from '#functions/engine/table/sight.ts';
import { readListQuery } from '#functions/http/parse-list-query.ts';
import { monotonic, setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { task } from '#functions/tasks/resource.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import type { Call } from '#test/support/table/course.ts';
import { keysOf, refused } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { tenant as measured, TaskCollection } from '../../benchmarks/task-collection.ts';

const store = startTestStore();
const callMs = 10;

afterEach(() => jest.restoreAllMocks());
afterAll(() => setTimeAndChance());

/** Returns the calls that follow each other, all calls, and the read units of an action, with its result and the keys that it reads in batches. */
async function costOf<Result>(
  act: (session: Session) => Promise<Result>,
  tenant: string,
  open: (session: Session) => Session = (session) => session,
) {
  const session = open(store.session(tenant));
  const keys: Key[] = [];
  const { intercept } = store.table;
  store.table.faults = { latencyMs: callMs / 2 };
  store.table.intercept = (call) => {
    if (call.operation === 'BatchGetItem') keys.push(...keysOf(call));
    return intercept?.(call);
  };
  const start = monotonic();
  const result = await act(session);
  const sequence = (monotonic() - start) / callMs;
  store.table.faults = {};
  store.table.intercept = undefined;
  const { calls, readUnits } = session.database.consumption;
  return { sequence, calls, readUnits, result, keys };
}

/** Lists in a process that knows nothing. */
function costOfFirst(
  query: ListQuery,
  tenant: string,
  { open, read = listEntities }: { open?: (session: Session) => Session; read?: typeof listDeleted } = {},
) {
  processMemory.clear();
  return costOf<Page>((session) => read(session, 'task', query), tenant, open);
}

describe('the first list of 10,000 tasks', () => {
  const size = 10_000;
  let collection: TaskCollection;

  beforeAll(async () => {
    setTimeAndChance();
    store.table.onCommit(() => store.table.takeRecords());
    collection = new TaskCollection(store, size);
    await collection.load(() => undefined);
    setTimeAndChance(new VirtualTime(1, Date.now()));
  }, 120_000);

  // The units are those without what is read ahead.
  test.each<[string, (names: TaskCollection['frequent']) => string, number, number]>([
    ['by creation', () => '', 4, 6],
    ['of a status', () => 'status=planned', 4, 5.5],
    ['of a tag', ({ tag }) => `tagIds=${tag}`, 4, 17.5],
    ['of a project and a status', ({ project }) => `projectId=${project}&status=planned`, 4, 16],
    ['of a status by due date', () => 'status=planned&sortBy=dueDate', 4, 23.5],
    ['by priority', () => 'sortBy=priority', 4, 15],
    ['by project', () => 'sortBy=projectId', 4, 17],
    ['by name', () => 'sortBy=name', 4, 28],
    ['by estimate, with the sum', () => 'sumBy=estimate&sortBy=estimate', 4, 14],
    ['by description', () => 'sortBy=description', 4, 34],
    ['of a word', () => 'search=wireless', 5, 17.5],
    ['of two words', () => 'search=wireless+bypass', 5, 23],
    ['of one letter', () => 'search=t', 5, 16.5],
  ])('%s', async (_, queryOf, sequence, units) => {
    const text = queryOf(collection.frequent);
    const { query } = readListQuery(task, text.includes('sortBy') ? text : `${text}&sortBy=createdAt`);
    const { total } = (await costOfFirst(query, measured)).result;
    const middle = await costOfFirst({ ...query, page: Math.ceil(total / 40) }, measured);
    expect(middle.result.entities.length).toBeGreaterThan(0);
    expect(middle.sequence).toBeLessThanOrEqual(sequence);
    expect(middle.readUnits).toBeLessThanOrEqual(units);
  });
});

describe('of larger tasks', () => {
  let tenant: string;
  let ids: string[];
  let seed = 1;

  const long = 'A long text. '.repeat(60);
  const open = () => store.session(tenant);
  const create = async (fields: object = {}) => {
    const whole = { name: 'x', status: 'open', description: '', ...fields };
    return (await createEntity(open(), 'task', whole)).entity.id;
  };
  const compactTasks = (sizes: object = {}) =>
    compactAll(store.database(), tenant, 'task', { ...defaultSizes, minSegmentRows: 1, ...sizes });

  beforeEach(async () => {
    // Tests of one table draw other tokens.
    seed += 1;
    setTimeAndChance(new VirtualTime(seed, Date.parse('2026-02-03T04:00:00.000Z')));
    // As if the tasks were more than a list loads at once.
    jest.replaceProperty(processMemory, 'cheapRows', 0);
    tenant = randomUUID();
    ids = [];
    for (let number = 0; number < 30; number += 1)
      ids.push(await create({ name: `Task ${number}`, description: number % 3 ? 'short' : long }));
    await compactTasks();
  });

  const byName = listQuery({ sort: sortedBy('name') });

  test('reads long texts beside the entities, also changed ones, and those of deleted tasks', async () => {
    expect(await costOfFirst(byName, tenant)).toMatchObject({ sequence: 4, calls: 7 });
    // Columns would save the entities, half a unit each, and not the texts.
    expect(processMemory.of(`${store.tableName}#${tenant}`, 'task').get('read-by-key')).toBe(10);
    await updateEntity(open(), { kind: 'task', id: ids[1] as string }, { description: long });
    await compactTasks();
    const changed = await costOfFirst(byName, tenant);
    expect(changed).toMatchObject({ sequence: 4, calls: 7 });
    expect(changed.result.entities.filter(({ description }) => description === long)).toHaveLength(7);
    for (const id of ids) await deleteEntity(open(), 'task', id);
    await compactTasks();
    const deleted = await costOfFirst(byName, tenant, { read: listDeleted });
    // Then it counts what each deletion brings back.
    expect(deleted.keys.filter(({ sk }) => sk === 'text')).toHaveLength(7);
    expect(deleted.sequence).toBe(6);
    expect(deleted.result.entities.filter(({ description }) => description === long)).toHaveLength(7);
  });

  test('reads a text again that changes beside its entity', async () => {
    const { entities } = (await costOfFirst(byName, tenant)).result;
    const { id = '' } = entities.find(({ description }) => description === long) ?? {};
    let change: Promise<unknown> | undefined;
    store.table.intercept = (call: Call) => {
      if (!keysOf(call).some(({ sk }) => sk === 'text') || change !== undefined) return undefined;
      store.table.intercept = undefined;
      change = updateEntity(open(), { kind: 'task', id }, { description: `${long}!` });
      return { requestMs: 1_000 };
    };
    const { result } = await costOfFirst(byName, tenant);
    await change;
    expect(result.entities.find((one) => one.id === id)?.description).toBe(`${long}!`);
  });

  test('reads no column when pending changes answer it alone', async () => {
    const id = await create({ status: 'later' });
    const filters = [
      isValue('status', 'later'),
      { field: 'id', operator: 'gt', values: [ids.at(-1) ?? ''] },
    ] as const;
    const { result, ...cost } = await costOfFirst(listQuery({ filters, sort: sortedBy('name') }), tenant);
    expect(result.entities.map((one) => one.id)).toEqual([id]);
    expect(cost).toMatchObject({ sequence: 2, calls: 2, keys: [] });
  });

  test('reads no column behind a cursor by creation', async () => {
    const after = { values: [], id: ids[9] as string };
    const { result, keys } = await costOfFirst(listQuery({ after, withTexts: false }), tenant);
    expect(result.entities.map(({ id }) => id)).toEqual(ids.slice(10, 30));
    const columns = keys.filter(({ sk }) => /^\w.*\/(?!\$version)/.test(sk));
    expect(columns).toEqual([]);
  });

  test('by creation reads of segments without a row of the page nothing, also if they have deleted rows', async () => {
    tenant = randomUUID();
    const own: string[] = [];
    for (let number = 0; number < 20; number += 1) own.push(await create());
    const sizes = { maxRows: 8, maxMergedRows: 16 };
    await compactTasks(sizes);
    for (const id of [own[1], own[18]]) await deleteEntity(open(), 'task', id as string);
    await compactTasks(sizes);
    const segmentsOf = (keys: readonly Key[]): number =>
      new Set(
        keys
          .map(({ pk }) => pk)
          .filter((pk) => pk.startsWith(`${tenant}#task#columns#`) && /\.\d+$/.test(pk)),
      ).size;
    expect(segmentsOf(store.table.snapshot() as Key[])).toBeGreaterThan(1);
    const { keys, result } = await costOfFirst(listQuery({ limit: 3, withTexts: false }), tenant);
    expect([result.total, segmentsOf(keys)]).toEqual([18, 1]);
  });

  describe('for a caller who does not see all', () => {
    const asViewer =
      (subject: string) =>
      (session: Session): Session => {
        const sight = new Sight(tenant, subject, session.database);
        return { ...session, sight, database: session.database.restricted((items) => sight.filter(items)) };
      };

    beforeEach(async () => {
      const user = await createEntity(open(), 'user', { name: 'Ada', status: 'active', subject: 'ada' });
      const organization = await createEntity(open(), 'organization', { name: 'x', status: 'active' });
      const project = await createEntity(open(), 'project', {
        ...{ name: 'x', status: 'active', organizationId: organization.entity.id },
        ...{ visibility: 'members', memberIds: [user.entity.id] },
      });
      for (const id of ids)
        await updateEntity(open(), { kind: 'task', id }, { projectId: project.entity.id });
      await compactTasks();
      for (const kind of ['user', 'project'])
        await compactAll(store.database(), tenant, kind, { ...defaultSizes, minSegmentRows: 1 });
    });

    test('reads the columns of the rule ahead, beside those of the list', async () => {
      const first = await costOfFirst(byName, tenant, { open: asViewer('ada') });
      expect(first.result.total).toBe(30);
      // Without the columns ahead, eleven calls would follow each other.
      expect(first).toMatchObject({ sequence: 9, calls: 14, readUnits: 23 });
    });

    test('costs no more when the caller sees nothing', async () => {
      const first = await costOfFirst(byName, tenant, { open: asViewer('eve') });
      expect(first.result.total).toBe(0);
      expect(first).toMatchObject({ sequence: 5, calls: 7, readUnits: 7 });
    });
  });

  describe('when an item that was read ahead is gone', () => {
    const isColumn = ({ sk }: Key): boolean => /\/name$/.test(sk);
    const namesOf = ({ entities }: Page) => entities.map(({ name }) => name);
    const batchesOf = (
      courseOf: (number: number) => ReturnType<NonNullable<typeof store.table.intercept>>,
    ) => {
      let number = 0;
      return (call: Call) => {
        if (call.operation !== 'BatchGetItem') return undefined;
        number += 1;
        return courseOf(number);
      };
    };

    test('it is not remembered as missing', async () => {
      const expected = namesOf((await costOfFirst(byName, tenant)).result);
      const columns = store.table.snapshot().filter((item) => isColumn(item as Item)) as Item[];
      for (const { pk, sk } of columns) await store.database().deleteItem({ pk, sk });
      // The read ahead does not find them, not even consistently. Then they are there.
      store.table.intercept = batchesOf((number) => {
        if (number !== 3) return undefined;
        for (const item of columns) void store.database().putItem(item);
        return { requestMs: 100 };
      });
      expect(namesOf((await costOfFirst(byName, tenant)).result)).toEqual(expected);
    });

    test('and what fails ahead is read again', async () => {
      store.table.intercept = batchesOf((number) =>
        number === 1 ? refused('AccessDeniedException') : undefined,
      );
      expect((await costOfFirst(byName, tenant)).result.entities).toHaveLength(20);
    });

    test.each([
      ['before', 500],
      ['after', 0],
    ])(
      'because a compaction replaces it %s the list reads the state, the list is right',
      async (_, headMs) => {
        await updateEntity(open(), { kind: 'task', id: ids[5] as string }, { name: 'A renamed task' });
        const old = store.table.snapshot().filter((item) => isColumn(item as Item)) as Item[];
        const replace = async (): Promise<void> => {
          await compactTasks({ maxShareOfColumn: 0 });
          for (const { pk, sk } of old) await store.database().deleteItem({ pk, sk });
        };
        let replaced: Promise<void> | undefined;
        store.table.intercept = (call: Call) => {
          const isHead = call.operation === 'Query';
          if (isHead || call.operation !== 'BatchGetItem') return isHead ? { requestMs: headMs } : undefined;
          store.table.intercept = undefined;
          replaced = replace();
          return { requestMs: 100 };
        };
        const { result } = await costOfFirst(byName, tenant);
        await replaced;
        expect(namesOf(result)[0]).toBe('A renamed task');
        expect(result.entities).toHaveLength(20);
        expect(result.total).toBe(30);
      },
    );
  });

  test('a deletion makes three calls that follow each other, and the first one of a process one more', async () => {
    const [first, second, third] = ids;
    processMemory.clear();
    const remove = (id = '') => costOf((session) => deleteEntity(session, 'task', id), tenant);
    expect(await remove(first)).toMatchObject({ sequence: 4 });
    expect(await remove(second)).toMatchObject({ sequence: 3, calls: 4 });
    // What is refused takes no position.
    const refused = await costOf(
      (session) => deleteEntity(session, 'task', third as string, new Set([7])).catch(() => undefined),
      tenant,
    );
    expect(refused).toMatchObject({ sequence: 1, calls: 1 });
  });
});
