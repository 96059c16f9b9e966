import { createMany, resultsOf, sendBatch, times } from './batches.ts';
import { expectProblem } from './problem.ts';
import {
  create,
  type Entity,
  entityOf,
  type Kind,
  pathTo,
  read,
  readList,
  resourceOf,
  resources,
  stateOf,
} from './resources.ts';
import { eventually, request, serviceTime, type TestResponse, unique, withQuery } from './service.ts';

/** Deleted entities: the list of them, and how they come back. */

interface DeletedEntity extends Entity {
  deletedAt: string;
}

interface DeletedPage {
  readonly data: readonly DeletedEntity[];
  readonly total: number;
  readonly next: string | null;
  readonly counts?: Readonly<Record<string, readonly object[]>>;
  readonly etags?: readonly string[];
}

/** Reads a page of deleted entities. */
async function deletedPage(query: Record<string, string>, path = '/v1/tasks'): Promise<DeletedPage> {
  const { status, body } = await request('GET', withQuery(`${path}/deleted`, query));
  expect(status).toBe(200);
  return body as DeletedPage;
}

const remove = async (kind: Kind, id: string): Promise<void> => {
  expect((await request('DELETE', pathTo(kind, id))).status).toBe(204);
};

const restore = (kind: Kind, id: string, headers: Record<string, string> = {}): Promise<TestResponse> =>
  request('POST', `${pathTo(kind, id)}/restore`, { headers });

/** Reads the last deleted entities of a kind. Other tests delete some at the same time. */
async function readDeleted(kind: Kind): Promise<readonly DeletedEntity[]> {
  const { status, body } = await request('GET', `${resourceOf(kind).path}/deleted?limit=100`);
  expect(status).toBe(200);
  return (body as { data: DeletedEntity[] }).data;
}

const findDeleted = async (kind: Kind, id: string): Promise<DeletedEntity | undefined> =>
  (await readDeleted(kind)).find((one) => one.id === id);

const status = async (kind: Kind, id: string): Promise<number> =>
  (await request('GET', pathTo(kind, id))).status;

describe.each(resources.map(({ kind }) => kind))('a deleted %s', (kind) => {
  test('is absent for every operation but restore, and comes back as it was', async () => {
    const entity = await create(kind, await resourceOf(kind).full());
    const filter = withQuery(resourceOf(kind).path, { status: entity.status });
    const before = serviceTime();
    await remove(kind, entity.id);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { body: { name: 'x' } } : {};
      expectProblem(await request(method, pathTo(kind, entity.id), body), 404);
    }
    expect(await readList(filter)).toMatchObject({ data: [], total: 0 });
    const deleted = await findDeleted(kind, entity.id);
    const { deletedAt, deletedBy: _, deletedWith, restores, ...fields } = deleted as DeletedEntity;
    expect(fields).toEqual(entity);
    expect([deletedWith, restores]).toEqual([null, 0]);
    // The clocks of the two machines differ by less than a minute.
    expect(Math.abs(Date.parse(deletedAt) - before)).toBeLessThan(60_000);

    const restored = entityOf(await restore(kind, entity.id), 200);
    expect(stateOf(restored)).toEqual(stateOf(entity));
    expect(restored).toMatchObject({ id: entity.id, createdAt: entity.createdAt });
    expect(restored.updatedAt > entity.updatedAt).toBe(true);
    expect(await read(kind, entity.id)).toEqual(restored);
    expect(await readList(filter)).toMatchObject({ data: [restored], total: 1 });
    expect(await findDeleted(kind, entity.id)).toBeUndefined();
  });
});

test.each(['organization', 'project', 'task', 'tag'] as const)(
  'a batch keeps the long description of a %s that it deletes',
  async (kind) => {
    const description = 'x'.repeat(5_000);
    const [changed, deleted] = await createMany(kind, times(2, { description }));
    const operations = [
      { operation: 'update', id: changed?.id ?? '', body: { description: 'short' } },
      { operation: 'delete', id: deleted?.id ?? '' },
    ];
    resultsOf(await sendBatch(kind, operations));
    expect(await read(kind, changed?.id ?? '')).toMatchObject({ description: 'short' });
    expect(entityOf(await restore(kind, deleted?.id ?? ''), 200)).toMatchObject({ description });
  },
);

test('what is not deleted is returned unchanged', async () => {
  const task = await create('task');
  const response = await restore('task', task.id);
  expect(entityOf(response, 200)).toEqual(task);
  expect(await read('task', task.id)).toEqual(task);
  const stale = { 'if-match': `"${task.id.slice(-12)}-7"` };
  expectProblem(await restore('task', task.id, stale), 412);
});

describe('the list of deleted entities', () => {
  test('has the last deleted first, page by page', async () => {
    const status = unique('status');
    const tasks = await createMany('task', times(5, { status }));
    for (const { id } of tasks) await remove('task', id);
    const found: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const path = withQuery('/v1/tasks/deleted', { status, limit: 2, after });
      const { headers, body } = await request('GET', path);
      const page = body as DeletedPage;
      expect([page.total, headers.get('x-total-count')]).toEqual([5, '5']);
      found.push(...page.data.map(({ id }) => id));
      after = page.next;
    }
    expect(found).toEqual(tasks.map(({ id }) => id).reverse());
  });

  test('takes filters, orders, searches, counts and expansions as other lists do', async () => {
    const [status, word] = [unique('status'), unique('word').replace(/[^a-z0-9]/gi, '')];
    const project = await create('project');
    const tasks = await createMany('task', [
      { name: `c ${word}`, status, projectId: project.id, priority: 'low' },
      { name: 'a', status, description: `${'x '.repeat(400)}${word}`, priority: 'high' },
      { name: 'b', status, priority: 'high' },
    ]);
    for (const { id } of tasks) await remove('task', id);
    const names = async (query: Record<string, string>) =>
      (await deletedPage({ status, ...query })).data.map(({ name }) => name);
    expect(await names({ sortBy: 'name' })).toEqual([`c ${word}`, 'b', 'a']);
    expect(await names({ 'name[in]': 'a,b', sortBy: 'deletedAt', sortOrder: 'asc' })).toEqual(['a', 'b']);
    expect(await names({ search: word, sortBy: 'name', sortOrder: 'asc' })).toEqual(['a', `c ${word}`]);
    expect(await names({ 'deletedAt[lt]': '2020-01-01T00:00:00Z' })).toEqual([]);
    // A token names who has deleted them.
    const byWhom = await Promise.all(
      ['true', 'false'].map((isNull) => names({ 'deletedBy[isNull]': isNull })),
    );
    expect(byWhom.map(({ length }) => length).sort()).toEqual([0, 3]);
    const { counts, data } = await deletedPage({
      status,
      countBy: 'priority',
      expand: 'project',
      fields: 'name',
    });
    expect(counts?.['priority']).toEqual([
      { value: 'high', count: 2 },
      { value: 'low', count: 1 },
    ]);
    const [name, id] = [`c ${word}`, tasks[0]?.id];
    expect(data.at(-1)).toEqual({ id, name, project: expect.objectContaining({ id: project.id }) });
  });

  test('shows what was deleted itself, with the number of what comes back, and the parts of a deletion on request', async () => {
    const organization = await create('organization');
    const project = await create('project', { name: 'x', organizationId: organization.id });
    const [top] = await createMany('task', times(3, { projectId: project.id }));
    const below = await create('task', { name: 'x', parentId: top?.id ?? '' });
    await remove('organization', organization.id);
    const path = resourceOf('organization').path;
    const found = (await deletedPage({ id: organization.id }, path)).data;
    expect(found).toMatchObject([{ id: organization.id, deletedWith: null, restores: 5 }]);
    expect(await deletedPage({ projectId: project.id })).toMatchObject({ data: [], total: 0 });
    const parts = await deletedPage({ deletedWith: organization.id, sortBy: 'id', sortOrder: 'asc' });
    expect(parts.total).toBe(4);
    expect(parts.data.at(-1)).toMatchObject({ id: below.id, deletedWith: organization.id, restores: 0 });
    entityOf(await restore('organization', organization.id), 200);
    expect(await deletedPage({ deletedWith: organization.id })).toMatchObject({ total: 0 });
  });

  test('gives the tag of the version before the deletion, which a restore takes', async () => {
    const { id } = await create('task');
    await remove('task', id);
    const { etags = [] } = await deletedPage({ id, etags: 'true' });
    entityOf(await restore('task', id, { 'if-match': String(etags[0]) }), 200);
  });

  test('refuses parameters that it does not have, and cursors that are not its own', async () => {
    const { id } = await create('task');
    await remove('task', id);
    const [first, second] = [await create('task'), await create('task')];
    const { body } = await request('GET', '/v1/tasks?limit=1&after=');
    expect(second.id > first.id).toBe(true);
    for (const [query, parameter] of [
      ['changesCursor=true', 'changesCursor'],
      ['restores=1', 'restores'],
      ['sortBy=restores', 'sortBy'],
      ['deletedAt[gt]=yesterday', 'deletedAt[gt]'],
      ['limit=0', 'limit'],
      ['after=x', 'after'],
      // One of a service before lists of deleted entities were lists.
      ['after=AUzBjRAkOGuCAZCRj6eYZgAAAA', 'after'],
      [`after=${(body as DeletedPage).next}`, 'after'],
    ] as const) {
      const problem = expectProblem(await request('GET', `/v1/tasks/deleted?${query}`), 400);
      expect(problem.errors).toEqual([expect.objectContaining({ parameter })]);
    }
  });
});

describe('conditions and keys', () => {
  test('If-Match takes the version before the deletion', async () => {
    const { id } = await create('task');
    const etag = (version: number) => ({ 'if-match': `"${id.slice(-12)}-${version}"` });
    await request('PATCH', pathTo('task', id), { body: { name: 'changed' } });
    await remove('task', id);
    for (const version of [1, 3, 4]) expectProblem(await restore('task', id, etag(version)), 412);
    entityOf(await restore('task', id, etag(2)), 200);
    expectProblem(await restore('task', id, etag(2)), 412);
  });

  test('a repeated request with a key has no second effect', async () => {
    const { id } = await create('organization');
    const headers = { 'idempotency-key': unique('key') };
    await remove('organization', id);
    const first = await restore('organization', id, headers);
    await remove('organization', id);
    const second = await restore('organization', id, headers);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await status('organization', id)).toBe(404);
  });
});

describe('references', () => {
  test('to entities that do not exist any more are removed', async () => {
    const [tag, other] = [await create('tag'), await create('tag')];
    const user = await create('user');
    const { id } = await create('task', { name: 'x', userId: user.id, tagIds: [tag.id, other.id] });
    await remove('task', id);
    await remove('tag', tag.id);
    await remove('user', user.id);
    expect(entityOf(await restore('task', id), 200)).toMatchObject({ userId: null, tagIds: [other.id] });
    entityOf(await restore('user', user.id), 200);
    await remove('task', id);
    expect(entityOf(await restore('task', id), 200)).toMatchObject({ userId: null });
  });

  test('a project cannot be restored without its organization, and can be with it', async () => {
    const organization = await create('organization');
    const project = await create('project', { name: 'x', organizationId: organization.id });
    await remove('project', project.id);
    await remove('organization', organization.id);
    const { errors } = expectProblem(await restore('project', project.id), 409);
    expect(errors).toEqual([expect.objectContaining({ pointer: '/organizationId' })]);
    entityOf(await restore('organization', organization.id), 200);
    // It was deleted before, by another request.
    expect(await status('project', project.id)).toBe(404);
    entityOf(await restore('project', project.id), 200);
  });

  test('that a deletion has removed from others do not come back', async () => {
    const tag = await create('tag');
    const { id } = await create('task', { name: 'x', tagIds: [tag.id] });
    await remove('tag', tag.id);
    entityOf(await restore('tag', tag.id), 200);
    expect(await read('task', id)).toMatchObject({ tagIds: [] });
  });
});

describe('an id of the caller', () => {
  test('that a deleted entity has is refused, and the response names the operation that brings it back', async () => {
    const { id } = await create('task');
    await remove('task', id);
    const headers = { 'if-none-match': '*' };
    const put = await request('PUT', pathTo('task', id), { headers, body: { name: 'x' } });
    expect(expectProblem(put, 412).detail).toContain('restore');
    const batch = await sendBatch('task', [{ operation: 'create', id, body: { name: 'x' } }]);
    expect(expectProblem(batch, 412).detail).toContain('restore');
    expect(entityOf(await restore('task', id), 200)).toMatchObject({ id });
  });
});

describe('a subject', () => {
  test('that another user has meanwhile is a 409', async () => {
    const subject = unique('subject');
    const { id } = await create('user', { name: 'x', subject });
    await remove('user', id);
    await create('user', { name: 'x', subject });
    const { errors } = expectProblem(await restore('user', id), 409);
    expect(errors).toEqual([expect.objectContaining({ pointer: '/subject' })]);
    expect(await status('user', id)).toBe(404);
  });
});

describe('what a deletion has removed besides', () => {
  test('comes back with it, and nothing else', async () => {
    const organization = await create('organization');
    const project = await create('project', { name: 'x', organizationId: organization.id });
    const [task, earlier] = await createMany('task', times(2, { projectId: project.id }));
    await remove('task', earlier?.id ?? '');
    await remove('organization', organization.id);
    expect(await status('task', task?.id ?? '')).toBe(404);
    entityOf(await restore('organization', organization.id), 200);
    expect(stateOf(await read('project', project.id))).toEqual(stateOf(project));
    expect(await read('task', task?.id ?? '')).toMatchObject({ projectId: project.id });
    expect(await status('task', earlier?.id ?? '')).toBe(404);
    const nested = `${pathTo('project', project.id)}/tasks`;
    expect(await readList(nested)).toMatchObject({ total: 1 });
  });
});

test.each([45, 46])('a project comes back with %i tasks, in one transaction up to 45', async (count) => {
  const { id } = await create('project');
  await createMany('task', times(count, { projectId: id }));
  await remove('project', id);
  entityOf(await restore('project', id), 200);
  const total = async () => (await readList(`/v1/projects/${id}/tasks`)).total;
  if (count <= 45) expect(await total()).toBe(count);
  await eventually(async () => expect(await total()).toBe(count));
});

describe('a part of a deletion', () => {
  const parentOf = async (id: string) => (await read('task', id))['parentId'];

  /** Creates a tree of tasks, each below the one before. */
  async function makeChain(count: number, fields: object = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let level = 0; level < count; level += 1) {
      const { id } = await create('task', { name: 'x', ...fields, parentId: ids.at(-1) ?? null });
      ids.push(id);
    }
    return ids;
  }

  test('comes back with what is below it, and gets its reference again with what is above it', async () => {
    const [top = '', middle = '', bottom = ''] = await makeChain(3);
    await remove('task', top);
    expect(entityOf(await restore('task', middle), 200)).toMatchObject({ parentId: null });
    expect(await parentOf(bottom)).toBe(middle);
    expect(await status('task', top)).toBe(404);
    entityOf(await restore('task', top), 200);
    expect(await parentOf(middle)).toBe(top);
    expect((await readList(`/v1/tasks/${top}/tasks`)).data).toMatchObject([{ id: middle }]);
  });

  test('gets all its references again when what they name comes back at once', async () => {
    const project = await create('project');
    const [top = '', below = ''] = await makeChain(2, { projectId: project.id });
    await remove('project', project.id);
    entityOf(await restore('task', below), 200);
    entityOf(await restore('project', project.id), 200);
    expect(await read('task', below)).toMatchObject({ projectId: project.id, parentId: top });
  });

  test('shows and finds no reference to what is still deleted', async () => {
    const project = await create('project');
    const [task = ''] = await makeChain(1, { projectId: project.id });
    await remove('project', project.id);
    entityOf(await restore('task', task), 200);
    const { body } = await request('GET', `/v1/tasks/${task}?expand=project`);
    expect(body).toMatchObject({ projectId: null, project: null });
    expect((await readList(`/v1/projects/${project.id}/tasks`)).total).toBe(0);
    expect((await readList(withQuery('/v1/tasks', { id: task, 'projectId[isNull]': 'true' }))).total).toBe(1);
    const history = (await request('GET', `/v1/tasks/${task}/changes`)).text;
    expect(history).not.toContain('$');
    entityOf(await restore('project', project.id), 200);
    expect((await readList(`/v1/projects/${project.id}/tasks`)).data).toMatchObject([{ id: task }]);
  });

  test('keeps what a caller has set since, and what it had is forgotten', async () => {
    const [top = '', middle = ''] = await makeChain(2);
    const [other = ''] = await makeChain(1);
    await remove('task', top);
    entityOf(await restore('task', middle), 200);
    for (const parentId of [other, null])
      entityOf(await request('PATCH', pathTo('task', middle), { body: { parentId } }), 200);
    entityOf(await restore('task', top), 200);
    expect(await parentOf(middle)).toBeNull();
  });

  test('keeps its reference while it is changed, replaced, deleted and restored', async () => {
    const [top = '', middle = ''] = await makeChain(2);
    await remove('task', top);
    const restored = entityOf(await restore('task', middle), 200);
    entityOf(await request('PUT', pathTo('task', middle), { body: { ...restored, name: 'y' } }), 200);
    await remove('task', middle);
    entityOf(await restore('task', middle), 200);
    entityOf(await restore('task', top), 200);
    expect(await read('task', middle)).toMatchObject({ name: 'y', parentId: top });
  });
});
