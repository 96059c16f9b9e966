import {
  oneOf,
  reference,
  references,
  withDefault,
} from '../../../../../functions/shared/contract/fields.ts';
import { commonFields, resource } from '../../../../../functions/shared/contract/resource.ts';
import { listQuery, noParameters, pageLinks } from '../../../../../functions/shared/http/parse-list-query.ts';
import { Problem } from '../../../../../functions/shared/http/problems.ts';

const sample = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    priority: withDefault(oneOf(['none', 'low']), 'none'),
    projectId: reference('project'),
    tagIds: withDefault(references('tag', 50), []),
  },
});

const defaults = { status: 'active', priority: 'none', tagIds: [] };

/** The list of parameters in a message. */
const known =
  'page, limit, sortBy, sortOrder, id, name, status, priority, projectId, tagIds, createdAt, updatedAt';

/** Returns the issues of the problem that a call throws. */
function issuesOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-request') return error.issues;
    throw error;
  }
  throw new Error('The call did not throw.');
}

describe('listQuery', () => {
  test('returns the first 20 entities, newest first, without parameters', () => {
    expect(listQuery(sample, '')).toEqual({
      filters: [],
      page: 1,
      limit: 20,
      sortBy: 'createdAt',
      sortOrder: 'desc',
      ranks: { priority: ['none', 'low'] },
      defaults,
    });
  });

  test('returns what the parameters say, with filters in the order of the fields', () => {
    const query = listQuery(
      sample,
      'page=3&limit=50&sortBy=priority&sortOrder=asc&tagIds=7&name=a%20b%2Bc+d&status=open',
    );
    expect(query).toEqual({
      filters: [
        ['name', 'a b+c d'],
        ['status', 'open'],
        ['tagIds', '7'],
      ],
      page: 3,
      limit: 50,
      sortBy: 'priority',
      sortOrder: 'asc',
      ranks: { priority: ['none', 'low'] },
      defaults,
    });
  });

  test('accepts sort_by and sort_order', () => {
    expect(listQuery(sample, 'sort_by=name&sort_order=asc')).toMatchObject({
      sortBy: 'name',
      sortOrder: 'asc',
    });
  });

  test('serves a limit above 100 as 100', () => {
    expect(listQuery(sample, 'limit=101').limit).toBe(100);
    expect(listQuery(sample, `limit=${'9'.repeat(400)}`).limit).toBe(100);
    expect(listQuery(sample, 'limit=100').limit).toBe(100);
    expect(listQuery(sample, 'limit=1').limit).toBe(1);
  });

  test('accepts the largest whole number as page', () => {
    expect(listQuery(sample, 'page=9007199254740991').page).toBe(9_007_199_254_740_991);
  });

  test('keeps an empty filter: it is not the same as none', () => {
    expect(listQuery(sample, 'name=').filters).toEqual([['name', '']]);
  });

  test('accepts a parameter that is repeated with the same value', () => {
    expect(listQuery(sample, 'page=2&page=2&sort_by=name&sortBy=name')).toMatchObject({
      page: 2,
      sortBy: 'name',
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
    ['sortOrder=ascending', 'sortOrder', '"ascending" is not a value of "sortOrder". Allowed: asc, desc.'],
    ['sortOrder=ASC', 'sortOrder', '"ASC" is not a value of "sortOrder". Allowed: asc, desc.'],
    ['sortBy=prioritty', 'sortBy', '"prioritty" is not a value of "sortBy". Did you mean "priority"?'],
    [
      'sortBy=tagIds',
      'sortBy',
      '"tagIds" is not a value of "sortBy". Allowed: id, name, status, priority, projectId, createdAt, updatedAt.',
    ],
    ['stats=open', 'stats', '"stats" is not a parameter here. Did you mean "status"?'],
    ['where=somewhere', 'where', `"where" is not a parameter here. Allowed: ${known}.`],
    ['__proto__=1', '__proto__', `"__proto__" is not a parameter here. Allowed: ${known}.`],
    ['page=1&page=2', 'page', '"page" occurs twice with different values.'],
    ['sortBy=name&sort_by=id', 'sort_by', '"sortBy" occurs twice with different values.'],
  ])('refuses %s', (rawQueryString, parameter, detail) => {
    expect(issuesOf(() => listQuery(sample, rawQueryString))).toEqual([{ parameter, detail }]);
  });

  test('names every mistake of a query', () => {
    expect(issuesOf(() => listQuery(sample, 'stats=open&page=0&limit=x&sortOrder=up'))).toEqual([
      { parameter: 'stats', detail: '"stats" is not a parameter here. Did you mean "status"?' },
      { parameter: 'page', detail: '"page" must be a whole number, 1 or more.' },
      { parameter: 'limit', detail: '"limit" must be a whole number, 1 or more.' },
      { parameter: 'sortOrder', detail: '"up" is not a value of "sortOrder". Allowed: asc, desc.' },
    ]);
  });

  test('accepts 20 parameters and refuses 21', () => {
    expect(listQuery(sample, Array(20).fill('page=2').join('&')).page).toBe(2);
    expect(issuesOf(() => listQuery(sample, Array(21).fill('page=2').join('&')))).toEqual([
      { parameter: '', detail: 'The query has 21 parameters; at most 20 are allowed.' },
    ]);
  });
});

describe('noParameters', () => {
  test('accepts an empty query', () => {
    expect(noParameters('')).toBeUndefined();
  });

  test('refuses any parameter', () => {
    expect(issuesOf(() => noParameters('page=1'))).toEqual([
      { parameter: 'page', detail: '"page" is not a parameter here. None is allowed.' },
    ]);
  });
});

describe('pageLinks', () => {
  const links = (page: number, totalPages: number, rawQueryString = '', path = '/v1/tasks') =>
    pageLinks(
      path,
      rawQueryString,
      { filters: [], sortBy: 'createdAt', sortOrder: 'desc', page, limit: 20 },
      totalPages,
    );

  test('names first, next and last on the first page', () => {
    expect(links(1, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=2&limit=20>; rel="next", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names all four on a page between', () => {
    expect(links(2, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=1&limit=20>; rel="prev", ' +
        '</v1/tasks?page=3&limit=20>; rel="next", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names no next on the last page', () => {
    expect(links(3, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=2&limit=20>; rel="prev", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names the last page as the previous one of a page after it', () => {
    expect(links(9, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=3&limit=20>; rel="prev", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names page 1 as first and last of an empty list', () => {
    expect(links(1, 0)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", </v1/tasks?page=1&limit=20>; rel="last"',
    );
    expect(links(2, 0)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=1&limit=20>; rel="prev", ' +
        '</v1/tasks?page=1&limit=20>; rel="last"',
    );
  });

  test('repeats the other parameters, and replaces page and limit where they are', () => {
    expect(links(1, 1, 'limit=500&name=a%20b&page=1&status=%C3%A9')).toBe(
      '</v1/tasks?limit=20&name=a+b&page=1&status=%C3%A9>; rel="first", ' +
        '</v1/tasks?limit=20&name=a+b&page=1&status=%C3%A9>; rel="last"',
    );
  });

  test('encodes what would end a link or a header', () => {
    expect(links(1, 1, 'name=%3E%3B%22%2C%0D%0A')).toBe(
      '</v1/tasks?name=%3E%3B%22%2C%0D%0A&page=1&limit=20>; rel="first", ' +
        '</v1/tasks?name=%3E%3B%22%2C%0D%0A&page=1&limit=20>; rel="last"',
    );
  });

  // "name=", "&page=9007199254740991" and "&limit=20" take 36 bytes.
  test('returns links up to a query of 2,048 bytes with the largest page, and none for a longer one', () => {
    expect(links(1, 1, `name=${'a'.repeat(2_012)}`)).toContain('rel="last"');
    expect(links(1, 1, `name=${'a'.repeat(2_013)}`)).toBeUndefined();
  });

  test('returns none for a query that is longer as a link encodes it, or as it was sent', () => {
    expect(links(1, 1, `name=${'"'.repeat(671)}`)).toBeUndefined();
    expect(links(1, 1, `name=${'%61'.repeat(682)}`)).toBeUndefined();
  });

  test('returns links up to a path of 256 bytes, and none for a longer one', () => {
    expect(links(1, 1, '', `/${'a'.repeat(255)}`)).toContain('rel="last"');
    expect(links(1, 1, '', `/${'a'.repeat(256)}`)).toBeUndefined();
  });
});
