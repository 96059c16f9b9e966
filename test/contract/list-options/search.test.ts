import { createMany } from '../batches.ts';
import { expectParameter, expectStatus } from '../problem.ts';
import { create, type Entity, pathTo, readList, resourceOf } from '../resources.ts';
import { type Parameters, request, unique, withQuery } from '../service.ts';

/** The search for words. */

const { path } = resourceOf('task');

/** More than rows show of a description, and more than the item of its entity has. */
const [cut, long] = ['Filler words, '.repeat(10), 'Filler words, '.repeat(40)];

const texts: readonly (readonly [name: string, description: string])[] = [
  ['Plan the release', ''],
  ['Café déjà-vu', 'PLANTS and trees'],
  ['Straße Ⅷ ﬁne', `${cut}rhubarb`],
  ['snake_case v2.10', `${long}rhubarb Ünder`],
  ['計画 を立てる', 'ΣΟΦΟΣ'],
];

describe('a search', () => {
  let mark: string;
  let tasks: Entity[];
  const at = (parameters: Parameters) => withQuery(path, { sortOrder: 'asc', status: mark, ...parameters });
  const found = async (search: string): Promise<number[]> =>
    (await readList(at({ search }))).data.map(({ id }) => tasks.findIndex((task) => task.id === id));

  beforeAll(async () => {
    mark = unique('searched');
    tasks = await createMany(
      'task',
      texts.map(([name, description]) => ({ name, description, status: mark, estimate: 2.5 })),
    );
  });

  test.each<[string, number[]]>([
    ['plan', [0, 1]],
    ['PLAN', [0, 1]],
    ['plan release', [0]],
    ['rel pl the', [0]],
    ['plan, the... (release)!', [0]],
    ['elease', []],
    ['cafe', [1]],
    ['CAFÉ deja', [1]],
    ['vu', [1]],
    ['straße', [2]],
    ['strasse', []],
    ['viii fine', [2]],
    ['snake case 10', [3]],
    ['snakecase', []],
    ['計', [4]],
    ['画', []],
    ['σοφοσ', [4]],
    ['σοφος', [4]],
    ['rhubarb', [2, 3]],
    ['fill rhub', [2, 3]],
    ['under rhu', [3]],
    ['', [0, 1, 2, 3, 4]],
    [' -;! ', [0, 1, 2, 3, 4]],
    ['a b c d e f g h', []],
    ['x'.repeat(50), []],
  ])('for "%s" finds the tasks %j', async (search, expected) => {
    expect(await found(search)).toEqual(expected);
  });

  test.each([
    ['a b c d e f g h i', 'has 9 words; at most 8 are allowed'],
    ['x'.repeat(51), 'has a word of more than 50 characters'],
  ])('for "%s" is a 400', async (search, detail) => {
    const problem = expectParameter(await request('GET', at({ search })), 'search');
    expect(JSON.stringify(problem)).toContain(detail);
  });

  test('continues behind a page, with the same words only', async () => {
    const page = (search: string, after: string) => request('GET', at({ search, after, limit: 1 }));
    const { next } = (await page('rhubarb', '')).body as { next: string };
    expect((await page('rhubarb', next)).body).toMatchObject({ data: [{ id: tasks[3]?.id }], next: null });
    expectParameter(await page('rhubarb fill', next), 'after');
  });

  test('is one of nested lists and of HEAD', async () => {
    const project = await create('project', {});
    const [task] = await createMany('task', [{ name: 'Nested plan', projectId: project.id }]);
    const nested = `${pathTo('project', project.id)}/tasks`;
    expect((await readList(withQuery(nested, { search: 'nest' }))).data.map(({ id }) => id)).toEqual([
      task?.id,
    ]);
    expect((await readList(withQuery(nested, { search: 'release' }))).total).toBe(0);
    expectStatus(await request('HEAD', at({ search: 'plan' })), 200);
  });

  test('has the names of users, who have no description', async () => {
    const { id } = await create('user', { name: `Zoë ${mark}` });
    const [, word = ''] = mark.split('-');
    const list = await readList(withQuery('/v1/users', { search: `zoe ${word}` }));
    expect(list.data.map((user) => user.id)).toEqual([id]);
  });

  test('is no parameter of a feed, or beside a cursor of changes', async () => {
    expectParameter(await request('GET', withQuery(`${path}/changes`, { search: 'plan' })), 'search');
    expectParameter(await request('GET', at({ search: 'plan', changesCursor: 'true' })), 'changesCursor');
  });
});
