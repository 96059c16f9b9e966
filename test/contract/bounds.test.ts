import { expectProblem, pointers } from './problem.ts';
import { create, entityOf, listOf, pathTo, readList, resourceOf, resources } from './resources.ts';
import { inParallel, request, unique, withQuery } from './service.ts';

/** What a request may hold and what a response may grow to. */

describe('control characters', () => {
  const allowed = ['\t', '\n', '\r'];
  const c0 = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
  const refused = c0.filter((character) => !allowed.includes(character));

  const textFields = resources.flatMap(({ kind, defaults }) => [
    [kind, 'name'] as const,
    ...('description' in defaults ? [[kind, 'description'] as const] : []),
  ]);

  test.each(textFields)('are 400 in the %s field %s, each of them', async (kind, field) => {
    const body = await resourceOf(kind).minimal();
    const answers = await inParallel(refused, (character) =>
      request('POST', resourceOf(kind).path, { body: { ...body, [field]: `a${character}b` } }),
    );
    for (const answer of answers) {
      expect(pointers(expectProblem(answer, 400))).toEqual([`/${field}`]);
      expect(answer.text).toContain('control character');
    }
  });

  test.each(textFields)(
    'tab, line feed and carriage return are kept in the %s field %s',
    async (kind, field) => {
      const value = `a${allowed.join('b')}c`;
      expect(await create(kind, { [field]: value })).toMatchObject({ [field]: value });
    },
  );
});

describe('a body with many mistakes', () => {
  test('names at most 50 unknown fields', async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, field) => [`f${field}`, 1]));
    const problem = expectProblem(await request('POST', '/v1/tasks', { body }), 400, Object.keys(body));
    expect(problem.errors).toHaveLength(50);
  });

  test('names the length of an array that is too long, and none of its items', async () => {
    const body = { name: 'x', tagIds: Array.from({ length: 20_000 }, () => 1) };
    const problem = expectProblem(await request('POST', '/v1/tasks', { body }), 400);
    expect(problem.errors).toEqual([{ pointer: '/tagIds', detail: '"tagIds" must have at most 50 items.' }]);
  });

  test('names each wrong item of an array that is short enough', async () => {
    const body = { name: 'x', tagIds: Array.from({ length: 50 }, () => 1) };
    const problem = expectProblem(await request('POST', '/v1/tasks', { body }), 400);
    expect(problem.errors).toHaveLength(50);
    expect(problem.errors?.[49]).toEqual({ pointer: '/tagIds/49', detail: '"tagIds" must be a string.' });
  });

  test('names one mistake of a text: its length', async () => {
    const body = { name: 'x', email: `a@${'a'.repeat(100_000)}!` };
    const problem = expectProblem(await request('POST', '/v1/users', { body }), 400);
    expect(problem.errors).toEqual([
      { pointer: '/email', detail: '"email" must have at most 254 characters.' },
    ]);
  });
});

describe('the Link header', () => {
  test('is there for a query of 2,000 bytes, and below 9 KB', async () => {
    const path = withQuery('/v1/tags', { name: 'x'.repeat(1_900), limit: 1 });
    const link = (await request('GET', path)).headers.get('link');
    expect(link).toContain('rel="last"');
    expect(Buffer.byteLength(link ?? '')).toBeLessThan(9_000);
  });

  test.each([
    ['plain', 'x'.repeat(2_100)],
    ['that grows when it is encoded', "'".repeat(1_000)],
  ])('is left out for a longer query, %s', async (_, value) => {
    const answer = await request('GET', `/v1/tags?name=${value}`);
    expect(listOf(answer)).toMatchObject({ data: [], total: 0 });
    expect(answer.headers.has('link')).toBe(false);
  });
});

test('a nested list leaves Link out for an id that no entity can have', async () => {
  const answer = await request('GET', `/v1/projects/${'x'.repeat(300)}/tasks`);
  expect(listOf(answer)).toMatchObject({ data: [], total: 0 });
  expect(answer.headers.has('link')).toBe(false);
});

describe('the largest page', () => {
  test('stays below what a function may respond with', async () => {
    const status = unique('s');
    const tagIds = (await inParallel(Array.from({ length: 50 }), () => create('tag'))).map(({ id }) => id);
    const name = '\u{1F600}'.repeat(255);
    // Each of these takes four bytes in the response: an emoji in UTF-8, a quote and a backslash escaped twice.
    const texts = ['\u{1F600}', '"', '\\'].map((character) => character.repeat(10_000));
    await inParallel(Array.from({ length: 100 }), async (_, place) => {
      const description = texts[place % texts.length] ?? '';
      entityOf(await request('POST', '/v1/tasks', { body: { name, status, description, tagIds } }), 201);
    });
    const answer = await request('GET', withQuery('/v1/tasks', { status, limit: 100 }));
    expect(listOf(answer).data).toHaveLength(100);
    // A function may respond with 6 MB. Its response is JSON with the body as one string: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    expect(Buffer.byteLength(JSON.stringify(answer.text))).toBeLessThan(4_500_000);
  });
});

describe('sortBy=description', () => {
  test('orders by the first 100 characters, then by creation', async () => {
    const status = unique('s');
    const same = '\u{1F600}'.repeat(100);
    const made = [];
    for (const end of ['b', 'a', 'c']) made.push(await create('task', { status, description: same + end }));
    const before = await create('task', { status, description: '\u{1F600}'.repeat(99) });
    const list = await readList(withQuery('/v1/tasks', { status, sortBy: 'description', sortOrder: 'asc' }));
    expect(list.data.map(({ id }) => id)).toEqual([before, ...made].map(({ id }) => id));
  });

  test('a page far behind the end is empty, with the true total', async () => {
    const status = unique('s');
    await create('task', { status });
    const query = { status, sortBy: 'description', page: 90_071_992_547_409, limit: 100 };
    expect(await readList(withQuery('/v1/tasks', query))).toMatchObject({
      data: [],
      total: 1,
      totalPages: 1,
    });
  });
});

describe('sortBy=priority', () => {
  test('orders by rank, not by letters', async () => {
    const status = unique('s');
    for (const priority of ['urgent', 'low', 'none', 'high', 'medium'])
      await create('task', { status, priority });
    const read = async (sortOrder: string) =>
      (await readList(withQuery('/v1/tasks', { status, sortBy: 'priority', sortOrder }))).data.map(
        ({ priority }) => priority,
      );
    expect(await read('asc')).toEqual(['none', 'low', 'medium', 'high', 'urgent']);
    expect(await read('desc')).toEqual(['urgent', 'high', 'medium', 'low', 'none']);
  });
});

describe('the id of another kind', () => {
  /** Every nested list and every filter by reference, for an id. */
  const listsFor = (id: string): string[] =>
    resources.flatMap(({ kind, path, nested, references }) => [
      ...nested.map(({ segment }) => `${pathTo(kind, id)}/${segment}`),
      ...references.map(({ field }) => withQuery(path, { [field]: id })),
    ]);

  test('finds nothing in nested lists and in filters by reference', async () => {
    const kinds = resources.map(({ kind }) => kind);
    const ids = await inParallel(kinds, async (kind) => (await create(kind)).id);
    const [organization = '', project = '', user = '', , tag = ''] = ids;
    for (const name of ['one', 'another']) {
      await create('project', { name, organizationId: organization });
      await create('user', { name, organizationId: organization });
      await create('tag', { name, organizationId: organization });
      await create('task', { name, projectId: project, userId: user, tagIds: [tag] });
    }
    const totals = await inParallel(ids.flatMap(listsFor), async (path) => [
      path,
      (await readList(path)).total,
    ]);
    expect(totals.filter(([, total]) => total !== 0)).toEqual(
      expect.arrayContaining([
        [`/v1/organizations/${organization}/projects`, 2],
        [`/v1/organizations/${organization}/users`, 2],
        [`/v1/projects?organizationId=${organization}`, 2],
        [`/v1/users?organizationId=${organization}`, 2],
        [`/v1/tags?organizationId=${organization}`, 2],
        [`/v1/projects/${project}/tasks`, 2],
        [`/v1/tasks?projectId=${project}`, 2],
        [`/v1/users/${user}/tasks`, 2],
        [`/v1/tasks?userId=${user}`, 2],
        [`/v1/tags/${tag}/tasks`, 2],
        [`/v1/tasks?tagIds=${tag}`, 2],
      ]),
    );
    expect(totals.filter(([, total]) => total !== 0)).toHaveLength(11);
  });
});
