import { randomUUID } from 'node:crypto';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import {
  columnNames,
  emptyManifest,
  type ItemName,
  type Manifest,
  type Segment,
} from '#functions/engine/columns/format/manifest.ts';
import { encodeWordIndex } from '#functions/engine/columns/format/word-index.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { numbersKey, skippedNumbers } from '#functions/engine/entities/numbers.ts';
import { readEntity } from '#functions/engine/entities/read-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { readChildIds } from '#functions/engine/lists/children.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import {
  fillerWrite,
  logPartition,
  manifestSortKey,
  recordKey,
  recordPrefix,
  sequencerKey,
} from '#functions/engine/model/change-log.ts';
import { buildCreate, buildUpdate } from '#functions/engine/model/changes.ts';
import type { Fields, StoredEntity } from '#functions/engine/model/entity.ts';
import { ContradictingField } from '#functions/engine/model/errors.ts';
import { decodeAnyEntity, encodeEntity } from '#functions/engine/model/item-codec.ts';
import { entityKey, textKey } from '#functions/engine/model/keys.ts';
import { entryKey } from '#functions/engine/model/registry.ts';
import { encodeUniqueValue, entityOfUniqueValue, uniqueKey } from '#functions/engine/model/unique-value.ts';
import { wordsField } from '#functions/engine/model/words.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyChangeSet } from '#functions/engine/write/commit.ts';
import { now, setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { KeyFilter, maxExactKeys } from '#lib/audit/checksums.ts';
import { confirm } from '#lib/audit/confirm.ts';
import { rebuildLogs } from '#lib/audit/rebuild-logs.ts';
import { isLimited, isRepaired, type Report } from '#lib/audit/report.ts';
import { maxFindings } from '#lib/audit/snapshot.ts';
import { compactAll } from '#test/support/compaction.ts';
import { listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { nth, stopped } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

let time: VirtualTime;
let store: ReturnType<typeof startTestStore>;

beforeEach(() => {
  time = new VirtualTime(1, Date.parse('2026-02-03T04:00:00.000Z'));
  setTimeAndChance(time);
  store = startTestStore();
});

afterEach(() => setTimeAndChance());

const audit = (repair = false): Promise<Report> =>
  auditTable(store.table, store.tableName, { repair, pauseMs: 50 });

test('a difference counts when three reads find it, and the suspects share the pauses', async () => {
  const reads: string[] = [];
  const found = await confirm(['real', 'late'], 1, async (suspect) => {
    reads.push(suspect);
    return suspect === 'real' || reads.length < 3 ? suspect : undefined;
  });
  expect([found, reads]).toEqual([['real'], ['real', 'late', 'real', 'late', 'real']]);
});

const clean = {
  orphans: [],
  cycles: [],
  malformed: [],
  texts: [],
  subjects: [],
  sequencers: [],
  counters: [],
  unnumbered: [],
  unlisted: [],
  logs: [],
};

describe('audit table', () => {
  /** The audit finds the errors that a test writes, and nothing else, and repairs them. Other writers continue. */

  const task = (more: object = {}): Fields => ({
    name: 'x',
    status: 'active',
    projectId: null,
    userId: null,
    tagIds: [],
    ...more,
  });

  async function fill(session: Session, tasks: number): Promise<{ project: string; tasks: StoredEntity[] }> {
    const organization = await createEntity(session, 'organization', { name: 'o', status: 'active' });
    const organizationId = organization.entity.id;
    const project = await createEntity(session, 'project', { name: 'p', status: 'active', organizationId });
    const projectId = project.entity.id;
    const made: StoredEntity[] = [];
    for (let number = 0; number < tasks; number += 1)
      made.push(await createEntity(session, 'task', task({ projectId })));
    return { project: projectId, tasks: made };
  }

  test('finds nothing while writers create and delete', async () => {
    const { project } = await fill(store.session('a'), 20);
    store.table.faults = { latencyMs: [1, 20] };
    let isOver = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const session = store.session('a');
        const { entity } = await createEntity(session, 'task', task({ projectId: project }));
        if (time.random() < 0.5) await deleteEntity(session, 'task', entity.id);
      }
    });
    const report = await auditTable(store.table, store.tableName, { pauseMs: 500 });
    isOver = true;
    await Promise.all(writers);
    expect(report).toMatchObject(clean);
    expect(await audit()).toMatchObject(clean);
  });

  test('finds and clears references to entities that do not exist', async () => {
    const session = store.session('a');
    const { project } = await fill(session, 2);
    const gone = buildCreate('user', { name: 'u', status: 'active' }, now()).after.entity.id;
    const lost = buildCreate('task', task({ projectId: project, userId: gone, tagIds: [gone] }), now());
    await applyChangeSet(session, { changes: [lost] });
    expect((await audit()).orphans.map(({ field }) => field).sort()).toEqual(['tagIds', 'userId']);
    // The task also gets a number.
    expect(await audit(true)).toMatchObject({ repaired: 3 });
    expect(await audit()).toMatchObject(clean);
    const { entity } = await readEntity(session, 'task', lost.after.entity.id);
    expect(entity).toMatchObject({ projectId: project, userId: null, tagIds: [] });
  });

  test('keeps what belongs to an entity that is lost; what cannot be without it can be restored', async () => {
    const session = store.session('a');
    const { project, tasks } = await fill(session, 3);
    const { entity } = await readEntity(session, 'project', project);
    const lose = (kind: 'organization' | 'project', id: unknown) =>
      store.database().deleteItem(entityKey('a', kind, String(id)));
    await lose('project', project);
    await audit(true);
    // Nobody knows who saw the project: without it, all would see the tasks.
    for (const { entity: one } of tasks) {
      expect((await readEntity(session, 'task', one.id)).entity['projectId']).toBe(project);
      await updateEntity(store.session('a'), { kind: 'task', id: one.id }, { projectId: null });
    }
    const other = await createEntity(session, 'project', { ...entity, name: 'other' });
    await lose('organization', entity['organizationId']);
    await audit(true);
    const item = await store
      .database()
      .get(entityKey('a', 'project', other.entity.id), { withDeleted: true });
    expect(decodeAnyEntity(item as Item).deletion?.root).toEqual({ kind: 'project', id: other.entity.id });
    expect(await audit()).toMatchObject(clean);
  });

  test('finds cycles of tasks, which requests at the same time make, and removes the parent of the youngest task', async () => {
    const session = store.session('a');
    const { tasks } = await fill(session, 6);
    const [one, two, three, below, alone, last] = tasks.map(({ entity }) => entity.id) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const update = (id: string, parentId: string) =>
      updateEntity(store.session('a'), { kind: 'task', id }, { parentId }, readChildIds);
    await update(below, three);
    await update(last, alone);
    await update(two, one);
    await update(three, two);
    // Each of two requests sees the task of the other one where it was.
    const before = await readEntity(session, 'task', one);
    await applyChangeSet(session, { changes: [buildUpdate(before, { parentId: three }, now())] });
    await expect(update(alone, three)).rejects.toThrow(ContradictingField);
    const keys = [one, two, three].map((id) => entityKey('a', 'task', id).pk);
    expect((await audit()).cycles.map((cycle) => cycle.toSorted())).toEqual([keys]);
    expect(await audit(true)).toMatchObject({ repaired: 1 });
    expect(await audit()).toMatchObject(clean);
    const parents = [one, two, three, below].map(
      async (id) => (await readEntity(session, 'task', id)).entity['parentId'],
    );
    expect(await Promise.all(parents)).toEqual([three, one, null, three]);
  });

  test('clears a reference that the row of an entity does not have', async () => {
    const session = store.session('a');
    const { tasks } = await fill(session, 1);
    const { entity } = tasks[0] as StoredEntity;
    const userId = buildCreate('user', { name: 'u', status: 'active' }, now()).after.entity.id;
    const Item = encodeEntity('a', { kind: 'task', entity: { ...entity, userId }, version: 2 }, 1);
    await store.database().putItem(Item);
    await audit(true);
    expect(await audit()).toMatchObject(clean);
    expect((await readEntity(session, 'task', entity.id)).entity).toMatchObject({ userId: null });
  });
});

describe('change logs', () => {
  const compare = async () => (await audit()).logs;

  const rebuild = () => rebuildLogs(store.table, store.tableName);

  const newTag = (tenant: string, name: string): Promise<StoredEntity> =>
    createEntity(store.session(tenant), 'tag', { name, status: 'active', organizationId: null });

  async function names(tenant: string): Promise<string[]> {
    const query = listQuery({ sort: sortedBy('name'), limit: 100 });
    return (await listEntities(store.session(tenant), 'tag', query)).entities.map(
      ({ name }) => name as string,
    );
  }

  /** Writes an entity without a record, as a restored table may have it. */
  const putWithoutRecord = ({ kind, entity, version }: StoredEntity, tenant: string, name: string) => {
    const Item = encodeEntity(tenant, { kind, entity: { ...entity, name }, version: version + 1 }, 1);
    return store.database().putItem(Item);
  };

  test('finds a row that differs from its entity and a row without an entity, and the rebuild corrects them', async () => {
    const tenant = randomUUID();
    const changed = await newTag(tenant, 'a');
    const deleted = await newTag(tenant, 'b');
    await compactAll(store.database(), tenant, 'tag');
    await putWithoutRecord(changed, tenant, 'z');
    const Key = { ...entityKey(tenant, 'tag', deleted.entity.id) };
    await store.database().deleteItem(Key);
    const ids = [changed.entity.id, deleted.entity.id];
    expect(await compare()).toEqual([{ log: logPartition(tenant, 'tag'), ids }]);
    await rebuild();
    expect(await compare()).toEqual([]);
    expect(await names(tenant)).toEqual(['z']);
  });

  test('finds words that no text has and words that are missing, and the rebuild corrects them', async () => {
    const tenant = randomUUID();
    const tags = [await newTag(tenant, 'a b'), await newTag(tenant, 'c'), await newTag(tenant, 'd')];
    await compactAll(store.database(), tenant, 'tag', { ...defaultSizes, minSegmentRows: 1 });
    const log = openLog(store.database(), tenant, 'tag');
    const { segments } = (await log.readManifest()) as Manifest;
    const [segment] = segments as [Segment];
    const [name] = columnNames(segment, wordsField) as [ItemName];
    const [item] = encodeWordIndex(['b', 'c', 'd e'], 1_000, () => undefined) as [Buffer];
    await log.putItems(new Map([[name, item]]));
    const [missing, , added] = tags.map(({ entity }) => entity.id);
    expect(await compare()).toEqual([{ log: logPartition(tenant, 'tag'), ids: [missing, added] }]);
    await rebuild();
    expect(await compare()).toEqual([]);
  });

  test('finds a total that differs from the rows, and the rebuild corrects it', async () => {
    const tenant = randomUUID();
    await newTag(tenant, 'a');
    await compactAll(store.database(), tenant, 'tag', { ...defaultSizes, minSegmentRows: 1 });
    const log = openLog(store.database(), tenant, 'tag');
    const manifest = (await log.readManifest()) ?? emptyManifest;
    const segments = manifest.segments.map((segment) => ({ ...segment, deleted: { 0: -1 } }));
    expect(await log.replaceManifest({ ...manifest, version: manifest.version + 1, segments })).toBe(true);
    const found = { log: logPartition(tenant, 'tag'), ids: [], wrongTotal: 2 };
    expect(await compare()).toEqual([found]);
    await rebuild();
    expect(await compare()).toEqual([]);
  });

  test('a rebuild writes the words of long texts, also of an entity whose change is pending', async () => {
    const tenant = randomUUID();
    const description = `${'filler '.repeat(100)} rhubarb`;
    const fields = { name: 'a', status: 'active', organizationId: null, description };
    const tags = [1, 2].map(() => createEntity(store.session(tenant), 'tag', fields));
    const [{ entity }] = (await Promise.all(tags)) as [StoredEntity, StoredEntity];
    const search = { field: '$words', operator: 'search', values: ['rhubarb'] } as const;
    const total = async () =>
      (await listEntities(store.session(tenant), 'tag', listQuery({ filters: [search] }))).total;
    await rebuild();
    expect(await total()).toBe(2);
    await updateEntity(store.session(tenant), { kind: 'tag', id: entity.id }, { status: 'done' });
    expect(await total()).toBe(2);
    await rebuild();
    expect(await total()).toBe(2);
  });

  test('lists are right after a rebuild while writers create and delete', async () => {
    const tenant = randomUUID();
    for (const name of ['a', 'b', 'c']) await newTag(tenant, name);
    store.table.faults = { latencyMs: [1, 20] };
    let isOver = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const { entity } = await newTag(tenant, 'new');
        if (time.random() < 0.5) await deleteEntity(store.session(tenant), 'tag', entity.id);
      }
    });
    for (let round = 0; round < 5; round += 1) {
      await rebuildLogs(store.table, store.tableName);
      expect(await compare()).toEqual([]);
    }
    isOver = true;
    await Promise.all(writers);
    expect(await compare()).toEqual([]);
    await compactAll(store.database(), tenant, 'tag');
    expect(await compare()).toEqual([]);
  });

  describe('a record of a change that the table does not have', () => {
    /** Checks that rows are wrong, that they are right after the rebuild, and also after further steps of compaction. */
    async function checkRebuild(tenant: string, ids: readonly string[]): Promise<void> {
      expect(await compare()).toEqual([{ log: logPartition(tenant, 'tag'), ids }]);
      await rebuild();
      expect(await compare()).toEqual([]);
      await compactAll(store.database(), tenant, 'tag');
      expect(await compare()).toEqual([]);
    }

    test.each([
      ['deletes', (session: Session, id: string) => deleteEntity(session, 'tag', id)],
      [
        'changes',
        (session: Session, id: string) => updateEntity(session, { kind: 'tag', id }, { name: 'b' }),
      ],
    ])('has no effect after the rebuild when it %s an entity', async (_, change) => {
      const tenant = randomUUID();
      const { id } = (await newTag(tenant, 'a')).entity;
      const Key = { ...entityKey(tenant, 'tag', id) };
      const Item = (await store.database().get(Key)) as Item;
      await change(store.session(tenant), id);
      // The entity is as it was.
      await store.database().putItem(Item);
      await checkRebuild(tenant, [id]);
      expect(await names(tenant)).toEqual(['a']);
    });

    test('is found, and has no effect after the rebuild, when it creates the first entity of a log', async () => {
      const tenant = randomUUID();
      const { id } = (await newTag(tenant, 'a')).entity;
      const Key = { ...entityKey(tenant, 'tag', id) };
      await store.database().deleteItem(Key);
      await checkRebuild(tenant, [id]);
      expect(await names(tenant)).toEqual([]);
    });
  });

  test('that lacks the record of the last change of an entity can be listed after the next one', async () => {
    const tenant = randomUUID();
    const { id } = (await newTag(tenant, 'a')).entity;
    await store.database().deleteItem(recordKey({ tenant, kind: 'tag' }, 1));
    expect(await audit(true)).toMatchObject({ repaired: 1 });
    await updateEntity(store.session(tenant), { kind: 'tag', id }, { name: 'b' });
    expect(await names(tenant)).toEqual(['b']);
    expect(await compare()).toEqual([]);
  });

  test('a record in a format that this release does not read is reported, blocks the repair of its tenant, and not that of others', async () => {
    const [broken, other] = [randomUUID(), randomUUID()];
    const key = recordKey({ tenant: broken, kind: 'tag' }, 1);
    const unused = textKey(broken, 'task', randomUUID());
    await newTag(broken, 'a');
    await store.database().putItem({ ...((await store.database().get(key)) as Item), next: 1 });
    await store.database().putItem({ ...unused, text: 'x' });
    const changed = await newTag(other, 'a');
    await putWithoutRecord(changed, other, 'z');
    const report = await audit(true);
    const unreadable = 'A stored item (record) has the field "next", which this release does not know.';
    expect(report.logs).toContainEqual({
      log: key.pk,
      ids: [],
      unreadable: expect.stringContaining(unreadable),
    });
    expect(report).toMatchObject({ logs: { length: 2 }, texts: { length: 1 }, repaired: 1 });
    expect(isRepaired(report)).toBe(false);
    expect(await compare()).toMatchObject([{ log: key.pk }]);
    expect((await rebuild()).blocked).toEqual(new Map([[key.pk, expect.stringContaining(unreadable)]]));
    expect(await names(other)).toEqual(['z']);
  });

  test('finds a row that differs beside a log that cannot be read, whose rows change the same checksums', async () => {
    const [broken, other] = [randomUUID(), randomUUID()];
    for (const name of ['a', 'b', 'c']) await newTag(broken, name);
    const changed = await newTag(other, 'a');
    await newTag(other, 'b');
    for (const tenant of [broken, other]) await compactAll(store.database(), tenant, 'tag');
    const Key = { pk: logPartition(broken, 'tag'), sk: manifestSortKey };
    const Item = (await store.database().get(Key)) as Item;
    await store.database().putItem({ ...Item, format: 99 });
    await putWithoutRecord(changed, other, 'z');
    const found = await compare();
    expect(found).toContainEqual({ log: Key.pk, ids: [], unreadable: expect.stringContaining('is 99') });
    expect(found).toContainEqual({ log: logPartition(other, 'tag'), ids: [changed.entity.id] });
    await rebuild();
    expect(await compare()).toEqual([]);
  });
});

const put = (Item: Item) => store.database().putItem(Item);

/** Creates an entity. @returns its id. */
const make = async (kind: 'tag' | 'user' | 'task', fields: object = {}): Promise<string> =>
  (await createEntity(store.session('a'), kind, { name: 'x', status: 'active', ...fields })).entity.id;

const fieldOf = async (kind: 'tag' | 'user' | 'task', id: string, field: string): Promise<unknown> =>
  (await readEntity(store.session('a'), kind, id)).entity[field];

/** Expects one difference, repairs it, and expects none. */
async function expectRepair(found: Partial<Report>): Promise<void> {
  expect(await audit()).toMatchObject({ ...clean, ...found, repaired: 0 });
  expect(await audit(true)).toMatchObject({ ...found, repaired: 1 });
  expect(await audit()).toMatchObject(clean);
}

describe('sequencers', () => {
  /** A restored table can have a sequencer as of an earlier moment than the items of its log. */

  const log = { tenant: 'a', kind: 'tag' } as const;

  /** Sets the sequencer back, and expects that the audit raises it, and that writes succeed then. */
  async function expectRaise(count: number, position: number): Promise<void> {
    await put({ ...sequencerKey(log), count });
    await expectRepair({ sequencers: [{ log: logPartition('a', 'tag'), count, position }] });
    expect(await store.database().count(sequencerKey(log))).toBe(position + 1);
    await make('tag');
  }

  test('that are behind the records of their log are found, and raised', async () => {
    for (let count = 0; count < 4; count += 1) await make('tag');
    await put({ ...sequencerKey(log), count: 1 });
    await expect(make('tag')).rejects.toThrow('is behind its records');
    await expectRaise(1, 4);
  });

  test('a log that the registry does not have is found, and added', async () => {
    await make('tag');
    await store.database().deleteItem(entryKey(log));
    await expectRepair({ unlisted: [logPartition('a', 'tag')] });
  });

  test('that are behind the columns of their log, whose records have expired', async () => {
    for (let count = 0; count < 2; count += 1) await make('tag');
    const position = await store.database().count(sequencerKey(log));
    await put(fillerWrite(recordKey(log, position), now()).put);
    await compactAll(store.database(), 'a', 'tag');
    for (const { pk, sk } of store.table.snapshot())
      if (sk.startsWith(recordPrefix)) await store.database().deleteItem({ pk, sk });
    await expectRaise(2, 3);
  });

  test.each([
    ['an entity', async () => undefined],
    ['a deleted entity', (id: string) => deleteEntity(store.session('a'), 'tag', id)],
  ])('that are behind the last change of %s, whose record is missing', async (_, change) => {
    await make('tag');
    const id = await make('tag');
    await change(id);
    const position = Number(
      (await store.database().get(entityKey('a', 'tag', id), { withDeleted: true }))?.['logPosition'],
    );
    await store.database().deleteItem(recordKey(log, position));
    await put({ ...sequencerKey(log), count: 1 });
    expect((await audit()).sequencers).toEqual([{ log: logPartition('a', 'tag'), count: 1, position }]);
    await audit(true);
    expect(await audit()).toMatchObject(clean);
  });

  test('that are missing count as 0', async () => {
    await make('tag');
    await store.database().deleteItem(sequencerKey(log));
    const found = [{ log: logPartition('a', 'tag'), count: 0, position: 1 }];
    expect((await audit(true)).sequencers).toEqual(found);
    await make('tag');
  });
});

describe('numbers', () => {
  const log = { tenant: 'a', kind: 'task' } as const;
  const partition = logPartition('a', 'task');

  test.each([
    ['behind', () => put({ ...numbersKey(log), count: 1 }), 1],
    ['lost', () => store.database().deleteItem(numbersKey(log)), 0],
  ])(
    'a counter that is %s is found, and goes on above the numbers of deleted entities',
    async (_, change, count) => {
      const ids = [await make('task'), await make('task'), await make('task')];
      await deleteEntity(store.session('a'), 'task', ids[2] as string);
      await change();
      await expectRepair({ counters: [{ log: partition, count, number: 3 }] });
      expect(await fieldOf('task', await make('task'), 'number')).toBe(3 + skippedNumbers + 1);
    },
  );

  /** Creates tasks as the releases before the numbers did. */
  async function makeOld(count: number): Promise<StoredEntity[]> {
    const made: StoredEntity[] = [];
    for (let number = 0; number < count; number += 1) {
      await time.delay(1_000);
      const change = buildCreate('task', { name: `old ${number}`, status: 'active' }, now());
      await applyChangeSet(store.session('a'), { changes: [change] });
      made.push(change.after);
    }
    return made;
  }

  const numbersOf = (entities: readonly StoredEntity[]) =>
    Promise.all(entities.map(({ entity }) => fieldOf('task', entity.id, 'number')));

  test('of entities that are older than the numbers are given in the order of creation, as changes with the same time', async () => {
    const [first, ...old] = await makeOld(61);
    await compactAll(store.database(), 'a', 'task');
    await make('task');
    await deleteEntity(store.session('a'), 'task', first?.entity.id as string);
    const begunAt = now();
    await expectRepair({ unnumbered: [{ log: partition, entities: 60 }] });
    expect(now() - begunAt).toBeGreaterThanOrEqual(600);
    expect(await numbersOf(old)).toEqual(old.map((_, place) => 2 + place));
    for (const { entity, version } of old) {
      const stored = await readEntity(store.session('a'), 'task', entity.id);
      expect([stored.version, stored.entity.updatedAt]).toEqual([version + 1, entity.updatedAt]);
    }
  });

  test('that a run has not given are given by the next one, after those of before', async () => {
    const old = await makeOld(60);
    store.table.intercept = nth(2, 'TransactWriteItems', { refusal: stopped.error as Error });
    await expect(audit(true)).rejects.toThrow('The process stopped here.');
    store.table.intercept = undefined;
    const given = (await numbersOf(old)).filter((number) => number !== undefined);
    expect(given).toEqual(Array.from({ length: 25 }, (_, place) => 1 + place));
    await expectRepair({ unnumbered: [{ log: partition, entities: 35 }] });
    const numbers = (await numbersOf(old)) as number[];
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(new Set(numbers).size).toBe(60);
  });

  test('are given once by two runs at the same time', async () => {
    const old = await makeOld(60);
    store.table.faults = { latencyMs: [1, 40] };
    await Promise.all([audit(true), audit(true)]);
    store.table.faults = {};
    expect(new Set(await numbersOf(old)).size).toBe(60);
    const stored = await Promise.all(
      old.map(({ entity }) => readEntity(store.session('a'), 'task', entity.id)),
    );
    expect(stored.filter(({ version }) => version !== 2)).toEqual([]);
  });

  test('are given although another writer changes the entities', async () => {
    const old = await makeOld(3);
    const { id } = (old[1] as StoredEntity).entity;
    let isChanged = false;
    store.table.intercept = ({ operation }) => {
      if (operation !== 'TransactWriteItems' || isChanged) return undefined;
      isChanged = true;
      // The change comes before the transaction, which waits a moment.
      void updateEntity(store.session('a'), { kind: 'task', id }, { name: 'changed' });
      return { requestMs: 1_000 };
    };
    await audit(true);
    expect(await fieldOf('task', id, 'name')).toBe('changed');
    expect(await audit()).toMatchObject(clean);
  });
});

describe('checksums', () => {
  test.each([maxExactKeys, maxExactKeys + 1])(
    'a filter of %i keys knows each, and hardly any other',
    (count) => {
      const filter = new KeyFilter();
      const numbers = Array.from({ length: count }, (_, number) => number);
      for (const number of numbers) filter.add(`key ${number}`);
      const some = numbers.slice(-200);
      expect(some.filter((number) => !filter.has(`key ${number}`))).toEqual([]);
      expect(some.filter((number) => filter.has(`other ${number}`))).toEqual([]);
    },
  );
});

test('a report says that there can be more findings than the audit keeps', () => {
  const malformed = Array.from({ length: maxFindings }, (_, number) => `a#task#${number}`);
  const report: Report = { ...clean, entities: 0, compared: 0, repaired: 0 };
  expect(isLimited({ ...report, malformed: malformed.slice(1) })).toBe(false);
  expect(isLimited({ ...report, malformed })).toBe(true);
  expect(isLimited({ ...report, logs: [{ log: 'a#task#log', ids: malformed }] })).toBe(true);
});

describe('subjects', () => {
  /** Returns the id of the user that the item of a subject names. */
  async function namedBy(subject: string): Promise<string | undefined> {
    const item = await store.database().get(uniqueKey('a', 'user', subject));
    return item && entityOfUniqueValue(item).id;
  }

  const found = (problem: 'missing' | 'shared', ...users: string[]) => {
    const item = uniqueKey('a', 'user', 'one').pk;
    return { subjects: [{ item, problem, users: expect.arrayContaining(users) }] };
  };

  test('whose item is missing get it', async () => {
    const id = await make('user', { subject: 'one' });
    await store.database().deleteItem(uniqueKey('a', 'user', 'one'));
    await expectRepair(found('missing', id));
    expect(await namedBy('one')).toBe(id);
  });

  test('whose item names another user get an item that names their own', async () => {
    const [former, owner] = [await make('user'), await make('user')];
    await put(encodeUniqueValue('a', { kind: 'user', id: former }, 'one'));
    // As in a table that holds a part of a transaction.
    await put({ ...((await store.database().get(entityKey('a', 'user', owner))) as Item), subject: 'one' });
    expect(await audit()).toMatchObject({ ...found('shared', former, owner), repaired: 0 });
    await audit(true);
    expect(await audit()).toMatchObject(clean);
    expect([await fieldOf('user', owner, 'subject'), await namedBy('one')]).toEqual(['one', owner]);
  });
});

describe('texts', () => {
  const long = 'x'.repeat(500);

  const found = (id: string, problem: 'missing' | 'different') => ({
    texts: [{ entity: entityKey('a', 'tag', id).pk, problem }],
  });

  test('that are missing become the beginning, which the entity still shows', async () => {
    const id = await make('tag', { description: long });
    await store.database().deleteItem(textKey('a', 'tag', id));
    await expectRepair(found(id, 'missing'));
    expect(await fieldOf('tag', id, 'description')).toBe(long.slice(0, 100));
  });

  test('that are not those of their entity are given to it', async () => {
    const id = await make('tag', { description: long });
    const text = 'y'.repeat(600);
    await put({ ...textKey('a', 'tag', id), text });
    await expectRepair(found(id, 'different'));
    expect(await fieldOf('tag', id, 'description')).toBe(text);
  });
});
