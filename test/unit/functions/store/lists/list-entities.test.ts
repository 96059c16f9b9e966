import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { type Manifest, manifestNames } from '#functions/store/lists/engine/format/manifest.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { decodePlace, encodePlace } from '#functions/store/lists/place-cursor.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, buildWrite } from '#functions/store/model/changes.ts';
import type { Entity } from '#functions/store/model/entity.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import type { ListQuery, Page } from '#functions/store/model/list-query.ts';
import { Digest } from '#functions/store/model/long-text.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { applyChangeSet, applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import { task } from '#functions/tasks/resource.ts';
import { Random } from '#test/simulation/random.ts';
import { compactAll } from '#test/support/compaction.ts';
import { areValues, isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { plainList, plainOrder } from '#test/support/plain-list.ts';
import { type RandomField, randomQuery } from '#test/support/random-queries.ts';
import { runs } from '#test/support/runs.ts';

/** Compares lists of a collection that needs several reads with an in-memory model. */

const number = runs(3_000, 6_000);

/** Random lists of each test. */
const numRuns = runs(25, 150);

/** Entities for each child of the small parent. */
const perChild = number / 30;
const tenant = randomUUID();
const parents = Array.from(
  { length: 3 },
  () => buildCreate('project', { name: 'p', status: 'active' }, Date.now()).after.entity.id,
);
/** A parent with 30 children. */
const smallParent = buildCreate('project', { name: 's', status: 'active' }, Date.now()).after.entity.id;
const emoji = '😀';

let store: TestStore;
const entities: Entity[] = [];

const any = <Value>(values: readonly Value[], index: number): Value => values[index % values.length] as Value;

/** Returns names with equal beginnings, equal names, and names that are too long for a sort key. */
const nameOf = (index: number): string =>
  index % 100 === 0
    ? `${emoji.repeat(250)}${index % 7}`
    : any(['b', 'a', 'é', '\u0001', 'a\u0000', emoji, '\uffff'], index) + String(index % 90);

beforeAll(async () => {
  store = await startTestStore();
  for (let portion = 0; portion < number; portion += 90) {
    const pieces = Array.from({ length: Math.min(90, number - portion) }, (_, position) => {
      const index = portion + position;
      const change = buildCreate(
        'task',
        {
          name: nameOf(index),
          status: any(['active', 'done', 'planned', 'active'], index),
          priority: any(['none', 'low', 'high'], index * 7),
          projectId: index % perChild === 7 ? smallParent : any([...parents, null], index),
          userId: null,
          dueDate: any([null, '2026-01-01', '2026-05-05'], index * 3),
          tagIds: [],
        },
        Date.now(),
      );
      entities.push(change.after.entity);
      return { changes: [change] };
    });
    await applyInBatches(store.session(tenant), pieces, 90);
    // The last entities stay in the log.
    if (portion % (0.3 * number) === 0.15 * number) await compactAll(store.database(), tenant, 'task');
  }
  // DynamoDB Local takes one to two minutes.
});

afterAll(() => store.stop());

const queries = fc.record({
  filters: fc.record(
    {
      status: fc.constantFrom('active', 'done', 'planned', 'none'),
      priority: fc.constantFrom('none', 'low', 'high'),
      projectId: fc.constantFrom(...parents, smallParent),
      name: fc.constantFrom(nameOf(0), nameOf(100), nameOf(1), nameOf(4), 'a'),
    },
    { requiredKeys: [] },
  ),
  sortBy: fc.constantFrom('createdAt', 'name', 'priority', 'dueDate', 'id', 'status'),
  sortOrder: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.constantFrom(1, 20, 100),
  // The share of the list before the page.
  share: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1.01, noNaN: true })),
});

test('any page of any list matches the model', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async ({ filters, sortBy, sortOrder, limit, share }) => {
      const { ranks, defaults } = task;
      const sort = sortedBy(sortBy, sortOrder);
      const first = listQuery({ filters: areValues(filters), sort, ranks, defaults, limit });
      const query = { ...first, page: 1 + Math.floor((share * plainList(entities, first).total) / limit) };
      const { entities: found, total } = await listEntities(store.session(tenant), 'task', query);
      const expected = plainList(entities, query);
      expect(total).toBe(expected.total);
      expect(found.map(({ id }) => id)).toEqual(expected.entities.map(({ id }) => id));
    }),
    { numRuns },
  );
});

const anyName = (random: Random): string =>
  [...nameOf(random.below(200))].slice(0, 1 + random.below(4)).join('');
const anyId = (random: Random): string => (entities[random.below(number)] as Entity).id;
const anyTime = (random: Random): string => (entities[random.below(number)] as Entity).createdAt;

const fields: Readonly<Record<string, RandomField>> = {
  status: { type: 'text', value: (random) => random.pick(['active', 'done', 'none']), isCounted: true },
  priority: { type: 'enumeration', value: (random) => random.pick(['none', 'low']), isCounted: true },
  projectId: {
    type: 'nullable',
    value: (random) => random.pick([...parents, smallParent, smallParent]),
    isCounted: true,
  },
  dueDate: { type: 'nullable', value: () => '2026-01-01', isCounted: true },
  tagIds: { type: 'array', value: () => smallParent, isCounted: true },
  name: { type: 'text', value: anyName },
  id: { type: 'ordered', value: anyId },
  createdAt: { type: 'ordered', value: anyTime },
};

test('any list, with any operators, orders and counts, matches a plain search', async () => {
  const { ranks, defaults } = task;
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.nat({ max: 3 }), fc.boolean(), async (seed, page, isOfParent) => {
      const random = new Random(seed);
      const any = randomQuery(random, fields, { ranks, defaults, page: page + 1 });
      const ofParent = isValue('projectId', random.pick([smallParent, ...parents]));
      const query = isOfParent ? { ...any, filters: [...any.filters, ofParent] } : any;
      const { entities: found, total, counts } = await listEntities(store.session(tenant), 'task', query);
      const expected = plainList(entities, query);
      expect({ query, total, counts, ids: found.map(({ id }) => id) }).toEqual({
        query,
        total: expected.total,
        counts: expected.counts,
        ids: expected.entities.map(({ id }) => id),
      });
    }),
    { numRuns },
  );
});

test('any list that is read from cursor to cursor has each entity once, in its order', async () => {
  const { ranks, defaults } = task;
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.constantFrom(7, 40, 100), async (seed, limit) => {
      const random = new Random(seed);
      const any = randomQuery(random, fields, { ranks, defaults, page: 1 });
      // Few enough entities for a test.
      const ofParent = isValue('projectId', smallParent);
      const query = {
        ...any,
        limit,
        countBy: [],
        filters: limit < 100 ? [...any.filters, ofParent] : any.filters,
      };
      const expected = plainList(entities, { ...query, limit: number }).entities.slice(0, 5 * limit);
      const ids: string[] = [];
      for (let after: ListQuery['after'] = 'start'; after && ids.length < 5 * limit; ) {
        const page: Page = await listEntities(store.session(tenant), 'task', { ...query, after });
        expect(page.skipped).toBe(ids.length);
        ids.push(...page.entities.map(({ id }) => id));
        after = page.end && decodePlace('task', query, encodePlace('task', query, page.end));
      }
      expect({ query, ids }).toEqual({ query, ids: expected.map(({ id }) => id) });
    }),
    { numRuns },
  );
});

test('a list of a parent with few children, in any order, reads the log and the index of the parent', async () => {
  const filters = [isValue('projectId', smallParent)];
  const query = listQuery({ filters, sort: sortedBy('name'), limit: 100 });
  await listEntities(store.session(tenant), 'task', query);
  const session = store.session(tenant);
  const { entities: found, total } = await listEntities(session, 'task', query);
  const children = entities.filter(({ projectId }) => projectId === smallParent);
  expect([found.length, total]).toEqual([children.length, children.length]);
  expect(children.length).toBe(30);
  expect(session.database.consumption.calls).toBe(2);
  expect(session.database.consumption.readUnits).toBeLessThanOrEqual(5);
});

test('a list of a parent with many children, in another order than that of creation, reads no index', async () => {
  const { database } = store.session(tenant);
  const query = jest.spyOn(database, 'query');
  const filters = [isValue('projectId', parents[0] ?? '')];
  const page = listQuery({ filters, sort: sortedBy('name'), limit: 20 });
  expect((await listEntities({ tenant, database }, 'task', page)).entities).toHaveLength(20);
  expect(query.mock.calls.flatMap(([{ IndexName }]) => IndexName ?? [])).toEqual([]);
  query.mockRestore();
});

describe('a page of one parent, in the order of creation', () => {
  const children = () => entities.filter(({ projectId }) => projectId === smallParent).reverse();
  const filters = [isValue('projectId', smallParent)];
  const query = listQuery({ filters, sort: sortedBy('createdAt', 'desc'), limit: 25, page: 2 });
  const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);

  beforeAll(() => compactAll(store.database(), tenant, 'task'));

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('reads the head of the log and the entities from the index', async () => {
    await listEntities(store.session(tenant), 'task', query);
    const session = store.session(tenant);
    const { entities: found, total } = await listEntities(session, 'task', query);
    expect([idsOf(found), total]).toEqual([idsOf(children().slice(25)), 30]);
    expect(session.database.consumption.calls).toBe(2);
  });

  test.each<[string, (items: Item[]) => Item[], number]>([
    ['lacks an entity', (items) => items.slice(1), 1],
    [
      'has an older version',
      ([first, ...rest]) => [{ ...(first as Item), version: 0, name: 'old' }, ...rest],
      1,
    ],
    [
      'has an entity that left the parent',
      ([first, ...rest]) => [{ ...(first as Item), id: 'x' }, ...rest],
      1,
    ],
    ['has none of them', () => [], 30],
  ])('reads what is missing by key when the index %s', async (_, change, missing) => {
    const session = store.session(tenant);
    const { database } = session;
    const read = database.query.bind(database);
    jest.spyOn(database, 'query').mockImplementation(async (request, start) => {
      const page = await read(request, start);
      return request.IndexName ? { ...page, items: change(page.items) } : page;
    });
    const getMany = jest.spyOn(database, 'getMany');
    const whole = { ...query, limit: 100, page: 1 };
    const { entities: found, total } = await listEntities(session, 'task', whole);
    expect([idsOf(found), total]).toEqual([idsOf(children()), 30]);
    expect(found.map(({ name }) => name)).not.toContain('old');
    const byKey = getMany.mock.calls.flatMap(([keys]) => keys).filter(({ sk }) => sk === 'entity');
    expect(byKey).toHaveLength(missing);
  });
});

test('every page by name continues after the previous page', async () => {
  const byName = plainOrder(entities, sortedBy('name'));
  for (let page = 1; page <= number / 100; page += 7) {
    const query = listQuery({ sort: sortedBy('name'), limit: 100, page });
    const found = await listEntities(store.session(tenant), 'task', query);
    expect(found.entities.map(({ id }) => id)).toEqual(
      byName.slice((page - 1) * 100, page * 100).map(({ id }) => id),
    );
  }
});

test('a list that was read before reads the head of the log and the entities of the page', async () => {
  const query = listQuery({ sort: sortedBy('name') });
  await compactAll(store.database(), tenant, 'task');
  await listEntities(store.session(tenant), 'task', query);
  const session = store.session(tenant);
  await listEntities(session, 'task', query);
  expect(session.database.consumption.calls).toBe(2);
  expect(session.database.consumption.readUnits).toBeLessThanOrEqual(11);
});

test.each<[string, (last: Entity) => Partial<ListQuery>]>([
  ['above an id', ({ id }) => ({ filters: [{ field: 'id', operator: 'gt', values: [id] }] })],
  [
    'since a time',
    ({ createdAt }) => ({ filters: [{ field: 'createdAt', operator: 'gte', values: [createdAt] }] }),
  ],
  ['behind a cursor', ({ id }) => ({ after: { values: [], id } })],
])('a page of 100 entities %s, in the order of creation, comes from the index', async (_, more) => {
  await compactAll(store.database(), tenant, 'task');
  const query = listQuery({ limit: 100, ...more(entities[1_000] as Entity) });
  await listEntities(store.session(tenant), 'task', query);
  const session = store.session(tenant);
  const { entities: found } = await listEntities(session, 'task', query);
  expect(found).toHaveLength(100);
  expect(session.database.consumption.readUnits).toBeLessThanOrEqual(7.5);
});

test('a page behind a cursor, in any order, costs what the page with its number costs', async () => {
  await compactAll(store.database(), tenant, 'task');
  const { ranks } = task;
  const sort = [...sortedBy('priority', 'desc'), ...sortedBy('name'), ...sortedBy('dueDate')];
  const first = listQuery({ sort, ranks, limit: 50, page: 3 });
  const { end } = await listEntities(store.session(tenant), 'task', first);
  const units: number[] = [];
  for (const more of [{ page: 4 }, { page: 4 }, { after: end }, { after: end }]) {
    const session = store.session(tenant);
    await listEntities(session, 'task', { ...first, ...more });
    units.push(session.database.consumption.readUnits);
  }
  expect(units[3]).toBe(units[1]);
});

const listOf = (more: Partial<ListQuery> = {}): ListQuery => listQuery({ sort: sortedBy('name'), ...more });

describe('a list by id', () => {
  const byId = (more: Readonly<Record<string, string>> = {}, others: Partial<ListQuery> = {}) => {
    const { id } = entities[7] as Entity;
    const query = listOf({ filters: areValues({ id, ...more }), defaults: task.defaults, ...others });
    return listEntities(store.session(tenant), 'task', query);
  };

  test('has the entity, whatever other filters it matches', async () => {
    const entity = entities[7] as Entity;
    const found = { entities: [entity], versions: [1], total: 1, skipped: 0, counts: {} };
    expect(await byId()).toEqual(found);
    const { name, status, createdAt, priority } = entity;
    expect(await byId({ name, status, createdAt, priority: String(priority) })).toEqual(found);
  });

  test.each([
    ['name', 'another'],
    ['createdAt', '2026-01-01T00:00:00.000Z'],
    ['tagIds', '01890000-0000-7000-8000-000000000001'],
  ])('is empty when the entity does not match a filter by %s', async (field, value) => {
    expect(await byId({ [field]: value })).toEqual({
      entities: [],
      versions: [],
      total: 0,
      skipped: 0,
      counts: {},
    });
  });

  test('has one page', async () => {
    expect(await byId({}, { page: 2 })).toEqual({
      entities: [],
      versions: [],
      total: 1,
      skipped: 20,
      counts: {},
    });
  });

  test('counts the values of the entity', async () => {
    const { status } = entities[7] as Entity;
    const countBy = ['status', 'tagIds'];
    const counts = { status: [{ value: status, count: 1 }], tagIds: [] };
    expect(await byId({}, { countBy, page: 2 })).toMatchObject({ total: 1, counts });
    expect(await byId({ name: 'another' }, { countBy })).toMatchObject({
      counts: { status: [], tagIds: [] },
    });
  });

  test('is empty for another tenant', async () => {
    const query = listOf({ filters: [isValue('id', (entities[7] as Entity).id)] });
    expect(await listEntities(store.session(randomUUID()), 'task', query)).toEqual({
      entities: [],
      versions: [],
      total: 0,
      skipped: 0,
      counts: {},
    });
  });
});

describe('a list by the list engine', () => {
  const names = (page: Page) => page.entities.map(({ name }) => name);

  /** Creates three tags of a new tenant, whose rows are in columns. */
  async function compactedTags() {
    const session = store.session(randomUUID());
    const changes = ['a', 'b', 'c'].map((name) => buildCreate('tag', { name, status: 'active' }, Date.now()));
    await applyChangeSet(session, { changes });
    await compactAll(session.database, session.tenant, 'tag');
    return { session, changes };
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('reads entities again, consistently, that a replica does not have yet', async () => {
    const { session } = await compactedTags();
    const getMany = session.database.getMany.bind(session.database);
    jest
      .spyOn(session.database, 'getMany')
      .mockImplementation(async (keys, isConsistent) =>
        keys.some(({ pk }) => pk.includes('#tag#0')) && !isConsistent ? [] : getMany(keys, isConsistent),
      );
    const page = await listEntities(session, 'tag', listOf());
    expect([names(page), page.total]).toEqual([['a', 'b', 'c'], 3]);
  });

  test('is read again when an entity is deleted after its row was listed', async () => {
    const { session, changes } = await compactedTags();
    const [, second] = changes;
    const id = second?.after.entity.id ?? '';
    const getMany = session.database.getMany.bind(session.database);
    let isDeleted = false;
    jest.spyOn(session.database, 'getMany').mockImplementation(async (keys, isConsistent) => {
      if (!isDeleted && keys.some(({ pk }) => pk.endsWith(id))) {
        isDeleted = true;
        const item = await store.database().get(entityKey(session.tenant, 'tag', id));
        await applyChangeSet(store.session(session.tenant), {
          changes: [{ before: decodeEntity(item as Item) }],
        });
      }
      return getMany(keys, isConsistent);
    });
    const page = await listEntities(session, 'tag', listOf({ limit: 2 }));
    expect([isDeleted, names(page), page.total]).toEqual([true, ['a', 'c'], 2]);
  });

  test('throws StoreUnavailable when items of the manifest stay missing', async () => {
    const { session } = await compactedTags();
    const log = openLog(session.database, session.tenant, 'tag');
    const { manifest } = await log.readHead(0);
    await log.deleteItems(manifestNames(manifest as Manifest));
    const error = await listEntities(session, 'tag', listOf()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toMatchObject({ cause: { name: 'StaleRead' } });
  });
});

test('a list of a parent is read again when a record became visible later than the margin', async () => {
  const session = store.session(randomUUID());
  const create = (name: string) =>
    buildCreate('task', { name, status: 'active', projectId: smallParent }, Date.now());
  await applyChangeSet(session, { changes: [create('a')] });
  const list = async () => {
    const query = listOf({ filters: [isValue('projectId', smallParent)] });
    return (await listEntities(session, 'task', query)).entities.map(({ name }) => name);
  };
  expect(await list()).toEqual(['a']);
  // A transaction whose stamp is below what this process remembers.
  const late = create('b');
  const stamp = Date.now() - 120_000;
  await session.database.transact([
    buildWrite(session.tenant, late, stamp),
    ...recordWrites(session.tenant, [late], stamp),
  ]);
  const { after } = buildUpdate(late.after, { name: 'c' }, Date.now());
  await applyChangeSet(session, { changes: [{ before: { ...late.after, stamp }, after }] });
  expect(await list()).toEqual(['a', 'c']);
});

test('a list reads long texts only when it is asked for them', async () => {
  const session = store.session(randomUUID());
  const description = 'd'.repeat(1_000);
  const change = buildCreate('task', { name: 'a', status: 'active', description }, Date.now());
  await applyChangeSet(session, { changes: [change] });
  const descriptionOf = async (withTexts: boolean) =>
    (await listEntities(session, 'task', listOf({ withTexts }))).entities[0]?.description;
  expect(await descriptionOf(true)).toBe(description);
  expect(await descriptionOf(false)).toBeInstanceOf(Digest);
});
