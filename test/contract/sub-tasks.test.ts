import { createMany, resultsOf, sendBatch } from './batches.ts';
import { expectProblem, pointers } from './problem.ts';
import { create, type Entity, entityOf, identifiers, pathTo, read, readList } from './resources.ts';
import { eventually, ownId, request, type TestResponse, unique, withQuery } from './service.ts';

/** Tasks that are parts of other tasks: `parentId`. Trees have at most ten levels and no cycle. */

const maxLevels = 10;

/** Creates tasks below each other. Returns their ids, from the top. */
async function createChain(levels: number, parentId: string | null = null): Promise<string[]> {
  const ids = Array.from({ length: levels }, () => ownId());
  const operations = ids.map((id, level) => ({
    operation: 'create',
    id,
    body: { name: unique('Level'), parentId: ids[level - 1] ?? parentId },
  }));
  resultsOf(await sendBatch('task', operations));
  return ids;
}

const at = (ids: readonly string[], level: number): string => ids.at(level) as string;

const move = (id: string, parentId: string | null): Promise<TestResponse> =>
  request('PATCH', pathTo('task', id), { body: { parentId } });

function expectRefused(response: TestResponse, detail: RegExp): void {
  expect(expectProblem(response, 400).errors).toEqual([
    { pointer: '/parentId', detail: expect.stringMatching(detail) },
  ]);
}

const remove = (id: string): Promise<TestResponse> => request('DELETE', pathTo('task', id));

const restore = (id: string): Promise<TestResponse> => request('POST', `${pathTo('task', id)}/restore`);

const status = async (id: string): Promise<number> => (await request('GET', pathTo('task', id))).status;

const parentOf = async (id: string): Promise<string | null> =>
  (await read('task', id))['parentId'] as string | null;

describe('the levels of a tree', () => {
  test('are ten at most, when a task is created', async () => {
    const chain = await createChain(maxLevels);
    const body = { name: 'Too deep', parentId: at(chain, -1) };
    expectRefused(await request('POST', '/v1/tasks', { body }), /more than 10 levels/);
    const headers = { 'if-none-match': '*' };
    const made = await request('PUT', pathTo('task', ownId()), { body, headers });
    expectRefused(made, /more than 10 levels/);
    expect(await readList(`${pathTo('task', at(chain, -1))}/tasks`)).toMatchObject({ total: 0 });
  });

  test('are counted with those below a task that moves', async () => {
    const [upper, lower] = [await createChain(6), await createChain(5)];
    expectRefused(await move(at(lower, 0), at(upper, -1)), /more than 10 levels/);
    expect(await parentOf(at(lower, 0))).toBeNull();
    expect((await move(at(lower, 1), at(upper, -1))).status).toBe(200);
    expect((await move(at(upper, 0), at(lower, 0))).status).toBe(400);
  });

  test('do not matter to other changes, and to a parent that stays', async () => {
    const chain = await createChain(maxLevels);
    const { updatedAt: _, ...body } = await read('task', at(chain, -1));
    expect(
      (await request('PUT', pathTo('task', at(chain, -1)), { body: { ...body, name: 'x' } })).status,
    ).toBe(200);
    expect((await move(at(chain, 5), null)).status).toBe(200);
  });
});

describe('a cycle', () => {
  test.each([0, 1, 5])('is refused, %i levels below', async (levels) => {
    const chain = await createChain(levels + 1);
    expectRefused(await move(at(chain, 0), at(chain, levels)), /would be below itself/);
    expect(await parentOf(at(chain, 0))).toBeNull();
  });

  test('is refused that the operations of a batch make together', async () => {
    const [one, other] = await createMany('task', [{}, {}]);
    const operations = [
      { operation: 'update', id: one?.id ?? '', body: { parentId: other?.id ?? '' } },
      { operation: 'update', id: other?.id ?? '', body: { parentId: one?.id ?? '' } },
    ];
    const problem = expectProblem(await sendBatch('task', operations), 400);
    expect(pointers(problem)).toEqual(['/operations/0/body/parentId', '/operations/1/body/parentId']);
  });

  test('is not one when a batch turns two levels round', async () => {
    const [upper, lower] = (await createChain(2)) as [string, string];
    const operations = [
      { operation: 'update', id: upper, body: { parentId: lower } },
      { operation: 'update', id: lower, body: { parentId: null } },
    ];
    resultsOf(await sendBatch('task', operations));
    expect([await parentOf(upper), await parentOf(lower)]).toEqual([lower, null]);
  });
});

describe('a batch', () => {
  test('creates a task and its sub-tasks in any order, and counts the levels that it makes', async () => {
    const [parent, child] = [ownId(), ownId()];
    const operations = [
      { operation: 'create', id: child, body: { name: 'Child', parentId: parent } },
      { operation: 'create', id: parent, body: { name: 'Parent' } },
    ];
    resultsOf(await sendBatch('task', operations));
    expect(await parentOf(child)).toBe(parent);
    const chain = await createChain(9);
    const more = [
      { operation: 'update', id: parent, body: { parentId: at(chain, -1) } },
      { operation: 'create', body: { name: 'Below', parentId: at(chain, -1) } },
    ];
    const problem = expectProblem(await sendBatch('task', more), 400);
    expect(pointers(problem)).toEqual(['/operations/0/body/parentId']);
    const moved = { operation: 'update', id: child, body: { parentId: null } };
    resultsOf(await sendBatch('task', [moved, ...more]));
  });

  test('creates a task and moves a tree below it, which counts', async () => {
    const [tree, deep] = [await createChain(9), await createChain(10)];
    const moveBelowNew = (id: string) => {
      const parent = ownId();
      return sendBatch('task', [
        { operation: 'create', id: parent, body: { name: 'Parent' } },
        { operation: 'update', id, body: { parentId: parent } },
      ]);
    };
    resultsOf(await moveBelowNew(at(tree, 0)));
    expect(await parentOf(at(tree, 0))).not.toBeNull();
    const problem = expectProblem(await moveBelowNew(at(deep, 0)), 400);
    expect(pointers(problem)).toEqual(['/operations/1/body/parentId']);
  });

  test('deletes a task and its sub-tasks, and nothing else of what is below the task', async () => {
    const chain = await createChain(4);
    const deletions = [at(chain, 0), at(chain, 2)].map((id) => ({ operation: 'delete', id }));
    const change = { operation: 'update', id: at(chain, 3), body: { name: 'Renamed' } };
    const problem = expectProblem(await sendBatch('task', [...deletions, change]), 400);
    expect(pointers(problem)).toEqual(['/operations/2/body/parentId']);
    const away = { operation: 'update', id: at(chain, 1), body: { parentId: null } };
    expectProblem(await sendBatch('task', [...deletions, away]), 400);
    const below = { operation: 'create', body: { name: 'Late', parentId: at(chain, 1) } };
    expectProblem(await sendBatch('task', [...deletions, below]), 400);
    expect(await status(at(chain, 0))).toBe(200);
    const results = resultsOf(await sendBatch('task', deletions));
    expect(results.map((one) => one.status)).toEqual([204, 204]);
    for (const id of chain) expect(await status(id)).toBe(404);
  });
});

describe('a deletion', () => {
  test('deletes what is below a task, and a restore brings it back', async () => {
    const chain = await createChain(maxLevels);
    const [sibling] = await createMany('task', [{ parentId: at(chain, 3) }]);
    expect((await remove(at(chain, 2))).status).toBe(204);
    const below = [...chain.slice(2), sibling?.id ?? ''];
    for (const id of below) expect(await status(id)).toBe(404);
    expect(await status(at(chain, 1))).toBe(200);
    entityOf(await restore(at(chain, 2)), 200);
    for (const id of below) expect(await status(id)).toBe(200);
    expect(await parentOf(at(chain, 9))).toBe(at(chain, 8));
    expect(await parentOf(at(chain, 2))).toBe(at(chain, 1));
  });

  test('deletes 130 sub-tasks of two levels after the response, and a restore brings them back', async () => {
    const { id } = await create('task');
    const middle = await createMany(
      'task',
      Array.from({ length: 10 }, () => ({ parentId: id })),
    );
    await createMany(
      'task',
      Array.from({ length: 120 }, (_, place) => ({ parentId: middle[place % 10]?.id ?? '' })),
    );
    const below = async () => [
      (await readList(`${pathTo('task', id)}/tasks`)).total,
      (await readList(withQuery('/v1/tasks', { 'parentId[in]': identifiers({ data: middle }).join(',') })))
        .total,
    ];
    expect(await below()).toEqual([10, 120]);
    expect((await remove(id)).status).toBe(204);
    await eventually(async () => expect(await below()).toEqual([0, 0]));
    entityOf(await restore(id), 200);
    await eventually(async () => expect(await below()).toEqual([10, 120]));
  });

  test('of a parent that is not restored leaves the restored task without one', async () => {
    const [parent, child] = (await createChain(2)) as [string, string];
    await remove(child);
    await remove(parent);
    expect(entityOf(await restore(child), 200)['parentId']).toBeNull();
  });

  test('is restored whatever the levels are then', async () => {
    const [upper, lower] = [await createChain(5), await createChain(5)];
    await move(at(lower, 0), at(upper, -1));
    await remove(at(lower, 0));
    const above = await createChain(5);
    expect((await move(at(upper, 0), at(above, -1))).status).toBe(200);
    entityOf(await restore(at(lower, 0)), 200);
    expect(await parentOf(at(lower, 0))).toBe(at(upper, -1));
  });

  test('of a project deletes sub-tasks that belong to no project', async () => {
    const projectId = (await create('project')).id;
    const [parent, child, grandchild] = (await createChain(3)) as [string, string, string];
    for (const id of [parent, grandchild])
      await request('PATCH', pathTo('task', id), { body: { projectId } });
    expect((await read('task', child))['projectId']).toBeNull();
    await request('DELETE', pathTo('project', projectId));
    for (const id of [child, grandchild]) expect(await status(id)).toBe(404);
    await request('POST', `${pathTo('project', projectId)}/restore`);
    expect([await parentOf(child), await parentOf(grandchild)]).toEqual([parent, child]);
  });
});

describe('a clone of a project', () => {
  const tasksOf = async (projectId: string): Promise<Entity[]> => {
    const list = `${pathTo('project', projectId)}/tasks`;
    const pages = [1, 2].map((page) =>
      readList(withQuery(list, { limit: 100, page, sortBy: 'id', sortOrder: 'asc' })),
    );
    return (await Promise.all(pages)).flatMap(({ data }) => data);
  };

  /** Returns the tasks with the names of their parents, in the order of their creation. */
  async function shape(projectId: string): Promise<[string, string | null][]> {
    const tasks = await tasksOf(projectId);
    const names = new Map(tasks.map(({ id, name }) => [id, name]));
    return tasks.map((task): [string, string | null] => {
      const parentId = task['parentId'] as string | null;
      return [task.name, parentId === null ? null : (names.get(parentId) ?? parentId)];
    });
  }

  /** A project whose sub-tasks are older than their parents, beside some of other projects. */
  async function createTree(more: number) {
    const projectId = (await create('project')).id;
    const outside = await create('task', { projectId: (await create('project')).id });
    const bodies = [
      { name: 'leaf' },
      { name: 'leaf 2' },
      { name: 'middle' },
      { name: 'top' },
      { name: 'below another project', parentId: outside.id },
      ...Array.from({ length: more }, (_, place) => ({ name: `more ${place}` })),
    ];
    const [leaf, second, middle, top, , ...others] = identifiers({
      data: await createMany(
        'task',
        bodies.map((body) => ({ ...body, projectId })),
      ),
    }) as [string, string, string, string, ...string[]];
    for (const [id, parentId] of [
      [leaf, middle],
      [second, middle],
      [middle, top],
      ...others.map((id, place) => [id, place % 3 === 0 ? top : (others[place - 1] as string)] as const),
    ] as const)
      expect((await move(id, parentId)).status).toBe(200);
    // It belongs to no project, so it is not copied.
    await create('task', { name: 'no project', parentId: top });
    return { projectId, outside: outside.id };
  }

  test.each([0, 120])('has the same trees, with %i more tasks', async (more) => {
    const { projectId, outside } = await createTree(more);
    const clone = entityOf(await request('POST', `${pathTo('project', projectId)}/clone`), 201);
    const expected = await shape(projectId);
    expect(expected).toContainEqual(['leaf', 'middle']);
    expect(expected).toContainEqual(['below another project', outside]);
    await eventually(async () => {
      const copied = await shape(clone.id);
      // A job copies parents first.
      expect(more > 0 ? copied.sort() : copied).toEqual(more > 0 ? expected.sort() : expected);
    });
    const ids = identifiers({ data: await tasksOf(projectId) });
    for (const { parentId } of await tasksOf(clone.id)) expect(ids).not.toContain(parentId);
  });
});

test('a nested list has the sub-tasks of one level, and expand shows the parent', async () => {
  const chain = await createChain(3);
  const { data } = await readList(`${pathTo('task', at(chain, 0))}/tasks?expand=parent`);
  expect(identifiers({ data })).toEqual([at(chain, 1)]);
  expect(data[0]).toMatchObject({ parentId: at(chain, 0), parent: { id: at(chain, 0), parentId: null } });
});
