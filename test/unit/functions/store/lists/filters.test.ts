import { type IdRange, isInRanges } from '#functions/store/lists/engine/read/id-ranges.ts';
import type { RowFilter } from '#functions/store/lists/engine/read/row-filter.ts';
import {
  defaultOf,
  distinctFilters,
  idsOf,
  toIdRanges,
  toRowFilter,
} from '#functions/store/lists/filters.ts';
import type { Filter, FilterOperator } from '#functions/store/model/list-query.ts';

const id = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

const filter = (field: string, operator: FilterOperator, ...values: string[]): Filter => ({
  field,
  operator,
  values,
});

test('distinctFilters leaves out filters that repeat another one', () => {
  const project = filter('projectId', 'eq', id);
  const others = [
    filter('projectId', 'eq', otherId),
    filter('projectId', 'ne', id),
    filter('userId', 'eq', id),
    filter('projectId', 'in', id, otherId),
    filter('projectId', 'in', `${id},${otherId}`),
  ];
  expect(distinctFilters([project, ...others, { ...project }])).toEqual([project, ...others]);
});

test('defaultOf returns the value as rows have it', () => {
  const defaults = { priority: 'none', dueDate: null, tagIds: [], description: '' };
  expect(
    ['priority', 'dueDate', 'tagIds', 'description', 'name'].map((field) => defaultOf(field, defaults)),
  ).toEqual(['none', null, '', '', null]);
  expect(defaultOf('priority', undefined)).toBeNull();
});

describe('a filter by id', () => {
  const ids = ['0', '01890000-0000-7000-8000-000000000000', id, otherId, 'f'];

  test.each<[FilterOperator, string[], number[]]>([
    ['eq', [id], [2]],
    ['eq', ['not an id'], []],
    ['eq', ['01890000'], []],
    ['ne', [id], [0, 1, 3, 4]],
    ['ne', ['not an id'], [0, 1, 2, 3, 4]],
    ['in', [otherId, id, 'x', otherId], [2, 3]],
    ['in', [], []],
    ['notIn', [otherId, id], [0, 1, 4]],
    ['notIn', [], [0, 1, 2, 3, 4]],
    ['lt', [id], [0, 1]],
    ['lte', [id], [0, 1, 2]],
    ['gt', [id], [3, 4]],
    ['gte', [id], [2, 3, 4]],
    ['gt', ['zzz'], []],
    ['lt', ['zzz'], [0, 1, 2, 3, 4]],
    ['lt', [''], []],
    ['gt', [''], [0, 1, 2, 3, 4]],
    ['gt', ['0189'], [1, 2, 3, 4]],
  ])('by %s %j accepts the ids at %j', (operator, values, expected) => {
    const ranges = toIdRanges(filter('id', operator, ...values));
    expect([...ids.keys()].filter((place) => isInRanges(ranges, ids[place] as string))).toEqual(expected);
  });

  test('throws for an operator of texts', () => {
    expect(() => toIdRanges(filter('id', 'contains', '0'))).toThrow(
      'Lists cannot compare "id" with the operator "contains".',
    );
  });
});

describe('a filter by the time of creation', () => {
  const time = '2026-02-03T04:05:06.789Z';
  const [from, to] = ['019c21ac-ec65-0000-0000-000000000000', '019c21ac-ec66-0000-0000-000000000000'];
  const ranges = (operator: FilterOperator, ...values: string[]): IdRange[] =>
    toIdRanges(filter('createdAt', operator, ...values));

  test('is the range of the ids that were created at that millisecond', () => {
    expect(ranges('eq', time)).toEqual([{ from, to }]);
    expect(ranges('in', time, '2026-02-03T04:05:06.790Z')).toEqual([
      { from, to: '019c21ac-ec67-0000-0000-000000000000' },
    ]);
    expect(ranges('ne', time)).toEqual([
      { from: '0', to: from },
      { from: to, to: 'g' },
    ]);
    expect(ranges('notIn', time)).toEqual(ranges('ne', time));
  });

  test('is the range of the ids before or after it', () => {
    expect(ranges('lt', time)).toEqual([{ from: '0', to: from }]);
    expect(ranges('lte', time)).toEqual([{ from: '0', to }]);
    expect(ranges('gt', time)).toEqual([{ from: to, to: 'g' }]);
    expect(ranges('gte', time)).toEqual([{ from, to: 'g' }]);
  });

  test('is the first range for the first millisecond', () => {
    expect(ranges('eq', '1970-01-01T00:00:00.000Z')).toEqual([
      { from: '00000000-0000-0000-0000-000000000000', to: '00000000-0001-0000-0000-000000000000' },
    ]);
  });

  test('before 1970 compares with times before all ids', () => {
    const early = '1969-12-31T23:59:59.999Z';
    const all = { from: '00000000-0000-0000-0000-000000000000', to: 'g' };
    expect(ranges('gte', early)).toEqual([all]);
    expect(ranges('gt', early)).toEqual([all]);
    expect(ranges('lt', early).filter((range) => isInRanges([range], id))).toEqual([]);
    expect(ranges('in', early, time)).toEqual([{ from, to }]);
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
    expect(ranges('eq', text)).toEqual([]);
  });
});

test('idsOf returns the ids that all filters by id and time of creation accept', () => {
  const all = [
    filter('id', 'gt', id),
    filter('name', 'eq', 'a'),
    filter('id', 'ne', otherId),
    filter('id', 'lt', 'f'),
  ];
  expect(idsOf(all)).toEqual([
    { from: `${id}\u0000`, to: otherId },
    { from: `${otherId}\u0000`, to: 'f' },
  ]);
  expect(idsOf([...all, filter('createdAt', 'eq', 'yesterday')])).toEqual([]);
  expect(idsOf([filter('name', 'eq', 'a')])).toBeUndefined();
});

describe('toRowFilter', () => {
  const texts = (...all: string[]) => ({ by: 'texts', texts: all }) as const;
  const range = (from: string, to?: string) => ({ by: 'range', from, to }) as const;

  test.each<[Filter, Omit<RowFilter, 'field'>]>([
    [filter('name', 'eq', 'a'), { condition: texts('a') }],
    [filter('name', 'in', 'a', 'b'), { condition: texts('a', 'b') }],
    [filter('name', 'ne', 'a'), { condition: texts('a'), isNegated: true, acceptsNull: true }],
    [filter('name', 'notIn', 'a', 'b'), { condition: texts('a', 'b'), isNegated: true, acceptsNull: true }],
    [filter('name', 'lt', 'a'), { condition: range('', 'a') }],
    [filter('name', 'lte', 'a'), { condition: range('', 'a\u0000') }],
    [filter('name', 'gt', 'a'), { condition: range('a\u0000') }],
    [filter('name', 'gte', 'a'), { condition: range('a') }],
    [filter('name', 'startsWith', 'ΑΣ'), { condition: { by: 'beginning', text: 'ασ' } }],
    [filter('name', 'contains', 'A'), { condition: { by: 'part', text: 'a' } }],
    [filter('name', 'isNull', 'true'), { condition: texts(), acceptsNull: true }],
    [filter('name', 'isNull', 'false'), { condition: texts(), isNegated: true }],
  ])('returns for %j the filter %j', (one, expected) => {
    expect(toRowFilter('task', one, undefined)).toEqual({ field: 'name', ...expected, defaultValue: null });
  });

  test.each<[Filter, Omit<RowFilter, 'field'>]>([
    [filter('tagIds', 'eq', id), { condition: { by: 'anyId', ids: [id] } }],
    [filter('tagIds', 'in', id, otherId), { condition: { by: 'anyId', ids: [id, otherId] } }],
    [filter('tagIds', 'all', id, otherId), { condition: { by: 'allIds', ids: [id, otherId] } }],
    [filter('tagIds', 'isEmpty', 'true'), { condition: texts(''), acceptsNull: true }],
    [filter('tagIds', 'isEmpty', 'false'), { condition: texts(''), isNegated: true }],
  ])('returns for the array %j the filter %j', (one, expected) => {
    expect(toRowFilter('task', one, { tagIds: [] })).toEqual({
      field: 'tagIds',
      ...expected,
      defaultValue: '',
    });
  });

  test('has the value of rows that are older than the field', () => {
    expect(toRowFilter('task', filter('priority', 'ne', 'high'), { priority: 'none' })).toMatchObject({
      defaultValue: 'none',
    });
  });

  test('compares long descriptions by their beginnings and digests', () => {
    const [short, long] = ['a'.repeat(100), 'a'.repeat(101)];
    expect(toRowFilter('task', filter('description', 'notIn', short, long), {})).toMatchObject({
      condition: texts(short, `${short}\u0000nQeTOXmRtXqZoHxua0qSug`),
    });
  });

  test.each([filter('name', 'isEmpty', 'true'), filter('name', 'all', 'a'), filter('tagIds', 'ne', id)])(
    'throws for %j, which the field does not have',
    (one) => {
      expect(() => toRowFilter('task', one, undefined)).toThrow(TypeError);
    },
  );
});
