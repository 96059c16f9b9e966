import { createMany, times } from '../batches.ts';
import { expectParameter, expectProblem, type Problem } from '../problem.ts';
import { create, identifiers, listOf, readList, someLists } from '../resources.ts';
import { request, unique, withQuery } from '../service.ts';

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

  test('allow 20 filters, and 21 are a 400', async () => {
    expect(await readList(await at(filters.slice(0, 20)))).toMatchObject({ data: [], total: 0 });
    const problem = expectProblem(await request('GET', await at(filters.slice(0, 21))), 400);
    expect(messageOf(problem)).toMatch(/\b20\b/);
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

test('a page above 5.5 MB is a 400 that asks for a lower limit', async () => {
  const status = unique('s');
  // About 1,260 bytes each: a task with 50 of them takes 65 kB, 100 tasks 6.5 MB.
  const name = '\u{1F600}'.repeat(255);
  const tagIds = identifiers({ data: await createMany('tag', times(50, { name })) });
  await createMany('task', times(100, { name: 'x', status, tagIds }));
  const at = (limit: number) => withQuery('/v1/tasks', { status, expand: 'tags', limit });
  // 90 tasks take 5.9 MB, and 75 take 4.9 MB.
  expectParameter(await request('GET', at(90)), 'limit');
  expect((await readList(at(75))).data).toHaveLength(75);
});
