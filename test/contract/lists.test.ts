import { sortedBy } from '../support/list-queries.ts';
import { plainOrder } from '../support/plain-list.ts';
import { createMany, times } from './batches.ts';
import { expectParameter, expectProblem, parameters } from './problem.ts';
import {
  type Entity,
  identifiers,
  type ListKind,
  type ListScope,
  listOf,
  lists,
  pathTo,
  readList,
  resources,
  someLists,
} from './resources.ts';
import { type Parameters, pathOf, request, type TestResponse, unique, withQuery } from './service.ts';

/** Returns the path of each relation in a `Link` header (RFC 8288). */
function linksOf(response: TestResponse): Record<string, string> {
  const links: Record<string, string> = {};
  for (const [, target = '', attributes = ''] of (response.headers.get('link') ?? '').matchAll(
    /<([^>]*)>([^<]*)/g,
  )) {
    const relation = /;\s*rel="?([^";,]+)"?/i.exec(attributes)?.[1] ?? '';
    for (const name of relation.split(' ')) links[name] = pathOf(target, response);
  }
  return links;
}

function parametersOf(path: string): Record<string, string> {
  return Object.fromEntries(new URL(path, 'http://service').searchParams);
}

/** Fills a list for the tests of one `describe` block. The tests must restore its contents. */
function openWithFive({ item, open }: ListKind) {
  const five = {
    scope: { path: '', query: {}, fields: {} } as ListScope,
    /** Oldest first. */
    entities: [] as Entity[],
    newestFirst: [] as string[],
    /** Returns the path of the list with a query that excludes other entities. */
    at: (parameters: Parameters) => withQuery(five.scope.path, { ...five.scope.query, ...parameters }),
  };
  beforeAll(async () => {
    five.scope = await open();
    five.entities = await createMany(item, times(5, five.scope.fields));
    five.entities.sort((one, other) => (one.id < other.id ? -1 : 1));
    five.newestFirst = five.entities.map(({ id }) => id).reverse();
  });
  return five;
}

describe.each(lists)('the pages of GET $title', (list) => {
  const five = openWithFive(list);

  test('contain the entities with the same fields as GET by id, newest first', async () => {
    expect((await readList(five.at({}))).data).toEqual([...five.entities].reverse());
  });

  test('divide a total of 5 into pages of 2, 2 and 1', async () => {
    for (const [page, size] of [
      [1, 2],
      [2, 2],
      [3, 1],
    ] as const) {
      const shown = await readList(five.at({ limit: 2, page }));
      expect(identifiers(shown)).toEqual(five.newestFirst.slice((page - 1) * 2, (page - 1) * 2 + size));
      expect(shown).toMatchObject({ total: 5, page, totalPages: 3 });
    }
  });
});

describe.each(someLists)('the links of GET $title', (list) => {
  const five = openWithFive(list);

  test('lead to the first, previous, next and last page with the same other parameters', async () => {
    const asked = { ...five.scope.query, limit: '2', sortBy: 'name', sortOrder: 'asc' };
    const response = await request('GET', five.at({ limit: 2, page: 2, sortBy: 'name', sortOrder: 'asc' }));
    const links = linksOf(response);
    expect(Object.keys(links)).toEqual(expect.arrayContaining(['first', 'prev', 'next', 'last']));
    for (const [relation, page] of Object.entries({ first: 1, prev: 1, next: 3, last: 3 })) {
      const target = links[relation] ?? '';
      expect(target.replace(/\?.*$/, '')).toBe(five.scope.path);
      // A link may omit a parameter that has its default value.
      expect({ page: '1', ...parametersOf(target) }).toEqual({ ...asked, page: String(page) });
      expect(await readList(target)).toMatchObject({ page, total: 5, totalPages: 3 });
    }
  });

  test('lead to no page before the first or after the last', async () => {
    const first = linksOf(await request('GET', five.at({ limit: 2 })));
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['first', 'next', 'last']));
    expect(first).not.toHaveProperty('prev');
    for (const query of [{ limit: 2, page: 3 }, { limit: 5 }]) {
      const last = linksOf(await request('GET', five.at(query)));
      expect(Object.keys(last)).toEqual(expect.arrayContaining(['first', 'last']));
      expect(last).not.toHaveProperty('next');
    }
    expect(linksOf(await request('GET', five.at({ limit: 4 })))).toHaveProperty('next');
  });
});

describe.each(someLists)('invalid parameter values of GET $title', (list) => {
  const five = openWithFive(list);

  test.each([
    ['page', '0'],
    ['page', '1.5'],
    ['page', 'one'],
    ['page', ''],
    ['limit', '0'],
    ['limit', 'Infinity'],
    ['sortBy', 'unknownField'],
    ['sortBy', ''],
    ['sortBy', 'tagIds'],
    ['sortOrder', 'upwards'],
    ['sortOrder', ''],
    ['sortBy', ',name'],
    ['sortBy', 'name,status,id,createdAt'],
    ['sortBy', 'name,tagIds'],
    ...['description', 'unknown', '', 'status,', 'status,name', 'Status'].map((one) => ['countBy', one]),
  ])('return 400 with the parameter for %s=%s', async (parameter = '', value = '') => {
    expectParameter(await request('GET', five.at({ [parameter]: value })), parameter);
  });

  test.each([
    ['name,status', 'asc,'],
    ['name,status', 'asc,desc,asc'],
    ['name,status,id', 'asc,desc'],
  ])('return 400 with sortOrder for sortBy=%s&sortOrder=%s', async (sortBy, sortOrder) => {
    expectParameter(await request('GET', five.at({ sortBy, sortOrder })), 'sortOrder');
  });
});

describe.each(someLists)('parameter spellings of GET $title', (list) => {
  const five = openWithFive(list);

  test('one direction is that of all fields, and descending without sortOrder', async () => {
    const read = async (parameters: Parameters) => identifiers(await readList(five.at(parameters)));
    const order = [...sortedBy('status'), ...sortedBy('name')];
    const ascending = plainOrder(five.entities, order).map(({ id }) => id);
    expect(await read({ sortBy: 'status,name', sortOrder: 'asc' })).toEqual(ascending);
    expect(await read({ sort_by: 'status,name', sort_order: 'asc,asc' })).toEqual(ascending);
    expect(await read({ sortBy: 'status,name' })).toEqual(ascending.toReversed());
  });

  test('return 400 when sortBy and sort_by differ, and 200 when they are equal', async () => {
    const problem = expectProblem(await request('GET', five.at({ sortBy: 'name', sort_by: 'id' })), 400);
    expect(['sortBy', 'sort_by']).toContain(parameters(problem)[0]);
    const spelledTwice = await readList(five.at({ sortBy: 'name', sort_by: 'name' }));
    expect(spelledTwice).toEqual(await readList(five.at({ sortBy: 'name' })));
  });

  test.each([
    ['page', '1', '2'],
    ['limit', '2', '3'],
    ['name', 'one', 'other'],
  ])(
    'return 400 when %s is repeated with another value, and count equal values once',
    async (name, value, other) => {
      const send = (...values: string[]) =>
        request(
          'GET',
          withQuery(
            five.scope.path,
            values.map((one) => [name, one] as const),
          ),
        );
      for (const values of [
        [value, other],
        [value, value, other],
        [value, other, value],
      ])
        expectParameter(await send(...values), name);
      expect(listOf(await send(value, value))).toEqual(listOf(await send(value)));
    },
  );
});

describe.each(someLists)('unknown parameters of GET $title', (list) => {
  const five = openWithFive(list);

  test('return 400 for a field of another resource', async () => {
    const foreign = list.item === 'user' ? 'priority' : 'email';
    expectParameter(await request('GET', five.at({ [foreign]: 'x' })), foreign);
    expectParameter(await request('GET', five.at({ sortBy: foreign })), 'sortBy');
  });
});

describe('filter values', () => {
  test.each([
    'comma, separated',
    'a+b',
    'a&b=c;d',
    '%20',
    '#hash?question/slash',
    '"quoted" \'twice\'',
    'e\u0301',
    '日本語 \u{1F600}',
    'null',
    '0',
  ])('find exactly the name %j', async (text) => {
    const status = unique('s');
    const name = text;
    const others = [`${name}.`, `.${name}`, name === name.toUpperCase() ? name + name : name.toUpperCase()];
    const [tag] = await createMany(
      'tag',
      [name, ...others].map((one) => ({ name: one, status })),
    );
    const id = tag?.id;
    expect(identifiers(await readList(withQuery('/v1/tags', { status, name })))).toEqual([id]);
    // URLSearchParams encodes a space as "+". Other clients encode it as "%20".
    const percentEncoded = `/v1/tags?status=${status}&name=${encodeURIComponent(name)}`;
    expect(identifiers(await readList(percentEncoded))).toEqual([id]);
  });
});

describe('nested lists', () => {
  const nested = resources.flatMap((parent) =>
    parent.nested.map((list) => ({ ...list, parent: parent.kind })),
  );

  test.each(nested)(
    '$parent/{id}/$segment returns 200 and an empty list when the parent does not exist',
    async (list) => {
      for (const id of ['unknown', '01890000-0000-7000-8000-000000000000']) {
        const response = await request('GET', `${pathTo(list.parent, id)}/${list.segment}`);
        expect(listOf(response)).toMatchObject({ data: [], total: 0, page: 1, totalPages: 0 });
      }
    },
  );
});

describe('limit', () => {
  test('is 20 by default and 100 at most, and totalPages uses the limit in effect', async () => {
    const status = unique('many');
    await createMany('tag', times(105, { status }));
    const byDefault = await readList(withQuery('/v1/tags', { status }));
    expect(byDefault.data).toHaveLength(20);
    expect(byDefault).toMatchObject({ total: 105, page: 1, totalPages: 6 });
    const atMost = await readList(withQuery('/v1/tags', { status, limit: 1000 }));
    expect(atMost.data).toHaveLength(100);
    expect(atMost).toMatchObject({ total: 105, page: 1, totalPages: 2 });
    const rest = await readList(withQuery('/v1/tags', { status, limit: 1000, page: 2 }));
    expect(rest.data).toHaveLength(5);
    expect(new Set([...identifiers(atMost), ...identifiers(rest)]).size).toBe(105);
    const links = linksOf(await request('GET', withQuery('/v1/tags', { status, limit: 1000 })));
    expect(listOf(await request('GET', links.next ?? '')).data).toHaveLength(5);
  });
});

test('the links of a list of several values keep them apart', async () => {
  const names = [unique('a,b'), unique('c')] as const;
  await createMany(
    'tag',
    names.map((name) => ({ name })),
  );
  const [first, second] = names.map((name) => encodeURIComponent(name.replace(',', '\\,')));
  const response = await request('GET', `/v1/tags?name[in]=${first},${second}&limit=1`);
  const next = await readList(linksOf(response)['next'] ?? '');
  expect([listOf(response).total, next.total, next.data.length]).toEqual([2, 2, 1]);
});

test('countBy shows the first 100 values of a field, and a list has no counts without it', async () => {
  const name = unique('scope');
  const statuses = Array.from({ length: 102 }, (_, number) => `s${String(number).padStart(3, '0')}`);
  await createMany(
    'tag',
    [...statuses, 's101'].map((status) => ({ name, status })),
  );
  const list = await readList(withQuery('/v1/tags', { name, countBy: 'status' }));
  const first = statuses.slice(0, 99).map((value) => ({ value, count: 1 }));
  expect(list).toMatchObject({ counts: { status: [{ value: 's101', count: 2 }, ...first] } });
  expect(await readList(withQuery('/v1/tags', { name }))).not.toHaveProperty('counts');
});
