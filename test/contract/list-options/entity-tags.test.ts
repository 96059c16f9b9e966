import { expectParameter, expectProblem } from '../problem.ts';
import { create, etagOf, type List, pathTo, readList, resourceOf, someLists } from '../resources.ts';
import { type Parameters, request, withQuery } from '../service.ts';

/** `etags` in lists: the versions of the entities in `data`. */

type TaggedList = List & { readonly etags?: readonly string[] };

describe.each(someLists)('etags in GET $title', ({ item, open }) => {
  let at: (parameters: Parameters) => string;
  let ids: string[];

  beforeAll(async () => {
    const scope = await open();
    at = (parameters) => withQuery(scope.path, { ...scope.query, ...parameters });
    ids = [];
    for (let count = 0; count < 3; count += 1) {
      const body = { ...(await resourceOf(item).minimal()), ...scope.fields };
      ids.unshift((await create(item, body)).id);
    }
    await request('PATCH', pathTo(item, ids[1] ?? ''), { body: { name: 'changed' } });
  });

  test.each([
    ['the default order', {}],
    ['another order', { sortBy: 'updatedAt' }],
    ['chosen fields', { fields: 'name' }],
    ['an order and a filter', { sortBy: 'name', 'name[contains]': 'a' }],
  ])('are the ETags of the entities, with %s', async (_, parameters) => {
    const { data, etags } = (await readList(at({ ...parameters, etags: 'true' }))) as TaggedList;
    expect(data.length).toBeGreaterThan(0);
    const expected = data.map(({ id }) => etagOf(item, id));
    expect(etags).toEqual(await Promise.all(expected));
  });

  test('are those of one id and of an empty page', async () => {
    const [id = ''] = ids;
    const etags = [await etagOf(item, id)];
    expect(await readList(at({ id, etags: 'true' }))).toMatchObject({ data: [{ id }], etags });
    expect(await readList(at({ page: 9, etags: 'true' }))).toMatchObject({ data: [], etags: [] });
  });

  test('are absent unless they are asked for', async () => {
    expect(await readList(at({}))).not.toHaveProperty('etags');
    for (const no of ['false', 'False']) {
      expect(await readList(at({ etags: no }))).not.toHaveProperty('etags');
    }
    expect(await readList(at({ etags: 'True' }))).toHaveProperty('etags');
  });

  test('guard a write, and fail it after another write', async () => {
    const list = (await readList(at({ sortBy: 'id', sortOrder: 'asc', etags: 'true' }))) as TaggedList;
    const [id = '', tag = ''] = [list.data[0]?.id, list.etags?.[0]];
    const write = (name: string) =>
      request('PATCH', pathTo(item, id), { body: { name }, headers: { 'if-match': tag } });
    expect((await write('guarded')).status).toBe(200);
    expectProblem(await write('too late'), 412);
  });

  test('must be true or false', async () => {
    expectParameter(await request('GET', at({ etags: 'yes' })), 'etags');
  });
});
