import { fc } from '../support/fast-check.ts';
import { areValues, listQuery, sortedBy } from '../support/list-queries.ts';
import { plainList, plainOrder, ranks } from '../support/plain-list.ts';
import { runs } from '../support/runs.ts';
import { createMany } from './batches.ts';
import { create, type Entity, identifiers, lists, pathTo, readList, resourceOf } from './resources.ts';
import { inParallel, request, withQuery } from './service.ts';

const fields = [
  'name',
  'status',
  'priority',
  'description',
  'dueDate',
  'userId',
  'createdAt',
  'updatedAt',
  'id',
];

interface Query {
  filters: Record<string, string>;
  sortBy?: string | undefined;
  sortOrder?: 'asc' | 'desc' | undefined;
  limit: number;
  page: number;
}

function select(
  entities: readonly Entity[],
  { filters, sortBy = 'createdAt', sortOrder = 'desc', limit, page }: Query,
) {
  const sort = sortedBy(sortBy, sortOrder);
  const query = listQuery({ filters: areValues(filters), sort, ranks, limit, page });
  const { entities: data, total } = plainList(entities, query);
  return { data, total, page, totalPages: Math.ceil(total / limit) };
}

function asParameters({ filters, sortBy, sortOrder, limit, page }: Query): Record<string, string | number> {
  return { ...filters, ...(sortBy && { sortBy }), ...(sortOrder && { sortOrder }), limit, page };
}

/** Returns filters with values of existing entities. The values are known only after the service created the entities. */
function filtersFrom(entities: readonly Entity[], choices: readonly { field: string; of: number }[]) {
  const pairs = choices.map(({ field, of }) => [field, [entities[of]?.[field]].flat()[0]] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => Boolean(pair[1])));
}

describe('combinations of filters, order and pages', () => {
  let projectId: string;
  let tasks: Entity[];

  beforeAll(async () => {
    projectId = (await create('project')).id;
    const users = [await create('user'), await create('user')].map(({ id }) => id);
    const tags = [await create('tag'), await create('tag')].map(({ id }) => id);
    // Few values, so that most entities share one. Only ties show whether the order is total.
    const pick = <Value>(values: readonly Value[], index: number) => values[index % values.length] as Value;
    const names = ['a', 'B', 'é', '\u{1F600}', '\uFF5E', 'a,b', 'aa'];
    const bodies = Array.from({ length: 42 }, (_, index) => ({
      projectId,
      name: pick(names, index),
      status: pick(['active', 'planned', 'Done'], index),
      priority: pick(['none', 'low', 'medium', 'high', 'urgent'], index),
      description: pick(['', 'text', 'Text'], index >> 1),
      dueDate: pick([null, '2024-02-29', '2025-01-01'], index >> 2),
      userId: pick([null, ...users], index >> 1),
      tagIds: pick([[], tags.slice(0, 1), tags], index),
    }));
    tasks = await createMany('task', bodies);
  });

  test('match the model for any query', async () => {
    const filter = fc.record({ field: fc.constantFrom(...fields, 'tagIds'), of: fc.nat({ max: 41 }) });
    const query = fc.record({
      nested: fc.boolean(),
      filters: fc.array(filter, { maxLength: 3 }),
      sortBy: fc.option(fc.constantFrom(...fields), { nil: undefined }),
      sortOrder: fc.option(fc.constantFrom<'asc' | 'desc'>('asc', 'desc'), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 50 }),
      page: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ nested, filters, ...rest }) => {
        const query = { filters: filtersFrom(tasks, filters), ...rest };
        const scope: Record<string, string> = nested ? {} : { projectId };
        const path = nested ? `${pathTo('project', projectId)}/tasks` : '/v1/tasks';
        const list = await readList(withQuery(path, { ...scope, ...asParameters(query) }));
        expect(list).toMatchObject(select(tasks, query));
      }),
      { numRuns: runs(20, 150) },
    );
  });
});

test('totals count concurrent creations and deletions exactly', async () => {
  const projectId = (await create('project')).id;
  const path = `${pathTo('project', projectId)}/tasks`;
  const tasks = await Promise.all(Array.from({ length: 30 }, () => create('task', { projectId })));
  expect((await readList(path)).total).toBe(30);
  const removed = tasks.slice(0, 10);
  const kept = tasks.slice(10);
  const [, added] = await Promise.all([
    Promise.all(removed.map(({ id }) => request('DELETE', pathTo('task', id)))),
    Promise.all(Array.from({ length: 10 }, () => create('task', { projectId }))),
    Promise.all(kept.map(({ id }) => request('PATCH', pathTo('task', id), { body: { status: 'planned' } }))),
  ]);
  const all = await readList(withQuery(path, { limit: 100 }));
  expect(all.total).toBe(30);
  expect(identifiers(all).sort()).toEqual([...kept, ...added].map(({ id }) => id).sort());
  expect(await readList(withQuery(path, { status: 'planned' }))).toMatchObject({ total: 20 });
  expect(await readList(withQuery(path, { status: 'active' }))).toMatchObject({ total: 10 });
});

const one = (value: Entity[string] | undefined): string => String(Array.isArray(value) ? value[0] : value);

/** Each filter alone, and every pair of filters. */
const combinations = (names: readonly string[]): string[][] =>
  names.flatMap((name, position) => [[name], ...names.slice(position + 1).map((other) => [name, other])]);

describe.each(lists)('$title', ({ item, open }) => {
  test('filters by every pair of id, name, status and references', async () => {
    const { full, references } = resourceOf(item);
    const { path, query, fields } = await open();
    const wanted = await create(item, { ...(await full()), ...fields });
    const other = await create(item, fields);
    const filters = ['id', 'name', 'status', ...references.map(({ field }) => field)];
    await inParallel(combinations(filters), async (names) => {
      const values = Object.fromEntries(names.map((name) => [name, one(wanted[name])]));
      const { data, total } = await readList(withQuery(path, { ...query, ...values }));
      expect(data.map(({ id }) => id)).toContain(wanted.id);
      expect(total).toBeGreaterThanOrEqual(data.length);
      for (const found of data) {
        for (const [name, value] of Object.entries(values)) expect([found[name]].flat()).toContain(value);
      }
      const isOther = names.every((name) => [other[name]].flat().includes(one(wanted[name])));
      expect(data.some(({ id }) => id === other.id)).toBe(isOther);
    });
  });
});

test('a parent with more children than an index serves in any order sorts them by name', async () => {
  const { id: organizationId } = await create('organization');
  const bodies = Array.from({ length: 70 }, (_, number) => ({
    name: `User ${(number * 37) % 70}`,
    organizationId,
  }));
  const expected = [...plainOrder(await createMany('user', bodies), sortedBy('name'))];
  const path = `${pathTo('organization', organizationId)}/users?sortBy=name&sortOrder=asc&limit=100`;
  const list = await readList(path);
  expect([list.total, identifiers(list)]).toEqual([70, identifiers({ data: expected })]);
});
