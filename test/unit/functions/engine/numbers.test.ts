/** Numbers of tasks: no number twice, whatever is lost, late or repeated, and no call more in sequence. */
import { randomUUID } from 'node:crypto';
import { applyBatch, type BatchOperation } from '#functions/engine/batches/apply-batch.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { restoreEntity } from '#functions/engine/deletions/restore.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { numbersKey, skippedNumbers } from '#functions/engine/entities/numbers.ts';
import { readEntity } from '#functions/engine/entities/read-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { fillerWrite, recordPrefix } from '#functions/engine/model/change-log.ts';
import type { StoredEntity } from '#functions/engine/model/entity.ts';
import { newId } from '#functions/engine/model/ids.ts';
import { decodeJob, jobSortKey } from '#functions/engine/model/job.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { countOf } from '#functions/engine/table/database.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { continueJob } from '#functions/jobs/continue-job.ts';
import { clone, cloneProjectWithTasks } from '#functions/projects/clone.ts';
import { now, setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { compactAll } from '#test/support/compaction.ts';
import { listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { lostResponse, nth, stopped, touches } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

let store: ReturnType<typeof startTestStore>;
let tenant: string;

beforeEach(() => {
  setTimeAndChance(new VirtualTime(1, Date.parse('2026-02-03T04:00:00.000Z')));
  store = startTestStore();
  tenant = randomUUID();
});

afterEach(() => setTimeAndChance());

const session = (more: Partial<Session> = {}): Session => ({ ...store.session(tenant), ...more });

const numberIn = ({ entity }: Pick<StoredEntity, 'entity'>): number => entity['number'] as number;

const task = { name: 'x', status: 'active', projectId: null, userId: null, tagIds: [] };

const create = async (fields: object = {}, own = session()): Promise<number> =>
  numberIn(await createEntity(own, 'task', { ...task, ...fields }));

const creations = (count: number): BatchOperation[] =>
  Array.from({ length: count }, () => ({ operation: 'create', fields: task }));

const createBatch = async (count: number, own = session()): Promise<number[]> =>
  (await applyBatch(own, 'task', creations(count))).map((one) =>
    'stored' in one && one.stored ? numberIn(one.stored) : Number.NaN,
  );

const key = () => numbersKey({ tenant, kind: 'task' });

const given = async (): Promise<number> => countOf(await store.database().get(key()));

const loseCounter = () => store.database().deleteItem(key());

const isCounter = ({ pk }: { readonly pk: string }): boolean => pk === key().pk;

const listed = async (): Promise<number[]> =>
  (await listEntities(session(), 'task', listQuery({ limit: 100, sort: sortedBy('number') }))).entities.map(
    (entity) => numberIn({ entity }),
  );

const upTo = (last: number): number[] => Array.from({ length: last }, (_, place) => 1 + place);

const makeProject = async (tasks: number): Promise<string> => {
  const { entity } = await createEntity(session(), 'organization', { name: 'o', status: 'active' });
  const fields = { name: 'p', status: 'active', organizationId: entity.id };
  const { id } = (await createEntity(session(), 'project', fields)).entity;
  for (let left = tasks; left > 0; left -= 25)
    await applyBatch(
      session(),
      'task',
      creations(Math.min(25, left)).map(
        (one) => ({ ...one, fields: { ...task, projectId: id } }) as BatchOperation,
      ),
    );
  return id;
};

test('64 writers at once get the numbers from 1 to 64', async () => {
  store.table.faults = { latencyMs: [1, 30], holdMs: [0, 10] };
  const numbers = await Promise.all(Array.from({ length: 64 }, () => create()));
  expect(numbers.toSorted((one, other) => one - other)).toEqual(upTo(64));
  store.table.faults = {};
  expect(await listed()).toEqual(upTo(64));
});

test('no number is given twice to creates and batches at once whose calls are lost, late and refused', async () => {
  const faults = { throttles: 0.1, lostRequests: 0.05, lostResponses: 0.1, lateCommits: 0.05 };
  store.table.faults = { latencyMs: [1, 30], lateMs: [200, 2_500], ...faults };
  const requests = Array.from({ length: 40 }, (_, place) =>
    place % 4 ? create().then((one) => [one]) : createBatch(5),
  );
  const numbers = (await Promise.all(requests)).flat();
  store.table.faults = {};
  expect(numbers).toHaveLength(80);
  expect(await listed()).toEqual(numbers.toSorted((one, other) => one - other));
  expect(new Set(numbers).size).toBe(80);
  // A call without a response is made again, and so takes others.
  expect(Math.max(...numbers)).toBeLessThan(160);
});

test('the numbers of a batch are in the order of its operations', async () => {
  await create();
  expect(await createBatch(3)).toEqual([2, 3, 4]);
  expect(await create()).toBe(5);
});

test('an entity keeps its number when it changes, and when it is deleted and comes back', async () => {
  const { entity } = await createEntity(session(), 'task', task);
  await createEntity(session(), 'task', task);
  const target = { kind: 'task', id: entity.id };
  expect(numberIn(await updateEntity(session(), target, { name: 'y' }))).toBe(1);
  await deleteEntity(session(), 'task', entity.id);
  expect(await create()).toBe(3);
  await restoreEntity(session(), 'task', entity.id);
  expect(numberIn(await readEntity(session(), 'task', entity.id))).toBe(1);
});

test('a kind without numbers has no counter', async () => {
  const { entity } = await createEntity(session(), 'tag', { name: 'x', status: 'active' });
  expect(entity).not.toHaveProperty('number');
  expect(store.table.snapshot().filter(({ sk }) => sk === key().sk)).toEqual([]);
});

describe('a number is left out', () => {
  test('when the response of the counter is lost', async () => {
    await create();
    store.table.intercept = nth(2, 'UpdateItem', lostResponse(0));
    const position = nth(1, 'UpdateItem', lostResponse(0));
    store.table.intercept = (call) => (touches(call, isCounter) ? position(call) : undefined);
    expect(await create()).toBe(3);
  });

  test('when the process ends between the counter and the transaction', async () => {
    await create();
    store.table.intercept = nth(1, 'TransactWriteItems', { refusal: stopped.error as Error });
    await expect(create()).rejects.toThrow('The process stopped here.');
    store.table.intercept = undefined;
    expect([await create(), await listed()]).toEqual([3, [1, 3]]);
  });

  test('when the creation is refused, and its calls have ended then', async () => {
    await create();
    let open = 0;
    const { updateItem } = store.table;
    jest.spyOn(store.table, 'updateItem').mockImplementation((...call) => {
      open += 1;
      return updateItem(...call).finally(() => {
        open -= 1;
      });
    });
    store.table.intercept = (call) => (touches(call, isCounter) ? { requestMs: 500 } : undefined);
    const id = 'not-an-id';
    await expect(createEntity(session(), 'task', task, id)).rejects.toThrow('UUID');
    expect(open).toBe(0);
    store.table.intercept = undefined;
    expect(await create()).toBe(3);
  });
});

describe('a request takes its numbers once', () => {
  const sent = () => session({ idempotency: { scope: 'scope', fingerprint: 'fingerprint' } });

  test('when its response is lost and it is sent again', async () => {
    const numbers = await createBatch(3, sent());
    expect([await createBatch(3, sent()), await given()]).toEqual([numbers, 3]);
    const one = () => session({ idempotency: { scope: 'other', fingerprint: 'fingerprint' } });
    expect([await create({}, one()), await create({}, one()), await given()]).toEqual([4, 4, 4]);
  });

  test('when the position of its record was filled by another process', async () => {
    await create();
    let isFilled = false;
    store.table.intercept = (call) => {
      if (call.operation !== 'TransactWriteItems' || isFilled) return undefined;
      isFilled = true;
      const { TransactItems } = call.input as { TransactItems: { Put?: { Item: Item } }[] };
      const record = TransactItems.find(({ Put }) => Put?.Item.sk.startsWith(recordPrefix))?.Put
        ?.Item as Item;
      void store.database().putItem(fillerWrite({ pk: record.pk, sk: record.sk }, now()).put);
      return { requestMs: 100 };
    };
    expect([await create(), await given(), isFilled]).toEqual([2, 2, true]);
    store.table.intercept = undefined;
    expect(await listed()).toEqual([1, 2]);
  });

  test('when another writer changes what it has read', async () => {
    const { entity } = await createEntity(session(), 'task', task);
    let isChanged = false;
    store.table.intercept = ({ operation }) => {
      if (operation !== 'TransactWriteItems' || isChanged) return undefined;
      isChanged = true;
      void updateEntity(session(), { kind: 'task', id: entity.id }, { name: 'y' });
      return { requestMs: 100 };
    };
    const update = {
      operation: 'update',
      id: entity.id,
      expected: undefined,
      fields: { status: 'done' },
    } as const;
    const results = await applyBatch(session(), 'task', [update, ...creations(2)]);
    expect(results.map((one) => 'stored' in one && one.stored && numberIn(one.stored))).toEqual([1, 2, 3]);
    expect(await given()).toBe(3);
    expect(isChanged).toBe(true);
  });
});

describe('a lost counter goes on above the numbers', () => {
  const above = (greatest: number): number => greatest + skippedNumbers + 1;

  test.each([
    ['of records', undefined],
    ['of rows that wait', 100],
    ['of segments', 1],
  ])('%s, also of deleted entities', async (_, minSegmentRows) => {
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await createEntity(session(), 'task', task));
    await deleteEntity(session(), 'task', made[4]?.entity.id as string);
    const sizes = { ...defaultSizes, minSegmentRows: minSegmentRows ?? 1 };
    if (minSegmentRows) await compactAll(store.database(), tenant, 'task', sizes);
    await loseCounter();
    expect(await create()).toBe(above(5));
    await loseCounter();
    expect(await create()).toBe(above(above(5)));
  });

  test('of patches, which have the numbers that older tasks got', async () => {
    const { entity } = await createEntity(session(), 'task', task);
    const sizes = { ...defaultSizes, minSegmentRows: 1, maxShareOfColumn: 2 };
    await compactAll(store.database(), tenant, 'task', sizes);
    await updateEntity(session(), { kind: 'task', id: entity.id }, { number: 70 });
    await compactAll(store.database(), tenant, 'task', sizes);
    await loseCounter();
    expect(await create()).toBe(above(70));
  });

  test('also of those of requests in progress, and of writers at once', async () => {
    await create();
    store.table.faults = { latencyMs: [1, 30] };
    const before = Array.from({ length: 32 }, () => create());
    await store.database().get(key());
    await loseCounter();
    const numbers = await Promise.all([...before, ...Array.from({ length: 32 }, () => create())]);
    expect(new Set(numbers).size).toBe(64);
    expect(Math.max(...numbers)).toBeGreaterThan(above(1));
  });
});

describe('a clone has numbers of its own', () => {
  const numbersOf = async (projectId: string): Promise<number[]> => {
    const filters = [{ field: 'projectId', operator: 'eq', values: [projectId] } as const];
    const query = listQuery({ filters, limit: 100, sort: sortedBy('createdAt') });
    return (await listEntities(session(), 'task', query)).entities.map((entity) => numberIn({ entity }));
  };

  const cloned = (id: string) => cloneProjectWithTasks(session(), id, undefined, { includesTasks: true });

  test('in a transaction, in the order of the originals', async () => {
    const project = await makeProject(3);
    const { entity } = await cloned(project);
    expect(entity).not.toHaveProperty('number');
    expect([await numbersOf(project), await numbersOf(entity.id)]).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  test('from a job, of which a step is taken twice', async () => {
    const project = await makeProject(110);
    const { entity } = await cloned(project);
    const [job] = store.table
      .snapshot()
      .filter(({ sk }) => sk === jobSortKey)
      .map(decodeJob);
    await clone.step(session(), job as never);
    await continueJob(store.database(), job as never, { owner: 'test' });
    const copies = await numbersOf(entity.id);
    expect(copies).toHaveLength(100);
    expect(new Set([...(await listAll())]).size).toBe(220);
  });

  async function listAll(): Promise<number[]> {
    const found: number[] = [];
    for (const page of [1, 2, 3]) {
      const query = listQuery({ limit: 100, page, sort: sortedBy('number') });
      found.push(
        ...(await listEntities(session(), 'task', query)).entities.map((entity) => numberIn({ entity })),
      );
    }
    return found;
  }
});

describe('the counter is no call more in sequence', () => {
  const latencyMs = 10;

  async function callsInSequence(act: () => Promise<unknown>): Promise<number> {
    store.table.faults = { latencyMs: [latencyMs, latencyMs] };
    const begunAt = now();
    await act();
    store.table.faults = {};
    // On the way there, and on the way back.
    return (now() - begunAt) / (2 * latencyMs);
  }

  test('of a create, a create with an own id, a batch and a clone', async () => {
    const projectId = await makeProject(2);
    await cloneProjectWithTasks(session(), projectId, undefined, { includesTasks: true });
    // The references, and the transaction.
    expect(await callsInSequence(() => create({ projectId }))).toBe(2);
    expect(await callsInSequence(() => createBatch(2))).toBe(2);
    // The id, the position, and the transaction.
    const own = newId(now()).id;
    expect(await callsInSequence(() => createEntity(session(), 'task', task, own))).toBe(3);
    // As many as without numbers: the project, its tasks, the head of their log, the positions, and the transaction.
    const cloned = () => cloneProjectWithTasks(session(), projectId, undefined, { includesTasks: true });
    expect(await callsInSequence(cloned)).toBe(6);
  });
});
