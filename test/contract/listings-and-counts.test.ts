import { fc } from '../support/fast-check.ts';
import { areValues, listQuery, sortedBy } from '../support/list-queries.ts';
import { plainList, ranks } from '../support/plain-list.ts';
import { runs } from '../support/runs.ts';
import { create, type Entity, entityOf, identifiers, pathTo, readList } from './resources.ts';
import { inParallel, type JsonObject, request, unique, withQuery } from './service.ts';

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
    tasks = await inParallel(Array.from({ length: 42 }), (_, index) =>
      create('task', {
        projectId,
        name: pick(names, index),
        status: pick(['active', 'planned', 'Done'], index),
        priority: pick(['none', 'low', 'medium', 'high', 'urgent'], index),
        description: pick(['', 'text', 'Text'], index >> 1),
        dueDate: pick([null, '2024-02-29', '2025-01-01'], index >> 2),
        userId: pick([null, ...users], index >> 1),
        tagIds: pick([[], tags.slice(0, 1), tags], index),
      }),
    );
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

interface Step {
  action: 'create' | 'delete' | 'move' | 'status' | 'rename';
  task: number;
  project: number;
  status: 'active' | 'planned';
}

const step: fc.Arbitrary<Step> = fc.record({
  // Listed twice, so that later steps have entities to change.
  action: fc.constantFrom('create', 'create', 'delete', 'move', 'status', 'rename'),
  task: fc.nat({ max: 20 }),
  project: fc.nat({ max: 2 }),
  status: fc.constantFrom('active', 'planned'),
});

/** Tasks with one name, in two projects or in none, as the service must return them. */
interface Model {
  name: string;
  projects: readonly [string, string, null];
  tasks: Entity[];
}

async function apply({ action, task, project, status }: Step, model: Model): Promise<void> {
  const projectId = model.projects[project] ?? null;
  if (action === 'create') {
    model.tasks.push(await create('task', { name: model.name, projectId, status }));
    return;
  }
  const index = task % Math.max(1, model.tasks.length);
  const target = model.tasks[index];
  if (!target) return;
  if (action === 'delete') {
    expect((await request('DELETE', pathTo('task', target.id))).status).toBe(204);
    model.tasks.splice(index, 1);
    return;
  }
  const changes: Record<typeof action, JsonObject> = {
    move: { projectId },
    status: { status },
    rename: { description: unique('d') },
  };
  const response = await request('PATCH', pathTo('task', target.id), { body: changes[action] });
  model.tasks[index] = entityOf(response, 200);
}

async function expectLists({ name, projects, tasks }: Model, filters: Record<string, string>): Promise<void> {
  const everything = { filters, limit: 100, page: 1 };
  const named = await readList(withQuery('/v1/tasks', { name, ...asParameters(everything) }));
  expect(named).toMatchObject(select(tasks, everything));
  for (const projectId of projects.slice(0, 2)) {
    const paged = { filters, limit: 2, page: 2 };
    const fields = tasks.filter((task) => task.projectId === projectId);
    const list = await readList(
      withQuery(`${pathTo('project', projectId ?? '')}/tasks`, asParameters(paged)),
    );
    expect(list).toMatchObject(select(fields, paged));
  }
}

describe('lists and totals after any sequence of writes', () => {
  test('match the model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
        const projects = [(await create('project')).id, (await create('project')).id, null] as const;
        const model: Model = { name: unique('model'), projects, tasks: [] };
        for (const next of steps) await apply(next, model);
        for (const filters of [{}, { status: 'active' }, { status: 'planned' }])
          await expectLists(model, filters);
      }),
      { numRuns: runs(5, 15) },
    );
  });

  test('count concurrent creations and deletions exactly', async () => {
    const projectId = (await create('project')).id;
    const path = `${pathTo('project', projectId)}/tasks`;
    const tasks = await Promise.all(Array.from({ length: 30 }, () => create('task', { projectId })));
    expect((await readList(path)).total).toBe(30);
    const removed = tasks.slice(0, 10);
    const kept = tasks.slice(10);
    const [, added] = await Promise.all([
      Promise.all(removed.map(({ id }) => request('DELETE', pathTo('task', id)))),
      Promise.all(Array.from({ length: 10 }, () => create('task', { projectId }))),
      Promise.all(
        kept.map(({ id }) => request('PATCH', pathTo('task', id), { body: { status: 'planned' } })),
      ),
    ]);
    const all = await readList(withQuery(path, { limit: 100 }));
    expect(all.total).toBe(30);
    expect(identifiers(all).sort()).toEqual([...kept, ...added].map(({ id }) => id).sort());
    expect(await readList(withQuery(path, { status: 'planned' }))).toMatchObject({ total: 20 });
    expect(await readList(withQuery(path, { status: 'active' }))).toMatchObject({ total: 10 });
  });
});
