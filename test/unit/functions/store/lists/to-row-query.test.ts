import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import { toRowQuery } from '#functions/store/lists/to-row-query.ts';
import type { ListQuery, SortField } from '#functions/store/model/list-query.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';

const id = '01890000-0000-7000-8000-000000000001';

const rowQuery = (more: Partial<ListQuery> = {}) => toRowQuery('task', listQuery(more));

const nameOrder = (isDescending: boolean) => ({
  field: 'name',
  ranks: undefined,
  defaultValue: null,
  isDescending,
});

describe('the page', () => {
  test('is the first one, in the order of creation, without filters', () => {
    expect(rowQuery()).toEqual({
      filters: [],
      orders: [],
      isDescending: false,
      skip: 0,
      limit: 20,
      countBy: [],
    });
  });

  test('skips the rows of the pages before it', () => {
    expect(rowQuery({ page: 4, limit: 25 })).toMatchObject({ skip: 75, limit: 25 });
  });
});

describe('the order', () => {
  const ordersOf = (...sort: readonly (readonly [string, SortField['direction']])[]) => {
    const { orders, isDescending } = rowQuery({
      sort: sort.map(([field, direction]) => ({ field, direction })),
    });
    return [orders.map((order) => [order.field, order.isDescending]), isDescending];
  };

  test.each(['createdAt', 'id'])('by %s is that of creation, which needs no column', (field) => {
    expect(ordersOf([field, 'asc'])).toEqual([[], false]);
    expect(ordersOf([field, 'desc'])).toEqual([[], true]);
  });

  test('has the fields in their own directions, and ties in that of the first one', () => {
    expect(ordersOf(['name', 'asc'], ['status', 'desc'])).toEqual([
      [
        ['name', false],
        ['status', true],
      ],
      false,
    ]);
    expect(ordersOf(['name', 'desc'], ['status', 'asc'])).toEqual([
      [
        ['name', true],
        ['status', false],
      ],
      true,
    ]);
  });

  test('ends with the creation, which leaves no ties, in its own direction', () => {
    expect(ordersOf(['name', 'desc'], ['createdAt', 'asc'], ['status', 'desc'])).toEqual([
      [['name', true]],
      false,
    ]);
    expect(ordersOf(['id', 'desc'], ['status', 'asc'])).toEqual([[], true]);
  });

  test('by a text has no ranks', () => {
    expect(rowQuery({ sort: sortedBy('name') }).orders).toEqual([nameOrder(false)]);
    expect(rowQuery({ sort: sortedBy('name', 'desc') }).orders).toEqual([nameOrder(true)]);
  });

  test('by an enumeration has its ranks and its default', () => {
    const ranks = { priority: ['none', 'low', 'high'] };
    const defaults = { priority: 'low', color: '#808080' };
    expect(rowQuery({ sort: sortedBy('priority'), ranks, defaults }).orders).toEqual([
      { field: 'priority', ranks: ['none', 'low', 'high'], defaultValue: 'low', isDescending: false },
    ]);
  });
});

test('has the filters of rows once each, also two by one field, and the ids of the others', () => {
  const filters = [
    isValue('projectId', id),
    isValue('status', 'open'),
    isValue('id', id),
    isValue('projectId', id),
    isValue('status', 'done'),
  ];
  expect(rowQuery({ filters })).toMatchObject({
    filters: [isText('projectId', id), isText('status', 'open'), isText('status', 'done')],
    ids: [{ from: id, to: `${id}\u0000` }],
  });
  expect(rowQuery()).not.toHaveProperty('ids');
});

test('counts fields in their order, each id of an array', () => {
  const ranks = { priority: ['none', 'low'] };
  const defaults = { priority: 'none', tagIds: [] };
  expect(rowQuery({ countBy: ['tagIds', 'priority'], ranks, defaults }).countBy).toEqual([
    { field: 'tagIds', isArray: true, ranks: undefined, defaultValue: '' },
    { field: 'priority', isArray: false, ranks: ['none', 'low'], defaultValue: 'none' },
  ]);
});
