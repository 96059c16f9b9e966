import { expectProblem, type Problem } from './problem.ts';
import { create, pathTo } from './resources.ts';
import { request, type TestResponse, unique } from './service.ts';

/** Error messages name the cause, its location and a valid value. */

const firstDetail = (problem: Problem): string => problem.errors?.[0]?.detail ?? problem.detail;

const post = (path: string, rawBody: string): Promise<TestResponse> =>
  request('POST', path, { rawBody, headers: { 'content-type': 'application/json' } });

describe('If-Match', () => {
  const malformed = ['bad', '"a', 'a"', '"a" "b"', 'W/a', '"a", b', '*, "a"', ','];

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

  test('accepts an entity tag that contains a comma', async () => {
    const { id } = await create('task');
    const headers = { 'if-match': '"a,b"' };
    expectProblem(await request('PATCH', pathTo('task', id), { body: {}, headers }), 412);
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

describe('page and limit', () => {
  test.each([
    ['page', '0', '"page" must be a whole number, 1 or more.'],
    ['page', '-1', '"page" must be a whole number, 1 or more.'],
    ['page', '1.5', '"page" must be a whole number, 1 or more.'],
    ['page', '99999999999999999999', '"page" must be at most 9007199254740991.'],
    ['limit', '0', '"limit" must be a whole number, 1 or more.'],
    ['limit', 'ten', '"limit" must be a whole number, 1 or more.'],
  ])('%s=%s: %s', async (parameter, value, detail) => {
    const problem = expectProblem(await request('GET', `/v1/tasks?${parameter}=${value}`), 400);
    expect(problem.errors).toEqual([{ parameter, detail }]);
  });
});

describe('a query in the syntax of another API', () => {
  test.each([
    ['tag=x', 'tag', 'tagIds'],
    ['labels=x', 'labels', 'tagIds'],
    ['search=x', 'search', 'name[contains]'],
    ['assigneeId=x', 'assigneeId', 'userId'],
    ['pageSize=3', 'pageSize', 'limit'],
    ['offset=20', 'offset', 'page'],
    ['dueDate.lt=2026-01-01', 'dueDate.lt', 'dueDate[lt]'],
    ['priority>=low', 'priority>', 'priority[gte]'],
    ['status[!=]=archived', 'status[!=]', 'ne'],
    ['tagIds[contains]=x', 'tagIds[contains]', 'all'],
    ['sortBy=-priority', 'sortBy', 'sortBy=priority&sortOrder=desc'],
    ['groupBy=status', 'groupBy', 'countBy'],
    ['include=project', 'include', 'expand'],
  ])('%s: names the parameter %s and suggests %s', async (query, parameter, name) => {
    const problem = expectProblem(await request('GET', `/v1/tasks?${query}`), 400);
    expect(problem.errors).toEqual([
      { parameter, detail: expect.stringContaining(`Did you mean "${name}"?`) },
    ]);
  });

  test.each(['where=x', 'fields=*', 'x=1', 'title[between]=a', 'kind=x'])(
    '%s: suggests nothing that is not likely',
    async (query) => {
      const problem = expectProblem(await request('GET', `/v1/tasks?${query}`), 400);
      expect(problem.detail).not.toContain('Did you mean');
    },
  );

  test('names a repeated parameter once, with its values', async () => {
    const query = Array.from({ length: 21 }, (_, position) => `tagIds=${position}`).join('&');
    const problem = expectProblem(await request('GET', `/v1/tasks?${query}`), 400);
    expect(problem.errors).toEqual([
      {
        parameter: 'tagIds',
        detail:
          '"tagIds" occurs twice with different values: "0" and "1". Send it once. tagIds[all]=a,b matches both values, and tagIds[in]=a,b matches either.',
      },
    ]);
  });
});

describe('a body that is not JSON', () => {
  test.each([
    ['{"name":"x",}', 'Expected double-quoted property name in JSON at position 12'],
    [
      '{\n  "name": "x"\n  "status": "y"\n}',
      "Expected ',' or '}' after property value in JSON at position 18",
    ],
    ['{"name" "x"}', "Expected ':' after property name in JSON at position 8"],
    ['{"name": }', 'Unexpected token \'}\', "{"name": }" is not valid JSON'],
    ['{"tagIds": ["x"', "Expected ',' or ']' after array element in JSON at position 15"],
    ['{"name": "x"} true', 'Unexpected non-whitespace character after JSON at position 14'],
    ['{"name": "x', 'Unterminated string in JSON at position 11'],
    ['{"name": "a\tb"}', 'Bad control character in string literal in JSON at position 11'],
    ['\ufeff{}', 'Unexpected token \'U+FEFF\', "U+FEFF{}" is not valid JSON'],
    ['[\u0001]', 'Unexpected token \'U+0001\', "[U+0001]" is not valid JSON'],
    ['nonsense', 'Unexpected token \'o\', "nonsense" is not valid JSON'],
  ])('names the mistake in %j', async (text, mistake) => {
    const problem = expectProblem(await post('/v1/tasks', text), 400, [text]);
    expect(problem.type).toMatch(/malformed-body$/);
    expect(problem.detail).toContain(`The body is not valid JSON. ${mistake}`);
  });

  test('repeats only a few characters of the body', async () => {
    const problem = expectProblem(await post('/v1/tasks', 'secret '.repeat(1_000)), 400, ['secret']);
    expect(problem.detail.length).toBeLessThan(160);
  });
});

describe('an unknown path', () => {
  test.each([
    ['/tasks', '/v1/tasks'],
    ['/v1/task', '/v1/tasks'],
    ['/v1/Tasks', '/v1/tasks'],
    ['/v1/tasks/', '/v1/tasks'],
    ['/v1/organisations', '/v1/organizations'],
    ['/v1/project/7', '/v1/projects/7'],
    ['/projects/7/task', '/v1/projects/7/tasks'],
    ['/v1/organizations/7/archived', '/v1/organizations/7/archive'],
    ['/health', '/v1/health'],
  ])('for %s: suggests %s', async (path, suggested) => {
    const problem = expectProblem(await request('GET', path), 404, [path]);
    expect(problem.detail).toContain(`Did you mean ${suggested}?`);
  });

  test.each(['/nothing/like/this/here', '/v2/accounts', `/${'t'.repeat(3_000)}`])(
    'for %s: contains no suggestion',
    async (path) => {
      const problem = expectProblem(await request('GET', path), 404, [path]);
      expect(problem.detail).not.toContain('Did you mean');
    },
  );
});

describe('a body with validation issues', () => {
  test('returns the allowed values of an item of an array', async () => {
    const { id } = await create('project');
    const response = await request('POST', `${pathTo('project', id)}/clone`, { body: { include: ['x'] } });
    const problem = expectProblem(response, 400);
    expect(problem.errors).toEqual([
      { pointer: '/include/0', detail: 'Item 1 of "include" must be "tasks": "x" is not.' },
    ]);
  });

  test.each([
    ['task', 'name'],
    ['task', 'status'],
    ['task', 'priority'],
    ['task', 'description'],
    ['task', 'tagIds'],
    ['project', 'organizationId'],
    ['tag', 'color'],
  ] as const)('returns "must not be null" for the %s field %s', async (kind, field) => {
    const { id } = await create(kind);
    const problem = expectProblem(await request('PATCH', pathTo(kind, id), { body: { [field]: null } }), 400);
    expect(problem.errors).toEqual([{ pointer: `/${field}`, detail: `"${field}" must not be null.` }]);
  });

  test.each([
    ['task', 'dueDate', '2026-02-30', 'must be a day that exists, as YYYY-MM-DD: "2026-02-30" is not.'],
    ['task', 'priority', 'hgih', 'must be one of none, low, medium, high, urgent: "hgih" is not.'],
    ['task', 'status', 'in progress', 'must be 1 to 64 letters, digits, "-" or "_": "in progress" is not.'],
    ['task', 'name', 7, 'must be a string: 7 is not.'],
    ['task', 'name', {}, 'must be a string.'],
    ['tag', 'color', 'red', 'must be a color as #rrggbb, six hexadecimal digits: "red" is not.'],
    ['user', 'email', 'a"b', 'must be an e-mail address: "a\\"b" is not.'],
    ['user', 'email', `${'a'.repeat(60)}@b.c`, `must be an e-mail address: "${'a'.repeat(60)}@b.c" is not.`],
    ['user', 'email', `${'a'.repeat(61)}@b.c`, 'must be an e-mail address.'],
    ['user', 'name', 'x'.repeat(256), 'must have 1 to 255 characters besides surrounding white space.'],
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
    ['/v1/tasks', { name: 'x', assigneeId: '7' }, 'assigneeId', 'userId'],
    ['/v1/tasks', { name: 'x', due_date: null }, 'due_date', 'dueDate'],
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
