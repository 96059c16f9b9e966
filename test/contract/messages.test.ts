import { expectProblem, type Problem } from './problem.ts';
import { create, pathTo } from './resources.ts';
import { request, type TestResponse, unique } from './service.ts';

/** Error messages name the cause, its location and a valid value. */

const firstDetail = (problem: Problem): string => problem.errors?.[0]?.detail ?? problem.detail;

const post = (path: string, rawBody: string): Promise<TestResponse> =>
  request('POST', path, { rawBody, headers: { 'content-type': 'application/json' } });

describe('If-Match', () => {
  const malformed = ['bad', '"a', '"a" "b"', 'W/a', '*, "a"', ','];

  test.each(malformed)('returns 400 for %s: an entity tag must be quoted', async (value) => {
    const { id } = await create('task');
    const response = await request('PATCH', pathTo('task', id), {
      body: { name: 'x' },
      headers: { 'if-match': value },
    });
    const problem = expectProblem(response, 400);
    expect(problem.errors).toEqual([
      { parameter: 'If-Match', detail: expect.stringContaining('An entity tag must be quoted') },
    ]);
  });

  test('accepts 100 entity tags and returns 400 for 101', async () => {
    const { id } = await create('task');
    const send = (tags: number) =>
      request('PATCH', pathTo('task', id), {
        body: {},
        headers: { 'if-match': Array.from({ length: tags }, (_, tag) => `"${tag}"`).join(',') },
      });
    expectProblem(await send(100), 412);
    const problem = expectProblem(await send(101), 400);
    expect(firstDetail(problem)).toContain('at most 100');
  });

  test('is ignored by operations that do not use it', async () => {
    const headers = { 'if-match': 'bad' };
    const { id } = await create('tag');
    for (const path of ['/v1/health', '/v1/tags?limit=1', pathTo('tag', id)]) {
      expect([path, (await request('GET', path, { headers })).status]).toEqual([path, 200]);
    }
    const body = { name: unique('n') };
    expect((await request('POST', '/v1/tags', { body, headers })).status).toBe(201);
  });
});

describe('a query in the syntax of another API', () => {
  test.each([
    ['tag=x', 'tag', 'tagIds'],
    ['q=x', 'q', 'search'],
    ['pageSize=3', 'pageSize', 'limit'],
    ['dueDate.lt=2026-01-01', 'dueDate.lt', 'dueDate[lt]'],
    ['status[!=]=archived', 'status[!=]', 'ne'],
    ['tagIds[contains]=x', 'tagIds[contains]', 'all'],
    ['sortBy=-priority', 'sortBy', 'sortBy=priority&sortOrder=desc'],
  ])('%s: names the parameter %s and suggests %s', async (query, parameter, name) => {
    const problem = expectProblem(await request('GET', `/v1/tasks?${query}`), 400);
    expect(problem.errors).toEqual([
      { parameter, detail: expect.stringContaining(`Did you mean "${name}"?`) },
    ]);
  });
});

describe('a body that is not JSON', () => {
  test.each([
    ['{"name":"x",}', 'at position 12'],
    ['{"name": "a\tb"}', 'at position 11'],
    ['\ufeff{}', "'U+FEFF'"],
  ])('names the mistake in %j', async (text, mistake) => {
    const problem = expectProblem(await post('/v1/tasks', text), 400, [text]);
    expect(problem.type).toMatch(/malformed-body$/);
    expect(problem.detail).toContain(mistake);
  });
});

describe('an unknown path', () => {
  test.each([
    ['/tasks', '/v1/tasks'],
    ['/v1/tasks/', '/v1/tasks'],
    ['/v1/organisations', '/v1/organizations'],
    ['/projects/7/task', '/v1/projects/7/tasks'],
  ])('for %s: suggests %s', async (path, suggested) => {
    const problem = expectProblem(await request('GET', path), 404, [path]);
    expect(problem.detail).toContain(`Did you mean ${suggested}?`);
  });

  test.each([
    ...['/nothing/like/this/here', '/v2/accounts', `/${'t'.repeat(3_000)}`, '/v1/__proto__', '/favicon.txt'],
    ...['/v1/tasks/any-id/archive', '/v1/organizations/any-id/projects/any-id'],
  ])('for %s: contains no suggestion', async (path) => {
    const problem = expectProblem(await request('GET', path), 404, [path]);
    expect(problem.detail).not.toContain('Did you mean');
  });
});

describe('a body with validation issues', () => {
  test.each([
    ['task', 'dueDate', '2026-02-30', 'must be a day that exists, as YYYY-MM-DD: "2026-02-30" is not.'],
    ['task', 'name', 7, 'must be a string: 7 is not.'],
    ['task', 'name', null, 'must not be null.'],
    ['user', 'email', `${'a'.repeat(61)}@b.c`, 'must be an e-mail address.'],
  ] as const)('for the %s field %s with %j: %s', async (kind, field, value, message) => {
    const { id } = await create(kind);
    const problem = expectProblem(
      await request('PATCH', pathTo(kind, id), { body: { [field]: value } }),
      400,
    );
    expect(problem.errors).toEqual([{ pointer: `/${field}`, detail: `"${field}" ${message}` }]);
  });

  test.each([
    ['/v1/tasks', { title: 'x' }, 'title', 'name'],
    ['/v1/tasks', { name: 'x', labels: [] }, 'labels', 'tagIds'],
    ['/v1/tasks/batch', { operations: [{ op: 'delete', id: '7' }] }, 'operations/0/op', 'operation'],
  ])('returns in POST %s with %j a suggestion for %s: %s', async (path, body, place, name) => {
    const problem = expectProblem(await request('POST', path, { body }), 400);
    const { detail } = problem.errors?.find(({ pointer }) => pointer === `/${place}`) ?? {};
    expect(detail).toContain(`Did you mean "${name}"?`);
  });

  test('lists only the writable fields for an unknown field', async () => {
    const response = await request('POST', '/v1/tags', { body: { name: 'x', quantity: 1 } });
    const detail = firstDetail(expectProblem(response, 400));
    expect(detail).toContain('name, status, color, description, organizationId');
    expect(detail).not.toMatch(/createdAt|updatedAt|\bid\b/);
  });
});
