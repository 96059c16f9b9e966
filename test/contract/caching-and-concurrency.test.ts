import { expectProblem } from './problem.ts';
import {
  create,
  entityOf,
  etagOf,
  type Kind,
  lists,
  pathTo,
  read,
  readList,
  resourceOf,
  resources,
} from './resources.ts';
import { type Answer, type JsonObject, type Method, request, unique, withQuery } from './service.ts';

const strongTag = /^"[\x21\x23-\x7e]+"$/;

function directives(answer: Answer): string[] {
  return (answer.headers.get('cache-control') ?? '')
    .split(',')
    .map((directive) => directive.trim().toLowerCase());
}

function expectReadHeaders(answer: Answer): string {
  expect(answer.status).toBe(200);
  expect(directives(answer).sort()).toEqual(['no-cache', 'private']);
  const tag = answer.headers.get('etag') ?? '';
  expect(tag).toMatch(strongTag);
  return tag;
}

async function expectNotModified(path: string, tag: string): Promise<void> {
  for (const method of ['GET', 'HEAD'] as const) {
    for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await request(method, path, { headers: { 'if-none-match': condition } });
      expect(`${answer.status} for ${method} ${condition}`).toBe(`304 for ${method} ${condition}`);
      expect(answer.text).toBe('');
      expect(answer.headers.get('etag')).toBe(tag);
      expect(directives(answer).sort()).toEqual(['no-cache', 'private']);
    }
  }
  const changed = await request('GET', path, { headers: { 'if-none-match': '"other", "another"' } });
  expect(changed.status).toBe(200);
  expect(changed.text).not.toBe('');
}

describe.each(resources)('reading $path/{id}', ({ kind, path, minimal }) => {
  test('is labelled private and no-cache, with a strong ETag that stays while nothing changes', async () => {
    const { id } = await create(kind);
    const first = expectReadHeaders(await request('GET', pathTo(kind, id)));
    expect(expectReadHeaders(await request('GET', pathTo(kind, id)))).toBe(first);
    expect(expectReadHeaders(await request('HEAD', pathTo(kind, id)))).toBe(first);
  });

  test('answers 304 without a body while If-None-Match still holds', async () => {
    const { id } = await create(kind);
    await expectNotModified(pathTo(kind, id), await etagOf(kind, id));
  });

  test('has another ETag after a PATCH and after a PUT', async () => {
    const { id } = await create(kind);
    const created = await etagOf(kind, id);
    entityOf(await request('PATCH', pathTo(kind, id), { body: { name: unique('Renamed') } }), 200);
    const patched = await etagOf(kind, id);
    entityOf(await request('PUT', pathTo(kind, id), { body: await minimal() }), 200);
    const replaced = await etagOf(kind, id);
    expect(new Set([created, patched, replaced]).size).toBe(3);
    const answer = await request('GET', pathTo(kind, id), { headers: { 'if-none-match': created } });
    expect(answer.status).toBe(200);
  });

  test('has another ETag for every entity', async () => {
    const body = await minimal();
    const [one, other] = [await create(kind, body), await create(kind, body)];
    expect(await etagOf(kind, one.id)).not.toBe(await etagOf(kind, other.id));
  });

  test('answers 404 for an entity that does not exist, whatever If-None-Match says', async () => {
    expectProblem(await request('GET', `${path}/unknown`, { headers: { 'if-none-match': '*' } }), 404);
  });
});

describe.each(lists)('reading $title', ({ item, open }) => {
  test('is labelled private and no-cache, with a strong ETag; 304 while it holds, another after a change', async () => {
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

  test('has another ETag when only the totals change', async () => {
    const scope = await open();
    const path = withQuery(scope.path, { ...scope.query, limit: 1, sortOrder: 'asc' });
    await create(item, scope.fields);
    await create(item, scope.fields);
    const before = expectReadHeaders(await request('GET', path));
    await create(item, scope.fields);
    expect(expectReadHeaders(await request('GET', path))).not.toBe(before);
  });
});

/** A write to an existing entity, with what it needs and the status of its success. */
interface Write {
  title: string;
  kind: Kind;
  method: Method;
  suffix: string;
  body: () => Promise<JsonObject | undefined>;
  status: number;
}

const writes: readonly Write[] = [
  ...resources.flatMap(({ kind, path, minimal }): Write[] => [
    { title: `PUT ${path}/{id}`, kind, method: 'PUT', suffix: '', body: minimal, status: 200 },
    {
      title: `PATCH ${path}/{id}`,
      kind,
      method: 'PATCH',
      suffix: '',
      body: async () => ({ name: unique('Renamed') }),
      status: 200,
    },
    {
      title: `DELETE ${path}/{id}`,
      kind,
      method: 'DELETE',
      suffix: '',
      body: async () => undefined,
      status: 204,
    },
  ]),
  {
    title: 'POST /v1/organizations/{id}/archive',
    kind: 'organization',
    method: 'POST',
    suffix: '/archive',
    body: async () => undefined,
    status: 200,
  },
  {
    title: 'POST /v1/projects/{id}/clone',
    kind: 'project',
    method: 'POST',
    suffix: '/clone',
    body: async () => undefined,
    status: 201,
  },
];

describe.each(writes)('$title', ({ kind, method, suffix, body, status }) => {
  async function send(id: string, headers: Record<string, string> = {}): Promise<Answer> {
    const content = await body();
    return request(method, pathTo(kind, id) + suffix, { headers, ...(content && { body: content }) });
  }

  test('is labelled no-store', async () => {
    const { id } = await create(kind);
    const answer = await send(id);
    expect(answer.status).toBe(status);
    expect(directives(answer)).toContain('no-store');
  });

  test('answers 412 for a stale If-Match, and nothing changes', async () => {
    const { id } = await create(kind);
    const stale = await etagOf(kind, id);
    const changed = entityOf(
      await request('PATCH', pathTo(kind, id), { body: { name: unique('Changed') } }),
      200,
    );
    // A weak tag never matches strongly (RFC 9110, 13.1.1), not even the current one.
    const weak = `W/${await etagOf(kind, id)}`;
    for (const condition of [stale, '"other"', `"other", ${stale}`, weak]) {
      expectProblem(await send(id, { 'if-match': condition }), 412);
      expect(await read(kind, id)).toEqual(changed);
    }
    const sameName = await readList(withQuery(resourceOf(kind).path, { name: changed.name }));
    expect(sameName).toMatchObject({ data: [changed], total: 1 });
  });

  test('is done when If-Match names the current ETag, alone or among others, or is *', async () => {
    const conditions = [(tag: string) => tag, (tag: string) => `"other", ${tag}`, () => '*'];
    for (const condition of conditions) {
      const { id } = await create(kind);
      const answer = await send(id, { 'if-match': condition(await etagOf(kind, id)) });
      expect(answer.status).toBe(status);
    }
  });
});

describe.each(resources)('POST $path', ({ path, minimal }) => {
  test('is labelled no-store', async () => {
    const answer = await request('POST', path, { body: await minimal() });
    expect(answer.status).toBe(201);
    expect(directives(answer)).toContain('no-store');
  });
});

describe('POST /v1/organizations/{id}/archive with a stale If-Match', () => {
  test('leaves the projects as they are', async () => {
    const { id } = await create('organization');
    const project = await create('project', { organizationId: id });
    const headers = { 'if-match': '"stale"' };
    expectProblem(await request('POST', `${pathTo('organization', id)}/archive`, { headers }), 412);
    expect(await read('project', project.id)).toEqual(project);
  });
});

describe('DELETE /v1/organizations/{id} with a stale If-Match', () => {
  test('leaves the projects as they are', async () => {
    const { id } = await create('organization');
    const project = await create('project', { organizationId: id });
    expectProblem(
      await request('DELETE', pathTo('organization', id), { headers: { 'if-match': '"stale"' } }),
      412,
    );
    expect(await read('project', project.id)).toEqual(project);
  });
});

describe.each(resources)('writes to one entity of $path at the same time', ({ kind, path, full }) => {
  test('with the same If-Match: one is done, the others are answered 412', async () => {
    const { id } = await create(kind);
    const headers = { 'if-match': await etagOf(kind, id) };
    const names = Array.from({ length: 8 }, () => unique('Contender'));
    const answers = await Promise.all(
      names.map((name) => request('PATCH', pathTo(kind, id), { body: { name }, headers })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 412),
    ]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read(kind, id)).name).toBe(names[winner]);
  });

  test('to different fields without If-Match: none is lost', async () => {
    const { id } = await create(kind);
    const changes = await full();
    const answers = await Promise.all(
      Object.entries(changes).map(([field, value]) =>
        request('PATCH', pathTo(kind, id), { body: { [field]: value } }),
      ),
    );
    for (const answer of answers) entityOf(answer, 200);
    expect(await read(kind, id)).toMatchObject(changes);
  });

  test('deletions: one answers 204, the others 404', async () => {
    const { id, name } = await create(kind);
    const answers = await Promise.all(Array.from({ length: 5 }, () => request('DELETE', pathTo(kind, id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    expect(await readList(withQuery(path, { name }))).toMatchObject({ data: [], total: 0 });
  });
});
