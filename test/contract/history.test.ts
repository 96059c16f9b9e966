import { expectParameter, expectProblem } from './problem.ts';
import { create, type Entity, type Kind, pathTo, resourceOf, resources } from './resources.ts';
import { type JsonObject, type Parameters, request, type TestResponse, withQuery } from './service.ts';

/** `GET /v1/{collection}/{id}/changes`: who changed what of one entity. */

interface Entry {
  readonly actor?: string;
  readonly version: number;
  readonly time: string;
  readonly operation: string;
  readonly changes: Readonly<Record<string, object>>;
}

interface History {
  readonly data: readonly Entry[];
  readonly cursor: string | null;
  readonly isComplete: boolean;
}

const get = (kind: Kind, id: string, parameters: Parameters = {}): Promise<TestResponse> =>
  request('GET', withQuery(`${pathTo(kind, id)}/changes`, parameters));

async function historyOf(kind: Kind, id: string, parameters: Parameters = {}): Promise<History> {
  const response = await get(kind, id, parameters);
  expect(response.status).toBe(200);
  return response.body as History;
}

async function update(kind: Kind, id: string, body: JsonObject): Promise<Entity> {
  const response = await request('PATCH', pathTo(kind, id), { body });
  expect(response.status).toBe(200);
  return response.body as Entity;
}

describe.each(resources)('GET $path/{id}/changes', ({ kind }) => {
  test('has the creation with all fields, and each update with those that it changed', async () => {
    const created = await create(kind, await resourceOf(kind).full());
    const updated = await update(kind, created.id, { name: 'other' });
    const { id: _id, createdAt, updatedAt: _updatedAt, ...fields } = created;
    const all = Object.fromEntries(Object.entries(fields).map(([field, to]) => [field, { to }]));
    const { data, ...page } = await historyOf(kind, created.id);
    // A service with tokens also says who made each change.
    expect({ data: data.map(({ actor: _actor, ...entry }) => entry), ...page }).toEqual({
      data: [
        {
          version: 2,
          time: updated.updatedAt,
          operation: 'update',
          changes: { name: { from: created.name, to: 'other' } },
        },
        { version: 1, time: createdAt, operation: 'create', changes: all },
      ],
      cursor: null,
      isComplete: true,
    });
  });

  test('continues with earlier changes behind a cursor', async () => {
    const { id, name } = await create(kind);
    for (const next of ['b', 'c', 'd']) await update(kind, id, { name: next });
    const first = await historyOf(kind, id, { limit: '2', after: '' });
    expect(first.data.map(({ version }) => version)).toEqual([4, 3]);
    const second = await historyOf(kind, id, { limit: '2', after: first.cursor ?? '' });
    expect(second.data[0]?.changes).toEqual({ name: { from: name, to: 'b' } });
    expect(second.data.map(({ version }) => version)).toEqual([2, 1]);
    expect([first.isComplete, second.isComplete, second.cursor]).toEqual([true, true, null]);
  });

  test('has an entity tag, and a HEAD', async () => {
    const { id } = await create(kind);
    const tag = (await get(kind, id)).headers.get('etag') ?? '';
    const path = `${pathTo(kind, id)}/changes`;
    expect((await request('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    const head = await request('HEAD', path);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
  });

  test('returns 404 for an unknown id, for a text that is none, and for a deleted entity', async () => {
    const { id } = await create(kind);
    await request('DELETE', pathTo(kind, id));
    for (const unknown of [id, '01890000-0000-7000-8000-000000000001', 'x'])
      expectProblem(await get(kind, unknown), 404);
  });

  test('refuses other parameters, and limits that are no numbers', async () => {
    const { id } = await create(kind);
    for (const [name, value] of [
      ['page', '1'],
      ['since', 'x'],
      ['sortBy', 'name'],
      ['fields', 'name'],
      ['name', 'x'],
      ['limit', '0'],
    ] as const) {
      expectParameter(await get(kind, id, { [name]: value }), name);
    }
  });
});

test('the history shows ids as arrays, and the beginning of a description', async () => {
  const tag = await create('tag');
  const task = await create('task', { name: 'a', description: 'x'.repeat(101), tagIds: [tag.id] });
  await update('task', task.id, { description: '', tagIds: [] });
  const { data } = await historyOf('task', task.id);
  expect(data[0]?.changes).toEqual({
    description: { from: 'x'.repeat(100), to: '', isCut: true },
    tagIds: { from: [tag.id], to: [] },
  });
  expect(data[1]?.changes).toMatchObject({ description: { to: 'x'.repeat(100), isCut: true } });
});
