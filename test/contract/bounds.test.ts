import { createMany, times } from './batches.ts';
import { expectProblem, pointers } from './problem.ts';
import { create, listOf, pathTo, readList, resourceOf, resources } from './resources.ts';
import { inParallel, request, unique, withQuery } from './service.ts';

describe('control characters', () => {
  const allowed = ['\t', '\n', '\r'];
  const c0 = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
  const rejected = c0.filter((character) => !allowed.includes(character));

  const textFields = resources.flatMap(({ kind, defaults }) => [
    [kind, 'name'] as const,
    ...('description' in defaults ? [[kind, 'description'] as const] : []),
  ]);

  test.each(textFields)('return 400 in the %s field %s', async (kind, field) => {
    const body = await resourceOf(kind).minimal();
    const responses = await inParallel(rejected, (character) =>
      request('POST', resourceOf(kind).path, { body: { ...body, [field]: `a${character}b` } }),
    );
    for (const response of responses) {
      expect(pointers(expectProblem(response, 400))).toEqual([`/${field}`]);
      expect(response.text).toContain('control character');
    }
  });

  test.each(textFields)('keep tab, line feed and carriage return in the %s field %s', async (kind, field) => {
    const value = `a${allowed.join('b')}c`;
    expect(await create(kind, { [field]: value })).toMatchObject({ [field]: value });
  });
});

describe('a body with many validation issues', () => {
  test('returns issues for at most 50 unknown fields', async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, field) => [`f${field}`, 1]));
    const problem = expectProblem(await request('POST', '/v1/tasks', { body }), 400, Object.keys(body));
    expect(problem.errors).toHaveLength(50);
  });

  test('returns one issue for an array that is too long, and none for its items', async () => {
    const body = { name: 'x', tagIds: Array.from({ length: 20_000 }, () => 1) };
    const problem = expectProblem(await request('POST', '/v1/tasks', { body }), 400);
    expect(problem.errors).toEqual([{ pointer: '/tagIds', detail: '"tagIds" must have at most 50 items.' }]);
  });

  test('returns one issue for a text that is too long', async () => {
    const body = { name: 'x', email: `a@${'a'.repeat(100_000)}!` };
    const problem = expectProblem(await request('POST', '/v1/users', { body }), 400);
    expect(problem.errors).toEqual([
      { pointer: '/email', detail: '"email" must have at most 254 characters.' },
    ]);
  });
});

describe('the Link header', () => {
  test('is present for a query of 2,000 bytes and stays below 9 KB', async () => {
    const path = withQuery('/v1/tags', { name: 'x'.repeat(1_900), limit: 1 });
    const link = (await request('GET', path)).headers.get('link');
    expect(link).toContain('rel="last"');
    expect(Buffer.byteLength(link ?? '')).toBeLessThan(9_000);
  });

  test.each([
    ['plain', 'x'.repeat(2_100)],
    ['that grows when it is encoded', "'".repeat(1_000)],
  ])('is left out for a longer query, %s', async (_, value) => {
    const response = await request('GET', `/v1/tags?name=${value}`);
    expect(listOf(response)).toMatchObject({ data: [], total: 0 });
    expect(response.headers.has('link')).toBe(false);
  });
});

test('a nested list has no Link header when no entity can have the id', async () => {
  const response = await request('GET', `/v1/projects/${'x'.repeat(300)}/tasks`);
  expect(listOf(response)).toMatchObject({ data: [], total: 0 });
  expect(response.headers.has('link')).toBe(false);
});

test('the largest page stays below the response limit of Lambda', async () => {
  const status = unique('s');
  const tagIds = (await createMany('tag', times(50))).map(({ id }) => id);
  // Each of these characters takes four bytes: an emoji in UTF-8, and a quote and a backslash escaped twice.
  for (const character of ['\u{1F600}', '"', '\\']) {
    const description = character.repeat(10_000);
    await create('task', { name: '\u{1F600}'.repeat(255), status, description, tagIds });
  }
  const { text } = await request('GET', withQuery('/v1/tasks', { status }));
  // A page has 100 entities. Lambda limits a response to 6 MB, including the JSON around the body:
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
  expect((Buffer.byteLength(JSON.stringify(text)) * 100) / 3).toBeLessThan(4_500_000);
});

test('the id of another kind matches nothing in nested lists and reference filters', async () => {
  for (const { kind } of resources) {
    const { id } = await create(kind);
    const paths = resources.flatMap((other) => [
      ...(other.kind === kind
        ? []
        : other.nested.map(({ segment }) => `${pathTo(other.kind, id)}/${segment}`)),
      ...other.references
        .filter(({ to }) => to !== kind)
        .map(({ field }) => withQuery(other.path, { [field]: id })),
    ]);
    for (const path of paths) expect([path, (await readList(path)).total]).toEqual([path, 0]);
  }
});
