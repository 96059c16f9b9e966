import type { Direction } from '#functions/engine/model/list-query.ts';
import { plainOrder } from '../../support/plain-list.ts';
import { expectParameter } from '../problem.ts';
import { create, type Entity, identifiers, readList, resourceOf, someLists } from '../resources.ts';
import { type Parameters, request, withQuery } from '../service.ts';

/** `sortBy` with several fields, and `sortOrder` with one direction or one for each field. */

/** Returns the ids of entities in an order. */
const sorted = (entities: readonly Entity[], order: readonly (readonly [string, Direction])[]): string[] =>
  plainOrder(
    entities,
    order.map(([field, direction]) => ({ field, direction })),
  ).map(({ id }) => id);

describe.each(someLists)('GET $title', ({ item, open }) => {
  let entities: Entity[];
  let at: (parameters: Parameters) => string;

  beforeAll(async () => {
    const { path, query, fields } = await open();
    at = (parameters) => withQuery(path, { ...query, limit: 100, ...parameters });
    entities = [];
    for (const name of ['b', 'a', 'b', 'A', 'a', 'b', '\u{1F600}', '\uFF5E']) {
      entities.push(await create(item, { ...fields, name }));
    }
    const { full } = resourceOf(item);
    entities.push(await create(item, { ...(await full()), ...fields, name: 'a' }));
  });

  const read = async (parameters: Parameters): Promise<string[]> =>
    identifiers(await readList(at(parameters)));

  const asPairs = (order: string) => order.split(',').map((part) => part.split(' ') as [string, Direction]);

  test.each([
    'name asc',
    'name asc,createdAt desc',
    'status desc,name asc,id desc',
    'name asc,status desc,updatedAt asc',
  ])('sorts by each field in its own direction: %s', async (text) => {
    const order = asPairs(text);
    const sortBy = order.map(([field]) => field).join(',');
    const sortOrder = order.map(([, direction]) => direction).join(',');
    expect(await read({ sortBy, sortOrder })).toEqual(sorted(entities, order));
    expect(await read({ sort_by: sortBy, sort_order: sortOrder })).toEqual(sorted(entities, order));
  });

  test('uses one direction for all fields, which is descending without sortOrder', async () => {
    const ascending = await read({ sortBy: 'status,name', sortOrder: 'asc' });
    expect(ascending).toEqual(sorted(entities, asPairs('status asc,name asc')));
    expect(await read({ sortBy: 'status,name' })).toEqual(ascending.toReversed());
  });

  test.each([
    ['sortBy', { sortBy: ',name' }],
    ['sortBy', { sortBy: 'name,status,id,createdAt' }],
    ['sortBy', { sortBy: 'name,tagIds' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,' }],
    ['sortOrder', { sortBy: 'name,status', sortOrder: 'asc,desc,asc' }],
    ['sortOrder', { sortBy: 'name,status,id', sortOrder: 'asc,desc' }],
  ])('returns 400 with %s for %j', async (parameter, query: Parameters) => {
    expectParameter(await request('GET', at(query)), parameter);
  });
});
