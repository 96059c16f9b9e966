import { expectParameter } from './problem.ts';
import { create, type Entity, type Kind, pathTo, resourceOf, resources } from './resources.ts';
import { type Parameters, request, type TestResponse, withQuery } from './service.ts';

/** `GET /v1/{collection}/changes`: a copy of a list that is kept up to date. */

interface Changes {
  readonly data: readonly Entity[];
  readonly removed: readonly string[];
  readonly cursor: string;
  readonly hasMore: boolean;
  readonly etags?: readonly string[];
}

/** The reference of each kind whose children are found together. */
const parents: Partial<Record<Kind, readonly [field: string, parent: Kind]>> = {
  project: ['organizationId', 'organization'],
  user: ['organizationId', 'organization'],
  tag: ['organizationId', 'organization'],
  task: ['projectId', 'project'],
};

describe.each(resources)('GET $path/changes', ({ kind, path }) => {
  const get = (parameters: Parameters = {}): Promise<TestResponse> =>
    request('GET', withQuery(`${path}/changes`, parameters));

  const page = async (parameters: Parameters = {}): Promise<Changes> => {
    const response = await get(parameters);
    expect(response.status).toBe(200);
    return response.body as Changes;
  };

  /** Reads pages until there are no more. */
  async function follow(parameters: Parameters, since?: string): Promise<Changes> {
    let changes = await page({ ...parameters, ...(since !== undefined && { since }) });
    const data = new Map<string, Entity>();
    const removed = new Set<string>();
    for (;;) {
      for (const entity of changes.data) data.set(entity.id, entity);
      for (const id of changes.removed) removed.add(id);
      if (!changes.hasMore) return { ...changes, data: [...data.values()], removed: [...removed] };
      changes = await page({ ...parameters, since: changes.cursor });
    }
  }

  test('begins now with since=now, and where a list ends with its changesCursor', async () => {
    const fields = { name: `now-${kind}`, status: 'a' };
    const before = await create(kind, { ...(await resourceOf(kind).minimal()), ...fields });
    const { cursor, ...empty } = await page({ name: fields.name, since: 'now' });
    expect(empty).toEqual({ data: [], removed: [], hasMore: false });
    const options = {
      name: fields.name,
      fields: 'status',
      changesCursor: 'true',
      sortBy: 'status',
      countBy: 'status',
    };
    const list = (await request('GET', withQuery(path, options))).body as {
      changesCursor: string;
      data: object[];
    };
    expect(list.data).toEqual([{ id: before.id, status: 'a' }]);
    const after = await create(kind, { ...(await resourceOf(kind).minimal()), ...fields });
    expect((await follow({ name: fields.name }, cursor)).data).toEqual([after]);
    const ofList = { name: fields.name, fields: 'status' };
    expect((await follow(ofList, list.changesCursor)).data).toEqual([{ id: after.id, status: 'a' }]);
    expectParameter(await get({ name: fields.name, since: list.changesCursor }), 'since');
    expect((await request('GET', withQuery(path, ofList))).body).not.toHaveProperty('changesCursor');
  });

  test('has what was created, changed and deleted since a cursor', async () => {
    const status = `feed-${kind}`;
    const { cursor } = await follow({ status });
    const created = await create(kind, { ...(await resourceOf(kind).minimal()), status, name: 'a' });
    const first = await follow({ status }, cursor);
    expect(first.data).toEqual([created]);
    const patch = await request('PATCH', pathTo(kind, created.id), { body: { name: 'b' } });
    const second = await follow({ status, etags: 'true' }, first.cursor);
    expect(second.data).toEqual([patch.body]);
    expect(second.etags).toEqual([patch.headers.get('etag')]);
    await request('PATCH', pathTo(kind, created.id), { body: { status: 'active' } });
    const third = await follow({ status }, second.cursor);
    expect([third.data, third.removed]).toEqual([[], [created.id]]);
  });

  test('begins with all that match: of a status, of a parent, and by other fields', async () => {
    const [field, parentKind] = parents[kind] ?? [];
    const parent = field && parentKind ? { [field]: (await create(parentKind)).id } : {};
    const status = `walk-${kind}`;
    const ids: string[] = [];
    for (const name of ['a', 'b', 'a', 'b', 'a', 'b'])
      ids.push((await create(kind, { ...parent, status, name })).id);
    const idsOf = async (filters: Parameters) => (await follow(filters)).data.map(({ id }) => id);
    expect(await idsOf({ status })).toEqual(expect.arrayContaining(ids));
    if (field) expect(await idsOf(parent)).toEqual(ids);
    expect(await idsOf({ status, name: 'b', 'id[gte]': ids[0] ?? '' })).toEqual([ids[1], ids[3], ids[5]]);
  });

  test('has the fields that are asked for', async () => {
    const { cursor } = await follow({ fields: 'name' });
    const { id, name } = await create(kind);
    const { data } = await follow({ fields: 'name' }, cursor);
    expect(data).toContainEqual({ id, name });
  });

  test('refuses the parameters of lists that have no meaning here', async () => {
    for (const name of ['page', 'sortBy', 'sortOrder', 'countBy', 'expand', 'after']) {
      expectParameter(await get({ [name]: '1' }), name);
    }
  });
});

test('a deletion removes the entities that it deletes besides', async () => {
  const project = await create('project');
  const task = await create('task', { name: 'a', projectId: project.id });
  const path = '/v1/tasks/changes';
  const parameters = { projectId: project.id };
  const first = (await request('GET', withQuery(path, parameters))).body as Changes;
  expect(first.data.map(({ id }) => id)).toEqual([task.id]);
  await request('DELETE', pathTo('project', project.id));
  const second = (await request('GET', withQuery(path, { ...parameters, since: first.cursor })))
    .body as Changes;
  expect(second.removed).toEqual([task.id]);
});
