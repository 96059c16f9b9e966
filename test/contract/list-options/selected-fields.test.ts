import { expectParameter } from '../problem.ts';
import { create, type Entity, readList, resourceOf, someLists } from '../resources.ts';
import { type Parameters, request, withQuery } from '../service.ts';

/** `fields` in lists: the fields of each entity in `data`. */

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

  test.each(all)('selects %s and always the id', async (field) => {
    expect(await readList(at({ fields: field }))).toEqual({
      data: newestFirst([field]),
      total: 2,
      page: 1,
      totalPages: 1,
    });
  });

  test('selects several fields, also by another spelling of the order', async () => {
    expect((await readList(at({ fields: 'id,name' }))).data).toEqual(newestFirst(['name']));
    expect((await readList(at({ fields: 'status,createdAt,name' }))).data).toEqual(
      newestFirst(['status', 'createdAt', 'name']),
    );
    expect((await readList(at({ fields: all.join(',') }))).data).toEqual(entities.toReversed());
  });

  test('does not change filters, order, pages and counts', async () => {
    const list = await readList(
      at({
        fields: 'name',
        sortBy: 'createdAt',
        sortOrder: 'asc',
        'status[ne]': 'x',
        limit: 1,
        page: 2,
        countBy: 'status',
      }),
    );
    expect(list).toMatchObject({ data: newestFirst(['name']).slice(0, 1), total: 2, page: 2, totalPages: 2 });
    expect(Object.keys(list.data[0] ?? {}).sort()).toEqual(['id', 'name']);
    expect(Object.keys((list as unknown as { counts: object }).counts)).toEqual(['status']);
  });

  test.each([
    'unknown',
    'name,unknown',
    '',
    'name,',
    'Name',
    'constructor',
    'data',
    'organization',
    'project,user',
  ])('returns 400 for fields=%s', async (fields) => {
    expectParameter(await request('GET', at({ fields })), 'fields');
  });
});

test('fields shows long descriptions whole', async () => {
  const description = 'Long. '.repeat(1_000).trim();
  const { id } = await create('task', { description });
  const list = await readList(withQuery('/v1/tasks', { id, fields: 'description' }));
  expect(list.data).toEqual([{ id, description }]);
});
