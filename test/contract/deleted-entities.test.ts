import { v7 as uuidv7 } from 'uuid';
import { encodeDeletedPlace } from '#functions/engine/lists/deleted-cursor.ts';
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
import { request, serviceTime, type TestResponse, unique, withQuery } from './service.ts';

/** Deleted entities: the list of them, and how they come back. */

interface DeletedEntity extends Entity {
  deletedAt: string;
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
    const before = new Date().toISOString();
    await remove(kind, entity.id);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { body: { name: 'x' } } : {};
      expectProblem(await request(method, pathTo(kind, entity.id), body), 404);
    }
    expect(await readList(filter)).toMatchObject({ data: [], total: 0 });
    const deleted = await findDeleted(kind, entity.id);
    const { deletedAt, deletedBy: _, ...fields } = deleted as DeletedEntity;
    expect(fields).toEqual(entity);
    // The clocks of the two machines differ by less than a minute.
    expect(Math.abs(Date.parse(deletedAt) - Date.parse(before))).toBeLessThan(60_000);

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
    const tasks = await createMany('task', times(5));
    for (const { id } of tasks) await remove('task', id);
    const found: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 200; page += 1) {
      const path = withQuery('/v1/tasks/deleted', { limit: 2, after: cursor });
      const { body } = await request('GET', path);
      const { data, cursor: next } = body as { data: DeletedEntity[]; cursor: string | null };
      expect(data.length).toBeLessThanOrEqual(2);
      found.push(...data.map(({ id }) => id));
      cursor = next;
      if (found.includes(tasks[0]?.id ?? '')) break;
    }
    expect(new Set(found).size).toBe(found.length);
    const own = new Set(tasks.map(({ id }) => id));
    expect(found.filter((id) => own.has(id))).toEqual(tasks.map(({ id }) => id).reverse());
  });

  test('refuses other parameters, and cursors that are not its own', async () => {
    for (const [query, parameter] of [
      ['status=active', 'status'],
      ['page=2', 'page'],
      ['fields=id', 'fields'],
      ['limit=0', 'limit'],
      ['after=x', 'after'],
      ['after=AUzBjRAkOGuCAZCRj6eYZgAAAA', 'after'],
    ] as const) {
      const problem = expectProblem(await request('GET', `/v1/tasks/deleted?${query}`), 400);
      expect(problem.errors).toEqual([expect.objectContaining({ parameter })]);
    }
  });

  test('ends at a cursor whose entities have expired meanwhile', async () => {
    const place = { deletedAt: serviceTime() - 31 * 86_400_000, rootId: uuidv7(), id: uuidv7() };
    const path = withQuery('/v1/tags/deleted', { after: encodeDeletedPlace('tag', place) });
    const { status, body } = await request('GET', path);
    expect([status, body]).toEqual([200, { data: [], cursor: null }]);
  });

  test('gives cursors that another collection refuses', async () => {
    for (const { id } of await createMany('task', times(2))) await remove('task', id);
    const { body } = await request('GET', '/v1/tasks/deleted?limit=1');
    const { cursor } = body as { cursor: string };
    expectProblem(await request('GET', withQuery('/v1/tags/deleted', { after: cursor })), 400);
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

  test('a task comes back without its project', async () => {
    const project = await create('project');
    const task = await create('task', { name: 'x', projectId: project.id });
    await remove('project', project.id);
    expect(entityOf(await restore('task', task.id), 200)).toMatchObject({ projectId: null });
    entityOf(await restore('project', project.id), 200);
    expect(await read('task', task.id)).toMatchObject({ projectId: null });
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
