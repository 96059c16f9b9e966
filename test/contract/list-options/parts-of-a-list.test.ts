import { createMany, times } from '../batches.ts';
import { expectParameter } from '../problem.ts';
import {
  create,
  type Entity,
  etagOf,
  type List,
  listOf,
  pathTo,
  readList,
  resourceOf,
  someLists,
  someResources,
} from '../resources.ts';
import { type Parameters, request, type TestResponse, withQuery } from '../service.ts';

/** `fields`, `etags` and `X-Total-Count`: the parts of a list that a request asks for. */

describe.each(someLists)('fields in GET $title', ({ item, open }) => {
  const { scalarFields, references } = resourceOf(item);
  const all = [...scalarFields, ...references.flatMap(({ field, many }) => (many ? [field] : []))];
  let entities: Entity[];
  let at: (parameters: Parameters) => string;

  beforeAll(async () => {
    const scope = await open();
    at = (parameters) => withQuery(scope.path, { ...scope.query, ...parameters });
    const { full, minimal } = resourceOf(item);
    entities = [
      await create(item, { ...(await minimal()), ...scope.fields }),
      await create(item, { ...(await full()), ...scope.fields }),
    ];
  });

  const newestFirst = (fields: readonly string[]) =>
    entities
      .toReversed()
      .map((entity) => Object.fromEntries(['id', ...fields].map((field) => [field, entity[field]])));

  test('select each field and always the id', async () => {
    for (const field of all)
      expect(await readList(at({ fields: field }))).toMatchObject({ data: newestFirst([field]), total: 2 });
  });

  test('selects several fields, also by another spelling of the order', async () => {
    expect((await readList(at({ fields: 'id,name' }))).data).toEqual(newestFirst(['name']));
    expect((await readList(at({ fields: 'status,createdAt,name' }))).data).toEqual(
      newestFirst(['status', 'createdAt', 'name']),
    );
    expect((await readList(at({ fields: all.join(',') }))).data).toEqual(entities.toReversed());
  });

  test.each(['name,unknown', '', 'name,', 'Name', 'organization'])(
    'returns 400 for fields=%s',
    async (fields) => {
      expectParameter(await request('GET', at({ fields })), 'fields');
    },
  );
});

type TaggedList = List & { readonly etags?: readonly string[] };

describe.each(someLists)('etags in GET $title', ({ item, open }) => {
  let at: (parameters: Parameters) => string;

  beforeAll(async () => {
    const scope = await open();
    at = (parameters) => withQuery(scope.path, { ...scope.query, ...parameters });
    const [, changed] = await createMany(item, times(3, scope.fields));
    await request('PATCH', pathTo(item, changed?.id ?? ''), { body: { name: 'changed' } });
  });

  test.each([
    ['the default order', {}],
    ['chosen fields', { fields: 'name' }],
    ['an order and a filter', { sortBy: 'name', 'name[contains]': 'a' }],
    ['an empty page', { page: 9 }],
  ])('are the ETags of the entities, with %s', async (_, parameters) => {
    const { data, etags } = (await readList(at({ ...parameters, etags: 'true' }))) as TaggedList;
    expect(etags).toEqual(await Promise.all(data.map(({ id }) => etagOf(item, id))));
  });

  test('are absent unless they are asked for', async () => {
    for (const no of [{}, { etags: 'False' }]) expect(await readList(at(no))).not.toHaveProperty('etags');
    expect(await readList(at({ etags: 'True' }))).toHaveProperty('etags');
  });

  test('must be true or false', async () => {
    expectParameter(await request('GET', at({ etags: 'yes' })), 'etags');
  });
});

const totalCount = (response: TestResponse): string | null => response.headers.get('x-total-count');

describe.each(someLists)('X-Total-Count of $title', ({ item, open }) => {
  test('equals total in GET and HEAD, for every list that a request can ask for', async () => {
    const { path, query, fields } = await open();
    const made = [await create(item, { ...fields, name: 'a' }), await create(item, { ...fields, name: 'b' })];
    const queries: [Parameters, number][] = [
      [{}, 2],
      [{ limit: 1, page: 2 }, 2],
      [{ page: 4_000 }, 2],
      [{ name: 'c' }, 0],
      [{ 'name[ne]': 'a', sortBy: 'name,id' }, 1],
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
});

test.each(someResources)('$path/{id} has no X-Total-Count', async ({ kind }) => {
  const { id } = await create(kind);
  expect(totalCount(await request('GET', pathTo(kind, id)))).toBeNull();
});
