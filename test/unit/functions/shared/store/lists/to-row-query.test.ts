import { toRowQuery } from '../../../../../../functions/shared/store/lists/to-row-query.ts';
import type { ListQuery } from '../../../../../../functions/shared/store/model/list-query.ts';

const id = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

const query = (more: Partial<ListQuery> = {}): ListQuery => ({
  filters: [],
  sortBy: 'createdAt',
  sortOrder: 'asc',
  page: 1,
  limit: 20,
  ...more,
});

/** Returns what the only filter of a query accepts. */
function filterOf(more: Partial<ListQuery>) {
  const [filter, ...others] = toRowQuery('task', query(more)).filters;
  if (!filter || others.length > 0) throw new Error('The query does not have one filter.');
  return filter;
}

describe('the page', () => {
  test('is the first one, in the order of creation, without filters', () => {
    expect(toRowQuery('task', query())).toEqual({ filters: [], isDescending: false, skip: 0, limit: 20 });
  });

  test('skips the rows of the pages before it', () => {
    expect(toRowQuery('task', query({ page: 4, limit: 25 }))).toMatchObject({ skip: 75, limit: 25 });
  });

  test('is descending when the list is', () => {
    expect(toRowQuery('task', query({ sortOrder: 'desc' })).isDescending).toBe(true);
  });
});

describe('the order', () => {
  test.each(['createdAt', 'id'])('by %s is that of creation, which needs no column', (sortBy) => {
    expect(toRowQuery('task', query({ sortBy }))).not.toHaveProperty('order');
  });

  test('by a text has no ranks', () => {
    expect(toRowQuery('task', query({ sortBy: 'name' })).order).toEqual({
      field: 'name',
      ranks: undefined,
      defaultValue: null,
    });
  });

  test('by an enumeration has its ranks and its default', () => {
    const ranks = { priority: ['none', 'low', 'high'] };
    const defaults = { priority: 'low', color: '#808080' };
    expect(toRowQuery('task', query({ sortBy: 'priority', ranks, defaults })).order).toEqual({
      field: 'priority',
      ranks: ['none', 'low', 'high'],
      defaultValue: 'low',
    });
  });

  test('has the default null of a field that can be null', () => {
    expect(toRowQuery('task', query({ sortBy: 'dueDate', defaults: { dueDate: null } })).order).toEqual({
      field: 'dueDate',
      ranks: undefined,
      defaultValue: null,
    });
  });
});

describe('a filter by a text', () => {
  test('names the text, so that it is searched for in the dictionary of a column', () => {
    expect(filterOf({ filters: [['priority', 'high']] })).toEqual({
      field: 'priority',
      text: 'high',
      accepts: expect.any(Function),
    });
  });

  test('accepts only the same text', () => {
    const { accepts } = filterOf({ filters: [['name', 'Build']] });
    expect(['Build', 'build', 'Build ', '', null, undefined].map(accepts)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test('accepts the empty text, which is not the same as no text', () => {
    const { accepts } = filterOf({ filters: [['name', '']] });
    expect(['', null, undefined].map(accepts)).toEqual([true, false, false]);
  });

  test('accepts entities that are older than the field when the default matches, but not those without a value', () => {
    const { accepts } = filterOf({
      filters: [['priority', 'none']],
      defaults: { priority: 'none' },
    });
    expect(['none', undefined, null, 'high'].map(accepts)).toEqual([true, true, false, false]);
  });

  test('does not accept entities that are older than the field when the default does not match', () => {
    const { accepts } = filterOf({ filters: [['priority', 'high']], defaults: { priority: 'none' } });
    expect(['high', undefined].map(accepts)).toEqual([true, false]);
  });

  test('by a short description compares the text, and by a long one its beginning and its digest', () => {
    const short = 'a'.repeat(100);
    expect(filterOf({ filters: [['description', short]] }).text).toBe(short);
    const long = 'a'.repeat(101);
    const { text, accepts } = filterOf({ filters: [['description', long]] });
    expect(text).toBe(`${'a'.repeat(100)}\u0000nQeTOXmRtXqZoHxua0qSug`);
    expect([text, long, short].map(accepts)).toEqual([true, false, false]);
  });
});

describe('a filter by an array of ids', () => {
  test('names no text, because many texts of a column contain the id', () => {
    expect(filterOf({ filters: [['tagIds', id]] })).toEqual({
      field: 'tagIds',
      accepts: expect.any(Function),
    });
  });

  test('accepts arrays that contain the id', () => {
    const { accepts } = filterOf({ filters: [['tagIds', id]], defaults: { tagIds: [] } });
    const values = [id, `${otherId},${id}`, `${id},${otherId}`, otherId, '', null, undefined];
    expect(values.map(accepts)).toEqual([true, true, true, false, false, false, false]);
  });
});

test('keeps every filter by a field of rows, also two by one field', () => {
  const filters = [
    ['projectId', id],
    ['status', 'open'],
    ['projectId', otherId],
  ] as const;
  expect(toRowQuery('task', query({ filters })).filters.map(({ field, text }) => [field, text])).toEqual([
    ['projectId', id],
    ['status', 'open'],
    ['projectId', otherId],
  ]);
});

test('has no filter by id, which the query plan serves', () => {
  expect(toRowQuery('task', query({ filters: [['id', id]] })).filters).toEqual([]);
});

describe('a filter by the time of creation', () => {
  const idsOf = (text: string) => toRowQuery('task', query({ filters: [['createdAt', text]] })).ids;

  test('is the range of the ids that were created at that millisecond', () => {
    expect(idsOf('2026-02-03T04:05:06.789Z')).toEqual({
      from: '019c21ac-ec65-0000-0000-000000000000',
      to: '019c21ac-ec66-0000-0000-000000000000',
    });
    expect(
      toRowQuery('task', query({ filters: [['createdAt', '2026-02-03T04:05:06.789Z']] })).filters,
    ).toEqual([]);
  });

  test('is the first range for the first millisecond', () => {
    expect(idsOf('1970-01-01T00:00:00.000Z')).toEqual({
      from: '00000000-0000-0000-0000-000000000000',
      to: '00000000-0001-0000-0000-000000000000',
    });
  });

  test.each([
    ['no time', 'yesterday'],
    ['an empty text', ''],
    ['a time without milliseconds', '2026-02-03T04:05:06Z'],
    ['a time with an offset', '2026-02-03T04:05:06.789+00:00'],
    ['a day', '2026-02-03'],
    ['a time before 1970', '1969-12-31T23:59:59.999Z'],
    ['a day that does not exist', '2026-02-30T00:00:00.000Z'],
  ])('matches nothing for %s, which no response shows', (_, text) => {
    expect(idsOf(text)).toEqual({ from: '', to: '' });
  });

  test('is absent without such a filter', () => {
    expect(toRowQuery('task', query({ filters: [['name', 'Build']] }))).not.toHaveProperty('ids');
  });
});
