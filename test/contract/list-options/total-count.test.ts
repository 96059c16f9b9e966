import { create, listOf, pathTo, someLists, someResources } from '../resources.ts';
import { type Parameters, request, type TestResponse, withQuery } from '../service.ts';

/** `X-Total-Count` of lists. */

const totalCount = (response: TestResponse): string | null => response.headers.get('x-total-count');

describe.each(someLists)('X-Total-Count of $title', ({ item, open }) => {
  test('equals total in GET and HEAD, for every list that a request can ask for', async () => {
    const { path, query, fields } = await open();
    const made = [await create(item, { ...fields, name: 'a' }), await create(item, { ...fields, name: 'b' })];
    const queries: [Parameters, number][] = [
      [{}, 2],
      [{ limit: 1 }, 2],
      [{ limit: 1, page: 2 }, 2],
      [{ page: 4_000 }, 2],
      [{ name: 'a' }, 1],
      [{ name: 'c' }, 0],
      [{ 'name[ne]': 'a', sortBy: 'name,id' }, 1],
      [{ sortBy: 'name', sortOrder: 'asc' }, 2],
      [{ fields: 'name', countBy: 'status' }, 2],
      [{ id: made[0]?.id ?? '' }, 1],
    ];
    for (const [more, total] of queries) {
      const at = withQuery(path, { ...query, ...more });
      const get = await request('GET', at);
      expect([at, listOf(get).total, totalCount(get)]).toEqual([at, total, String(total)]);
      const head = await request('HEAD', at);
      expect([at, head.status, head.text, totalCount(head)]).toEqual([at, 200, '', String(total)]);
    }
  });

  test('changes with each write at once', async () => {
    const { path, query, fields } = await open();
    const read = async () => totalCount(await request('HEAD', withQuery(path, query)));
    expect(await read()).toBe('0');
    const { id } = await create(item, fields);
    expect(await read()).toBe('1');
    await request('DELETE', pathTo(item, id));
    expect(await read()).toBe('0');
  });
});

test.each(someResources)('$path/{id} has no X-Total-Count', async ({ kind }) => {
  const { id } = await create(kind);
  expect(totalCount(await request('GET', pathTo(kind, id)))).toBeNull();
});

test('a list that is not valid has no X-Total-Count', async () => {
  expect(totalCount(await request('GET', '/v1/tasks?page=0'))).toBeNull();
});

test('browsers of other origins may read X-Total-Count', async () => {
  const response = await request('GET', '/v1/tasks', { headers: { origin: 'http://localhost:5173' } });
  const exposed = (response.headers.get('access-control-expose-headers') ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  expect(exposed.includes('*') || exposed.includes('x-total-count')).toBe(true);
});
