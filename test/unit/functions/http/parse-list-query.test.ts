import { oneOf, reference, references, text, withDefault } from '#functions/contract/fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
import { readEntityView, readListQuery, requireNoParameters } from '#functions/http/parse-list-query.ts';
import { Problem } from '#functions/http/problems.ts';

const project = resource({ kind: 'project', plural: 'projects', fields: commonFields });
const tag = resource({ kind: 'tag', plural: 'tags', fields: commonFields });

const sample = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    priority: withDefault(oneOf(['none', 'low']), 'none'),
    projectId: reference(project),
    tagIds: withDefault(references(tag, 50), []),
  },
});

const listQuery = (rawQueryString: string) => readListQuery(sample, rawQueryString).query;

const viewOf = (rawQueryString: string) => {
  const { fields, expansions } = readListQuery(sample, rawQueryString).view;
  return { fields: fields && [...fields], expanded: expansions.map(({ name }) => name) };
};

const defaults = { status: 'active', priority: 'none', tagIds: [] };

/** The list of parameters in a message. */
const known =
  'page, after, limit, sortBy, sortOrder, fields, expand, countBy, etags, id, name, status, priority, projectId, tagIds, createdAt, updatedAt';

function issuesOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-request') return error.issues;
    throw error;
  }
  throw new Error('The call did not throw.');
}

describe('readListQuery', () => {
  test('returns the first 20 entities, newest first, without parameters', () => {
    expect(listQuery('')).toEqual({
      filters: [],
      sort: [{ field: 'createdAt', direction: 'desc' }],
      countBy: [],
      page: 1,
      limit: 20,
      withTexts: false,
      ranks: { priority: ['none', 'low'] },
      defaults,
    });
  });

  test('returns what the parameters say, with filters in the order of the fields', () => {
    const query = listQuery(
      'page=3&limit=50&sortBy=priority&sortOrder=asc&tagIds=7&name=a%20b%2Bc+d&status=open',
    );
    expect(query).toEqual({
      filters: [
        { field: 'name', operator: 'eq', values: ['a b+c d'] },
        { field: 'status', operator: 'eq', values: ['open'] },
        { field: 'tagIds', operator: 'eq', values: ['7'] },
      ],
      sort: [{ field: 'priority', direction: 'asc' }],
      countBy: [],
      page: 3,
      limit: 50,
      withTexts: false,
      ranks: { priority: ['none', 'low'] },
      defaults,
    });
  });

  test('accepts sort_by and sort_order', () => {
    expect(listQuery('sort_by=name&sort_order=asc')).toMatchObject({
      sort: [{ field: 'name', direction: 'asc' }],
    });
  });

  test('serves a limit above 100 as 100', () => {
    expect(listQuery('limit=101').limit).toBe(100);
    expect(listQuery(`limit=${'9'.repeat(400)}`).limit).toBe(100);
    expect(listQuery('limit=100').limit).toBe(100);
    expect(listQuery('limit=1').limit).toBe(1);
  });

  test('accepts the largest whole number as page', () => {
    expect(listQuery('page=9007199254740991').page).toBe(9_007_199_254_740_991);
  });

  test('keeps an empty filter: it is not the same as none', () => {
    expect(listQuery('name=').filters).toEqual([{ field: 'name', operator: 'eq', values: [''] }]);
  });

  test('accepts a parameter that is repeated with the same value', () => {
    expect(listQuery('page=2&page=2&sort_by=name&sortBy=name')).toMatchObject({
      page: 2,
      sort: [{ field: 'name', direction: 'desc' }],
    });
  });

  test.each([
    ['page=0', 'page', '"page" must be a whole number, 1 or more.'],
    ['page=-1', 'page', '"page" must be a whole number, 1 or more.'],
    ['page=1.5', 'page', '"page" must be a whole number, 1 or more.'],
    ['page=1e3', 'page', '"page" must be a whole number, 1 or more.'],
    ['page=%201', 'page', '"page" must be a whole number, 1 or more.'],
    ['page=', 'page', '"page" must be a whole number, 1 or more.'],
    ['page=9007199254740992', 'page', '"page" must be at most 9007199254740991.'],
    ['limit=0', 'limit', '"limit" must be a whole number, 1 or more.'],
    ['limit=ten', 'limit', '"limit" must be a whole number, 1 or more.'],
    ['sortOrder=ascending', 'sortOrder', '"ascending" is not a value of "sortOrder". Did you mean "asc"?'],
    ['sortOrder=ASC', 'sortOrder', '"ASC" is not a value of "sortOrder". Did you mean "asc"?'],
    ['sortOrder=1', 'sortOrder', '"1" is not a value of "sortOrder". Allowed: asc, desc.'],
    [
      'sortBy=-priority,name',
      'sortBy',
      '"-priority,name" is not a value of "sortBy". Did you mean "sortBy=priority,name&sortOrder=desc,asc"?',
    ],
    ['sortBy=prioritty', 'sortBy', '"prioritty" is not a value of "sortBy". Did you mean "priority"?'],
    [
      'sortBy=tagIds',
      'sortBy',
      '"tagIds" is not a value of "sortBy". Allowed: id, name, status, priority, projectId, createdAt, updatedAt.',
    ],
    ['stats=open', 'stats', '"stats" is not a parameter here. Did you mean "status"?'],
    ['where=somewhere', 'where', `"where" is not a parameter here. Allowed: ${known}.`],
    ['__proto__=1', '__proto__', `"__proto__" is not a parameter here. Allowed: ${known}.`],
    ['q=x', 'q', '"q" is not a parameter here. Did you mean "name[contains]"?'],
    ['tag=x', 'tag', '"tag" is not a parameter here. Did you mean "tagIds"?'],
    ['assigneeId=x', 'assigneeId', `"assigneeId" is not a parameter here. Allowed: ${known}.`],
    ['per_page=3', 'per_page', '"per_page" is not a parameter here. Did you mean "limit"?'],
    ['page%5Bsize%5D=3', 'page[size]', '"page[size]" is not a parameter here. Did you mean "limit"?'],
    ['order_by=name', 'order_by', '"order_by" is not a parameter here. Did you mean "sortBy"?'],
    ['order=asc', 'order', '"order" is not a parameter here. Did you mean "sortOrder"?'],
    ['include=tags', 'include', '"include" is not a parameter here. Did you mean "expand"?'],
    ['priority>=low', 'priority>', '"priority>" is not a parameter here. Did you mean "priority[gte]"?'],
    [
      'status[!=]=done',
      'status[!=]',
      '"!=" is not an operator of this field. Did you mean "ne"? "status" (text) takes ne, in, notIn, startsWith, contains, lt, lte, gt, gte.',
    ],
    ['page=1&page=2', 'page', '"page" occurs twice with different values: "1" and "2". Send it once.'],
    [
      'sortBy=name&sort_by=id',
      'sort_by',
      '"sortBy" occurs twice with different values: "name" and "id". Send it once.',
    ],
    [
      'tagIds=a&tagIds=b&tagIds=c',
      'tagIds',
      '"tagIds" occurs twice with different values: "a" and "b". Send it once. tagIds[all]=a,b matches both values, and tagIds[in]=a,b matches either.',
    ],
    [
      'status=a&status=b',
      'status',
      '"status" occurs twice with different values: "a" and "b". Send it once. status[in]=a,b matches either value.',
    ],
    [
      'status[ne]=a&status[ne]=b',
      'status[ne]',
      '"status[ne]" occurs twice with different values: "a" and "b". Send it once. status[notIn]=a,b excludes several values.',
    ],
    [
      'name[contains]=a&name[contains]=b',
      'name[contains]',
      '"name[contains]" occurs twice with different values: "a" and "b". Send it once.',
    ],
  ])('refuses %s', (rawQueryString, parameter, detail) => {
    expect(issuesOf(() => listQuery(rawQueryString))).toEqual([{ parameter, detail }]);
  });

  test('names every mistake of a query', () => {
    expect(issuesOf(() => listQuery('stats=open&page=0&limit=x&sortOrder=up'))).toEqual([
      { parameter: 'stats', detail: '"stats" is not a parameter here. Did you mean "status"?' },
      { parameter: 'sortOrder', detail: '"up" is not a value of "sortOrder". Allowed: asc, desc.' },
      { parameter: 'page', detail: '"page" must be a whole number, 1 or more.' },
      { parameter: 'limit', detail: '"limit" must be a whole number, 1 or more.' },
    ]);
  });

  test('accepts 60 parameters and refuses 61', () => {
    expect(listQuery(Array(60).fill('page=2').join('&')).page).toBe(2);
    expect(issuesOf(() => listQuery(Array(61).fill('page=2').join('&')))).toEqual([
      { parameter: 'page', detail: 'The query has 61 parameters; at most 60 are allowed.' },
    ]);
  });

  test.each([
    ['sortBy=priority,name', ['desc', 'desc']],
    ['sortBy=priority,name&sortOrder=asc', ['asc', 'asc']],
    ['sortBy=priority,name&sortOrder=asc,desc', ['asc', 'desc']],
  ])('sorts by several fields: %s', (rawQueryString, [first, second]) => {
    expect(listQuery(rawQueryString).sort).toEqual([
      { field: 'priority', direction: first },
      { field: 'name', direction: second },
    ]);
  });

  test.each([
    ['sortBy=name,status,priority,id', 'sortBy', '"sortBy" has 4 fields; at most 3 are allowed.'],
    [
      'sortOrder=asc,desc',
      'sortOrder',
      '"sortOrder" must be one direction for all fields, or one for each: it has 2, and "sortBy" 1.',
    ],
    [
      'sortBy=name,status,id&sortOrder=asc,desc',
      'sortOrder',
      '"sortOrder" must be one direction for all fields, or one for each: it has 2, and "sortBy" 3.',
    ],
    ['fields=id,nam', 'fields', '"nam" is not a value of "fields". Did you mean "name"?'],
    ['fields=', 'fields', `"" is not a value of "fields". Allowed: ${sample.fieldNames.join(', ')}.`],
    ['expand=projectId', 'expand', '"projectId" is not a value of "expand". Did you mean "project"?'],
    [
      'countBy=name',
      'countBy',
      '"name" is not a value of "countBy". Allowed: status, priority, projectId, tagIds.',
    ],
    ['etags=yes', 'etags', '"etags" must be true or false: "yes" is not.'],
    ['fields=*', 'fields', '"*" is not a value of "fields". Leave "fields" out to get all fields.'],
    ['page=1&page=2', 'page', '"page" occurs twice with different values: "1" and "2". Send it once.'],
  ])('refuses the option %s', (rawQueryString, parameter, detail) => {
    expect(issuesOf(() => listQuery(rawQueryString))).toEqual([{ parameter, detail }]);
  });

  test('counts by fields, each once', () => {
    expect(listQuery('countBy=tagIds,status,tagIds').countBy).toEqual(['tagIds', 'status']);
  });

  test('shows all fields and expands nothing unless asked', () => {
    expect(viewOf('')).toEqual({ fields: undefined, expanded: [] });
  });

  test('shows the named fields and the id, and expands references', () => {
    expect(viewOf('fields=name,status&expand=tags,project')).toEqual({
      fields: ['id', 'name', 'status'],
      expanded: ['tags', 'project'],
    });
  });

  test('needs long texts only when they are shown', () => {
    const described = resource({
      kind: 'tag',
      plural: 'tags',
      fields: { ...commonFields, description: withDefault(text(10_000), '') },
    });
    const needs = (rawQueryString: string) => readListQuery(described, rawQueryString).query.withTexts;
    expect(['', 'fields=name', 'fields=description'].map(needs)).toEqual([true, false, true]);
  });
});

describe('readEntityView', () => {
  test('expands references', () => {
    expect(readEntityView(sample, 'expand=project').expansions).toEqual([sample.expansions['project']]);
    expect(readEntityView(sample, '').expansions).toEqual([]);
  });

  test('refuses everything else', () => {
    expect(issuesOf(() => readEntityView(sample, 'expand=user&fields=id'))).toEqual([
      { parameter: 'fields', detail: '"fields" is not a parameter here. Allowed: expand.' },
      { parameter: 'expand', detail: '"user" is not a value of "expand". Allowed: project, tags.' },
    ]);
    expect(issuesOf(() => readEntityView(project, 'expand=organization'))).toEqual([
      { parameter: 'expand', detail: '"expand" is not a parameter here. None is allowed.' },
    ]);
  });
});

describe('requireNoParameters', () => {
  test('accepts an empty query', () => {
    expect(requireNoParameters('')).toBeUndefined();
  });

  test('refuses any parameter', () => {
    expect(issuesOf(() => requireNoParameters('page=1'))).toEqual([
      { parameter: 'page', detail: '"page" is not a parameter here. None is allowed.' },
    ]);
  });
});
