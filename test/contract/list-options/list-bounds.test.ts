import { expectParameter, expectProblem, type Problem } from '../problem.ts';
import { create, entityOf, listOf, readList, someLists } from '../resources.ts';
import { inParallel, request, unique, withQuery } from '../service.ts';

type Pairs = readonly (readonly [string, string])[];

const values = (count: number): string[] => Array.from({ length: count }, (_, number) => `v${number}`);

const messageOf = (problem: Problem): string =>
  [problem.detail, ...(problem.errors ?? []).map(({ detail }) => detail)].join('\n');

const twoOperators = (field: string, operators: readonly string[]): Pairs =>
  operators.map((operator) => [operator === '' ? field : `${field}[${operator}]`, 'x'] as const);

const textOperators = ['', 'ne', 'in', 'notIn', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'contains'];

/** Filters of every list: name and status have ten each. */
const filters: Pairs = [
  ...twoOperators('name', textOperators),
  ...twoOperators('status', textOperators),
  ...twoOperators('id', ['ne', 'notIn', 'gte']),
];

describe.each(someLists)('the bounds of GET $title', ({ item, open }) => {
  const at = async (pairs: Pairs): Promise<string> => withQuery((await open()).path, pairs);

  test.each(['in', 'notIn'])('allow 100 values in %s, and 101 are a 400', async (operator) => {
    const parameter = `status[${operator}]`;
    const allowed = values(100).join(',');
    listOf(await request('GET', await at([[parameter, allowed]])));
    const problem = expectParameter(
      await request('GET', await at([[parameter, `${allowed},v100`]])),
      parameter,
    );
    expect(messageOf(problem)).toMatch(/\b100\b/);
  });

  test('count the values of a repeated in together', async () => {
    const halves: Pairs = [
      ['status[in]', values(60).join(',')],
      ['status[in]', values(100).slice(60).join(',')],
    ];
    listOf(await request('GET', await at(halves)));
    expectParameter(await request('GET', await at([...halves, ['status[in]', 'v100']])), 'status[in]');
  });

  test('allow 20 filters, and 21 are a 400', async () => {
    expect(await readList(await at(filters.slice(0, 20)))).toMatchObject({ data: [], total: 0 });
    const problem = expectProblem(await request('GET', await at(filters.slice(0, 21))), 400);
    expect(messageOf(problem)).toMatch(/\b20\b/);
  });

  test('count parameters that are not filters separately', async () => {
    const others: Pairs = [
      ['page', '1'],
      ['limit', '5'],
      ['sortBy', 'name,status,id'],
      ['sortOrder', 'asc,desc,asc'],
      ['fields', 'name'],
      ['countBy', 'status'],
    ];
    listOf(await request('GET', await at([...filters.slice(0, 20), ...others])));
  });

  test('allow 60 parameters, and 61 are a 400', async () => {
    const repeated: Pairs = values(60).map((value) => ['status[in]', value] as const);
    listOf(await request('GET', await at(repeated)));
    const problem = expectProblem(await request('GET', await at([...repeated, ['page', '1']])), 400);
    expect(messageOf(problem)).toMatch(/\b60\b/);
  });

  test('allow three sort fields, and four are a 400', async () => {
    listOf(await request('GET', await at([['sortBy', 'name,status,id']])));
    const problem = expectParameter(
      await request('GET', await at([['sortBy', 'name,status,id,createdAt']])),
      'sortBy',
    );
    expect(messageOf(problem)).toMatch(/\b(?:3|three)\b/i);
  });

  test('find entities by 100 ids', async () => {
    const { path, query, fields } = await open();
    const { id } = await create(item, fields);
    const ids = [...values(99), id].join(',');
    expect((await readList(withQuery(path, { ...query, 'id[in]': ids }))).data).toMatchObject([{ id }]);
    expect(await readList(withQuery(path, { ...query, 'id[notIn]': ids }))).toMatchObject({ total: 0 });
  });
});

test.each(['in', 'all'])('tagIds[%s] takes 100 values, and 101 are a 400', async (operator) => {
  const parameter = `tagIds[${operator}]`;
  listOf(await request('GET', withQuery('/v1/tasks', { [parameter]: values(100).join(',') })));
  expectParameter(
    await request('GET', withQuery('/v1/tasks', { [parameter]: values(101).join(',') })),
    parameter,
  );
});

test('an escaped comma separates no values', async () => {
  const value = Array.from({ length: 150 }, () => 'x').join('\\,');
  listOf(await request('GET', withQuery('/v1/tasks', { 'name[in]': value })));
});

test('a page above 5.5 MB is a 400 that asks for a lower limit', async () => {
  const status = unique('s');
  // About 1,260 bytes each: a task with 50 of them takes 65 kB, 100 tasks 6.5 MB.
  const name = '\u{1F600}'.repeat(255);
  const tagIds = (await inParallel(values(50), () => create('tag', { name }))).map(({ id }) => id);
  await inParallel(values(100), async () => {
    entityOf(await request('POST', '/v1/tasks', { body: { name: 'x', status, tagIds } }), 201);
  });
  const at = (limit: number) => withQuery('/v1/tasks', { status, expand: 'tags', limit });
  // 90 tasks take 5.9 MB, and 75 take 4.9 MB.
  for (const limit of [90, 100, 1_000]) {
    const problem = expectParameter(await request('GET', at(limit)), 'limit');
    expect(messageOf(problem)).toMatch(/limit/);
  }
  for (const limit of [10, 75]) {
    const list = await readList(at(limit));
    expect(list.data).toHaveLength(limit);
    expect(list.total).toBe(100);
  }
  expect((await readList(withQuery('/v1/tasks', { status, limit: 100 }))).data).toHaveLength(100);
});
