import { expectParameter } from './problem.ts';
import { create, type Entity, resourceOf, resources } from './resources.ts';
import { type Parameters, request, type TestResponse, withQuery } from './service.ts';

/** `GET /v1/{collection}/changes`: a copy of a list that is kept up to date. */

interface Changes {
  readonly data: readonly Entity[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

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
    const changes = await page({ ...parameters, ...(since !== undefined && { since }) });
    if (!changes.hasMore) return changes;
    const rest = await follow(parameters, changes.cursor);
    return { ...rest, data: [...changes.data, ...rest.data] };
  }

  test('begins now with since=now, and where a list ends with its changesCursor', async () => {
    const fields = { name: `now-${kind}`, status: 'a' };
    const before = await create(kind, { ...(await resourceOf(kind).minimal()), ...fields });
    const { cursor, ...empty } = await page({ name: fields.name, since: 'now' });
    expect(empty).toEqual({ data: [], removed: [], position: expect.any(Number) as unknown, hasMore: false });
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

test('a page has up to 1,000 entities without descriptions, and up to 100 with them', async () => {
  const status = 'many';
  const operations = Array.from({ length: 25 }, () => ({ operation: 'create', body: { name: 'x', status } }));
  for (let count = 0; count < 5; count += 1)
    await request('POST', '/v1/tasks/batch', { body: { operations } });
  const countOf = async (parameters: Parameters): Promise<number> => {
    const response = await request('GET', withQuery('/v1/tasks/changes', { status, ...parameters }));
    return (response.body as Changes).data.length;
  };
  expect(await countOf({ limit: 1_000, fields: 'name' })).toBe(125);
  expect(await countOf({ limit: 1_000 })).toBe(100);
  expect(await countOf({ fields: 'name' })).toBe(100);
});
