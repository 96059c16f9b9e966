import type { Direction } from '#functions/store/model/list-query.ts';
import { plainOrder } from '../../support/plain-list.ts';
import { expectParameter } from '../problem.ts';
import {
  create,
  type Entity,
  identifiers,
  readList,
  resourceOf,
  someLists,
  someResources,
} from '../resources.ts';
import { type Parameters, request, unique, withQuery } from '../service.ts';

/** `sortBy` with several fields, and `sortOrder` with one direction or one for each field. */

/** Returns the ids of entities in an order. */
const sorted = (entities: readonly Entity[], order: readonly (readonly [string, Direction])[]): string[] =>
  plainOrder(
    entities,
    order.map(([field, direction]) => ({ field, direction })),
  ).map(({ id }) => id);

describe.each(someLists)('GET $title', ({ item, open }) => {
  let entities: Entity[];
  let at: (parameters: Parameters) => string;

  beforeAll(async () => {
    const { path, query, fields } = await open();
    at = (parameters) => withQuery(path, { ...query, limit: 100, ...parameters });
    entities = [];
    for (const name of ['b', 'a', 'b', 'A', 'a', 'b', '\u{1F600}', '\uFF5E']) {
      entities.push(await create(item, { ...fields, name }));
    }
    const { full } = resourceOf(item);
    entities.push(await create(item, { ...(await full()), ...fields, name: 'a' }));
  });

  const read = async (parameters: Parameters): Promise<string[]> =>
    identifiers(await readList(at(parameters)));

  test.each([
    [['name', 'asc']],
    [['name', 'desc']],
    [
      ['name', 'asc'],
      ['createdAt', 'desc'],
    ],
    [
      ['name', 'desc'],
      ['createdAt', 'asc'],
    ],
    [
      ['status', 'asc'],
      ['name', 'desc'],
    ],
    [
      ['status', 'desc'],
      ['name', 'asc'],
      ['id', 'desc'],
    ],
    [
      ['name', 'asc'],
      ['status', 'desc'],
      ['updatedAt', 'asc'],
    ],
  ] as const)('sorts by each field in its own direction: %j', async (...order) => {
    const expected = sorted(entities, order);
    const sortBy = order.map(([field]) => field).join(',');
    const sortOrder = order.map(([, direction]) => direction).join(',');
    expect(await read({ sortBy, sortOrder })).toEqual(expected);
    expect(await read({ sort_by: sortBy, sort_order: sortOrder })).toEqual(expected);
  });

  test.each(['asc', 'desc'] as const)('uses one direction for all fields: %s', async (direction) => {
    const order = [
      ['status', direction],
      ['name', direction],
    ] as const;
    expect(await read({ sortBy: 'status,name', sortOrder: direction })).toEqual(sorted(entities, order));
  });

  test('sorts descending by all fields without sortOrder', async () => {
    const order = [
      ['name', 'desc'],
      ['status', 'desc'],
    ] as const;
    expect(await read({ sortBy: 'name,status' })).toEqual(sorted(entities, order));
  });

  test('resolves ties in the direction of the first field', async () => {
    const order = [
      ['status', 'asc'],
      ['name', 'desc'],
    ] as const;
    const ids = await read({ sortBy: 'status,name', sortOrder: 'asc,desc' });
    const twins = entities.filter(({ name, status }) => name === 'b' && status === entities[0]?.status);
    expect(twins.length).toBeGreaterThan(1);
    expect(ids.filter((id) => twins.some((twin) => twin.id === id))).toEqual(twins.map(({ id }) => id));
    expect(ids).toEqual(sorted(entities, order));
  });

  test('divides the order into pages', async () => {
    const query = { sortBy: 'name,createdAt', sortOrder: 'asc,desc' };
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => readList(at({ ...query, limit: 4, page }))),
    );
    expect(pages.flatMap(identifiers)).toEqual(await read(query));
    for (const page of pages) expect(page).toMatchObject({ total: entities.length, totalPages: 3 });
  });

  test.each([
    ['sortBy', { sortBy: 'name,unknown' }],
    ['sortBy', { sortBy: 'name,' }],
    ['sortBy', { sortBy: ',name' }],
    ['sortBy', { sortBy: 'name,status,id,createdAt' }],
    ['sortBy', { sortBy: 'name,tagIds' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,upwards' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,' }],
    ['sortOrder', { sortBy: 'name', sortOrder: 'asc,desc' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,desc,asc' }],
    ['sortOrder', { sortBy: 'name,status,id', sortOrder: 'asc,desc,asc,desc' }],
    ['sortOrder', { sortBy: 'name,status,id', sortOrder: 'asc,desc' }],
    ['sortOrder', { sortOrder: 'asc,desc' }],
  ])('returns 400 with %s for %j', async (parameter, query: Parameters) => {
    expectParameter(await request('GET', at(query)), parameter);
  });
});

test.each(someResources)(
  '$path sorts by three fields of any type',
  async ({ kind, path, full, minimal, scalarFields }) => {
    const name = unique('scope');
    const entities: Entity[] = [];
    for (const body of [await full(), await minimal(), await full(), await minimal()]) {
      entities.push(await create(kind, { ...body, name }));
    }
    const others = scalarFields.filter((field) => field !== 'name');
    for (const [place, field] of others.entries()) {
      const next = others[(place + 1) % others.length] ?? 'id';
      const order = [
        ['name', 'desc'],
        [field, 'asc'],
        [next, 'desc'],
      ] as const;
      const query = { name, sortBy: order.map(([one]) => one).join(','), sortOrder: 'desc,asc,desc' };
      expect([query, identifiers(await readList(withQuery(path, query)))]).toEqual([
        query,
        sorted(entities, order),
      ]);
    }
  },
);

test('sortBy=priority,dueDate sorts by rank, and null is the lowest', async () => {
  const status = unique('s');
  const tasks: Entity[] = [];
  for (const [priority, dueDate] of [
    ['low', '2026-01-02'],
    ['urgent', null],
    ['low', null],
    ['none', '2026-01-01'],
    ['urgent', '2026-01-01'],
  ] as const) {
    tasks.push(await create('task', { status, priority, dueDate }));
  }
  const read = async (sortOrder: string): Promise<number[]> => {
    const list = await readList(withQuery('/v1/tasks', { status, sortBy: 'priority,dueDate', sortOrder }));
    return identifiers(list).map((id) => tasks.findIndex((task) => task.id === id));
  };
  expect(await read('asc')).toEqual([3, 2, 0, 1, 4]);
  expect(await read('desc,asc')).toEqual([1, 4, 2, 0, 3]);
  expect(await read('desc')).toEqual([4, 1, 0, 2, 3]);
});

test.each(['asc', 'desc'])('createdAt ends the order, in its own direction: %s', async (order) => {
  const status = unique('s');
  const names = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];
  const operations = names.map((name) => ({ operation: 'create', body: { name, status } }));
  expect((await request('POST', '/v1/tasks/batch', { body: { operations } })).status).toBe(200);
  const read = async (sortBy: string, sortOrder: string): Promise<string[]> =>
    identifiers(await readList(withQuery('/v1/tasks', { status, sortBy, sortOrder })));
  const byCreation = await read('createdAt', order);
  expect(byCreation).toHaveLength(names.length);
  expect(await read('createdAt,name', `${order},asc`)).toEqual(byCreation);
  expect(await read('status,createdAt,name', `asc,${order},desc`)).toEqual(byCreation);
});
