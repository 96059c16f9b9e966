import type { Direction } from '#functions/engine/model/list-query.ts';
import { plainOrder } from '../../support/plain-list.ts';
import { createMany } from '../batches.ts';
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

  const asPairs = (order: string) => order.split(',').map((part) => part.split(' ') as [string, Direction]);

  test.each([
    'name asc',
    'name asc,createdAt desc',
    'status desc,name asc,id desc',
    'name asc,status desc,updatedAt asc',
  ])('sorts by each field in its own direction: %s', async (text) => {
    const order = asPairs(text);
    const sortBy = order.map(([field]) => field).join(',');
    const sortOrder = order.map(([, direction]) => direction).join(',');
    expect(await read({ sortBy, sortOrder })).toEqual(sorted(entities, order));
    expect(await read({ sort_by: sortBy, sort_order: sortOrder })).toEqual(sorted(entities, order));
  });

  test('uses one direction for all fields, which is descending without sortOrder', async () => {
    const ascending = await read({ sortBy: 'status,name', sortOrder: 'asc' });
    expect(ascending).toEqual(sorted(entities, asPairs('status asc,name asc')));
    expect(await read({ sortBy: 'status,name' })).toEqual(ascending.toReversed());
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

  test.each([
    ['sortBy', { sortBy: ',name' }],
    ['sortBy', { sortBy: 'name,status,id,createdAt' }],
    ['sortBy', { sortBy: 'name,tagIds' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,desc,asc' }],
    ['sortOrder', { sortBy: 'name,status,id', sortOrder: 'asc,desc' }],
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
  // Those of one batch have the same time.
  const created = await createMany(
    'task',
    ['delta', 'alpha', 'echo', 'bravo'].map((name) => ({ name, status })),
  );
  const byId = created.map(({ id }) => id).sort();
  const query = { status, sortBy: 'status,createdAt,name', sortOrder: `asc,${order},desc` };
  const ids = identifiers(await readList(withQuery('/v1/tasks', query)));
  expect(ids).toEqual(order === 'asc' ? byId : byId.reverse());
});
