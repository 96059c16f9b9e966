import { expectProblem } from './problem.ts';
import {
  create,
  entityOf,
  etagOf,
  type Kind,
  pathTo,
  read,
  readList,
  resourceOf,
  resources,
  someLists,
  someResources,
} from './resources.ts';
import { type JsonObject, type Method, request, type TestResponse, unique, withQuery } from './service.ts';

const strongTag = /^"[\x21\x23-\x7e]+"$/;

function directives(response: TestResponse): string[] {
  return (response.headers.get('cache-control') ?? '')
    .split(',')
    .map((directive) => directive.trim().toLowerCase());
}

function expectReadHeaders(response: TestResponse): string {
  expect(response.status).toBe(200);
  expect(directives(response).sort()).toEqual(['no-cache', 'private']);
  const tag = response.headers.get('etag') ?? '';
  expect(tag).toMatch(strongTag);
  return tag;
}

async function expectNotModified(path: string, tag: string): Promise<void> {
  for (const method of ['GET', 'HEAD'] as const) {
    for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, `,, ${tag}, oops`, '*']) {
      const response = await request(method, path, { headers: { 'if-none-match': condition } });
      expect(`${response.status} for ${method} ${condition}`).toBe(`304 for ${method} ${condition}`);
      expect(response.text).toBe('');
      expect(response.headers.get('etag')).toBe(tag);
      expect(directives(response).sort()).toEqual(['no-cache', 'private']);
    }
  }
  for (const other of ['"other", "another"', '', `oops, ${tag}`, `"b-1" ${tag}`, `*, "b-1"`]) {
    const changed = await request('GET', path, { headers: { 'if-none-match': other } });
    expect([other, changed.status, changed.text === '']).toEqual([other, 200, false]);
  }
}

describe.each(someResources)('reading $path/{id}', ({ kind, minimal }) => {
  test('returns private and no-cache, and the same strong ETag until the entity changes', async () => {
    const { id } = await create(kind);
    const first = expectReadHeaders(await request('GET', pathTo(kind, id)));
    expect(expectReadHeaders(await request('GET', pathTo(kind, id)))).toBe(first);
    expect(expectReadHeaders(await request('HEAD', pathTo(kind, id)))).toBe(first);
  });

  test('returns 304 without a body when If-None-Match matches', async () => {
    const { id } = await create(kind);
    await expectNotModified(pathTo(kind, id), await etagOf(kind, id));
  });

  test('returns another ETag after a PATCH and after a PUT', async () => {
    const { id } = await create(kind);
    const created = await etagOf(kind, id);
    entityOf(await request('PATCH', pathTo(kind, id), { body: { name: unique('Renamed') } }), 200);
    const patched = await etagOf(kind, id);
    entityOf(await request('PUT', pathTo(kind, id), { body: await minimal() }), 200);
    const replaced = await etagOf(kind, id);
    expect(new Set([created, patched, replaced]).size).toBe(3);
    const response = await request('GET', pathTo(kind, id), { headers: { 'if-none-match': created } });
    expect(response.status).toBe(200);
  });
});

describe.each(someLists)('reading $title', ({ item, open }) => {
  test('returns private, no-cache and a strong ETag, 304 for that ETag, and another ETag after a change', async () => {
    const scope = await open();
    const path = withQuery(scope.path, scope.query);
    const empty = expectReadHeaders(await request('GET', path));
    await expectNotModified(path, empty);
    const { id } = await create(item, scope.fields);
    const one = expectReadHeaders(await request('GET', path));
    await expectNotModified(path, one);
    entityOf(await request('PATCH', pathTo(item, id), { body: { name: unique('Renamed') } }), 200);
    const renamed = expectReadHeaders(await request('GET', path));
    expect(new Set([empty, one, renamed]).size).toBe(3);
    expect((await request('GET', path, { headers: { 'if-none-match': one } })).status).toBe(200);
  });

  test('returns another ETag when only the total changes', async () => {
    const scope = await open();
    const path = withQuery(scope.path, { ...scope.query, limit: 1, sortOrder: 'asc' });
    await create(item, scope.fields);
    await create(item, scope.fields);
    const before = expectReadHeaders(await request('GET', path));
    await create(item, scope.fields);
    expect(expectReadHeaders(await request('GET', path))).not.toBe(before);
  });
});

interface Write {
  title: string;
  kind: Kind;
  method: Method;
  suffix?: string;
  body?: () => Promise<JsonObject>;
  status: number;
}

const writes: readonly Write[] = [
  ...resources.flatMap(({ kind, path, minimal }): Write[] => [
    { title: `PUT ${path}/{id}`, kind, method: 'PUT', body: minimal, status: 200 },
    { title: `PATCH ${path}/{id}`, kind, method: 'PATCH', body: async () => ({ name: 'x' }), status: 200 },
    { title: `DELETE ${path}/{id}`, kind, method: 'DELETE', status: 204 },
  ]),
  ...(['organization/archive', 'project/clone'] as const).map((action): Write => {
    const [kind, suffix] = action.split('/') as [Kind, string];
    const status = suffix === 'clone' ? 201 : 200;
    return {
      title: `POST ${pathTo(kind, '{id}')}/${suffix}`,
      kind,
      method: 'POST',
      suffix: `/${suffix}`,
      status,
    };
  }),
];

describe.each(writes)('$title', ({ kind, method, suffix = '', body, status }) => {
  async function send(id: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    const content = await body?.();
    return request(method, pathTo(kind, id) + suffix, { headers, ...(content && { body: content }) });
  }

  test('returns no-store', async () => {
    const { id } = await create(kind);
    const response = await send(id);
    expect(response.status).toBe(status);
    expect(directives(response)).toContain('no-store');
  });

  test('returns 412 and changes nothing for a stale If-Match', async () => {
    const { id } = await create(kind);
    const stale = await etagOf(kind, id);
    const changed = entityOf(
      await request('PATCH', pathTo(kind, id), { body: { name: unique('Changed') } }),
      200,
    );
    // A weak tag never matches in a strong comparison, even if it is current (RFC 9110, 13.1.1).
    const weak = `W/${await etagOf(kind, id)}`;
    for (const condition of [stale, '"other"', `"other", ${stale}`, weak]) {
      expectProblem(await send(id, { 'if-match': condition }), 412);
      expect(await read(kind, id)).toEqual(changed);
    }
    const sameName = await readList(withQuery(resourceOf(kind).path, { name: changed.name }));
    expect(sameName).toMatchObject({ data: [changed], total: 1 });
  });

  test('succeeds when If-Match is the current ETag, a list with the current ETag, or *', async () => {
    for (const condition of [(tag: string) => tag, (tag: string) => `"other", ${tag}`, () => '*']) {
      const { id } = await create(kind);
      expect((await send(id, { 'if-match': condition(await etagOf(kind, id)) })).status).toBe(status);
    }
  });
});

describe.each(someResources)('POST $path', ({ path, minimal }) => {
  test('returns no-store', async () => {
    const response = await request('POST', path, { body: await minimal() });
    expect(response.status).toBe(201);
    expect(directives(response)).toContain('no-store');
  });
});

describe.each(someResources)('concurrent writes to one entity of $path', ({ kind, path, full }) => {
  test('return 200 once and otherwise 412 when they have the same If-Match', async () => {
    const { id } = await create(kind);
    const headers = { 'if-match': await etagOf(kind, id) };
    const names = Array.from({ length: 8 }, () => unique('Contender'));
    const responses = await Promise.all(
      names.map((name) => request('PATCH', pathTo(kind, id), { body: { name }, headers })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 412),
    ]);
    const winner = responses.findIndex(({ status }) => status === 200);
    expect((await read(kind, id)).name).toBe(names[winner]);
  });

  test('keep all changes to different fields without If-Match', async () => {
    const { id } = await create(kind);
    const changes = await full();
    const responses = await Promise.all(
      Object.entries(changes).map(([field, value]) =>
        request('PATCH', pathTo(kind, id), { body: { [field]: value } }),
      ),
    );
    for (const response of responses) entityOf(response, 200);
    expect(await read(kind, id)).toMatchObject(changes);
  });

  test('return 204 once and otherwise 404 when they are deletions', async () => {
    const { id, name } = await create(kind);
    const responses = await Promise.all(Array.from({ length: 5 }, () => request('DELETE', pathTo(kind, id))));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    expect(await readList(withQuery(path, { name }))).toMatchObject({ data: [], total: 0 });
  });
});

describe('If-None-Match: *', () => {
  const headers = { 'if-none-match': '*' };

  test.each(['PUT', 'PATCH', 'DELETE'] as const)(
    '%s of an existing entity is 412 and changes nothing',
    async (method) => {
      const entity = await create('tag');
      const body = { name: 'changed' };
      const response = await request(method, pathTo('tag', entity.id), {
        headers,
        ...(method !== 'DELETE' && { body }),
      });
      expectProblem(response, 412);
      expect(await read('tag', entity.id)).toEqual(entity);
    },
  );
});

test('a 412 names the entity, has its current ETag, and says to read it again', async () => {
  const { id } = await create('tag');
  const old = await etagOf('tag', id);
  await request('PATCH', pathTo('tag', id), { body: { name: 'changed' } });
  const response = await request('PATCH', pathTo('tag', id), {
    body: { name: 'x' },
    headers: { 'if-match': old },
  });
  const { detail } = expectProblem(response, 412, [id]);
  expect(detail).toContain(id);
  expect(detail).toMatch(/Read it again/);
  expect(response.headers.get('etag')).toBe(await etagOf('tag', id));
});
