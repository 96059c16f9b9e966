import { someOf } from '../support/runs.ts';
import { expectNoInternals, expectParameter, expectPointer, expectProblem } from './problem.ts';
import {
  create,
  type Entity,
  entityOf,
  pathTo,
  read,
  readList,
  resources,
  someResources,
} from './resources.ts';
import { request, type TestResponse, unique, withQuery } from './service.ts';

const json = { 'content-type': 'application/json' };

/** Names with a meaning in JavaScript, in DynamoDB expressions or in the keys of the table. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'valueOf',
  'size',
  'select',
  '#status',
  ':status',
  'attribute_exists(pk)',
  'pk',
  'gsi1sk',
  'version',
  'tenant',
  'ttl',
  '$ne',
  'name[$ne]',
  'name[][]',
  'status.length',
  'name\u0000',
  '\u202ename',
  'ｎａｍｅ',
  "' OR 1=1 --",
  '../../etc/passwd',
  '<script>',
  '\r\nSet-Cookie: a=b',
  ' name',
  'x'.repeat(200),
] as const;

const short = (text: string) =>
  text.length > 40 ? `${text.slice(0, 24)}… (${text.length} characters)` : text;
const named = someOf(names, 4).map((name) => [short(JSON.stringify(name)), name] as const);

function expectClientError(response: TestResponse, echoed: readonly string[] = []): void {
  expect(`${response.status} ${response.text}`).toMatch(/^4\d\d /);
  expectNoInternals(response, echoed);
}

describe('hostile names', () => {
  test.each(named)('%s as a query parameter returns 400', async (_title, name) => {
    for (const { path } of resources) {
      const problem = expectParameter(await request('GET', withQuery(path, { [name]: 'x' })), name);
      expect(problem.errors).toHaveLength(1);
    }
  });

  test.each(named)('%s as sortBy returns 400', async (_title, name) => {
    for (const { path } of resources) {
      expectProblem(await request('GET', withQuery(path, { sortBy: name })), 400, [name]);
    }
  });

  test.each(named)('%s as the value of a filter matches nothing', async (_title, name) => {
    for (const { kind, path, scalarFields } of resources) {
      // All fields of tasks, which have the most, and a text field of the other resources.
      const fields = kind === 'task' ? [...scalarFields, 'tagIds'] : ['name'];
      for (const field of fields) {
        const elsewhere = field === 'status' ? 'name' : 'status';
        const list = await readList(withQuery(path, { [elsewhere]: unique('nowhere'), [field]: name }));
        expect(list).toMatchObject({ data: [], total: 0 });
      }
    }
  });

  describe.each(someResources)('as fields of a body of $path', ({ kind, path, minimal }) => {
    let existing: Entity;

    beforeAll(async () => {
      existing = await create(kind);
    });

    // Bodies can have `version`, which is ignored.
    test.each(named.filter(([, name]) => name !== 'version'))(
      '%s returns 400 and changes nothing',
      async (_title, name) => {
        // The body is text, because "__proto__" in an object literal would set the prototype.
        const hostile = `${JSON.stringify(name)}: {"status": "taken", "name": "taken"}`;
        const rawBody = JSON.stringify(await minimal()).replace('{', () => `{${hostile}, `);
        expectPointer(await request('POST', path, { rawBody, headers: json }), name);
        expectPointer(await request('PUT', pathTo(kind, existing.id), { rawBody, headers: json }), name);
        const patch = { rawBody: `{${hostile}}`, headers: json };
        expectPointer(await request('PATCH', pathTo(kind, existing.id), patch), name);
        expect(await read(kind, existing.id)).toEqual(existing);
      },
    );

    test('do not affect entities created later', async () => {
      const created = await create(kind);
      expect(created.status).toBe('active');
      expect(Object.keys(created).sort()).toEqual(Object.keys(existing).sort());
    });
  });

  test.each(named)('%s as a reference returns 400', async (_title, name) => {
    for (const { path, minimal, references } of resources) {
      for (const { field, many } of references) {
        const body = { ...(await minimal()), [field]: many ? [name] : name };
        expectPointer(await request('POST', path, { body }), field);
      }
    }
  });

  test.each(named)('%s as the id of a parent returns an empty list', async (_title, name) => {
    // The gateway may reject an encoded slash or a NUL before the list receives it.
    const response = await request('GET', `/v1/users/${encodeURIComponent(name)}/tasks`);
    if (response.status === 200) expect(response.body).toMatchObject({ data: [], total: 0 });
    else expect([400, 404]).toContain(response.status);
    expectNoInternals(response, [name]);
  });

  test.each(named)('%s as a text is stored unchanged or returns 400', async (_title, name) => {
    const response = await request('POST', '/v1/tags', { body: { name: unique('n'), description: name } });
    if (response.status === 400) {
      expectPointer(response, 'description');
      // Only control characters may return 400.
      expect(name).toMatch(/\p{Cc}/u);
    } else {
      expect(entityOf(response, 201).description).toBe(name);
    }
  });
});

describe('query strings', () => {
  test('with up to 60 parameters are accepted, with more return 400', async () => {
    const status = unique('s');
    const repeated = (times: number) =>
      request(
        'GET',
        withQuery(
          '/v1/tasks',
          Array.from({ length: times }, () => ['status', status] as const),
        ),
      );
    expect((await repeated(60)).status).toBe(200);
    expectProblem(await repeated(61), 400);
    expectProblem(await repeated(100), 400);
  });

  test.each(['name', 'value'])('with a %s of 10 KB match nothing or return 4xx', async (part) => {
    const long = 'x'.repeat(10 * 1024);
    const path = withQuery('/v1/tasks', part === 'name' ? { [long]: 'x' } : { name: long });
    const response = await request('GET', path);
    // A gateway may reject the request line (414, 431) before the service receives it.
    if (part === 'value' && response.status === 200)
      expect(response.body).toMatchObject({ data: [], total: 0 });
    else expectClientError(response, [long]);
  });

  test.each([
    '?%zz=1',
    '?name=%E0%A4%A',
    '?name=%ED%A0%80',
    '?%FF=1',
    '?&&&',
    '?=',
    '??name=x',
    '?name',
    '?page=1%00',
    '?page=9007199254740993',
    '?limit=%EF%BC%91',
    '?page=+1',
    '?status[]=x',
    '#fragment',
  ])('such as %s cause no server error', async (query) => {
    for (const path of ['/v1/tasks', '/v1/users/unknown/tasks', '/v1/users/unknown', '/v1/health']) {
      const response = await request('GET', path + query);
      expect(response.status).toBeLessThan(500);
      expectNoInternals(response);
      if (response.status === 400) expectProblem(response, 400);
    }
  });
});

describe('bodies', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const nestedObjects = (depth: number) => `${'{"name":'.repeat(depth)}1${'}'.repeat(depth)}`;

  test('may be nested 20 deep, apart from brackets in texts', async () => {
    const typeOf = async (rawBody: string) =>
      expectProblem(await request('POST', '/v1/tags', { rawBody, headers: json }), 400).type.split('#')[1];
    expect(await typeOf(`{"x": ${nested(19)}}`)).toBe('invalid-request');
    expect(await typeOf(`{"x": ${nested(20)}}`)).toBe('malformed-body');
    expect(await typeOf(`{"x": "\\"${nested(30)}"}`)).toBe('invalid-request');
  });

  test.each([2, 100, 10_000])('nested %d deep return 400', async (depth) => {
    for (const rawBody of [
      nested(depth),
      `{"name": ${nested(depth)}}`,
      `{"name": "x", "unknownField": ${nested(depth)}}`,
      nestedObjects(depth),
    ]) {
      expectProblem(await request('POST', '/v1/tags', { rawBody, headers: json }), 400);
    }
  });
});

describe('texts in bodies', () => {
  test.each(['"\\ud800"', '"a\\udc00b"', '"\\ude00\\ud83d"'])(
    'with the lone surrogate %s return 400 with a pointer',
    async (text) => {
      const before = await create('tag');
      for (const field of ['name', 'description']) {
        const full = { rawBody: `{"name": "x", "${field}": ${text}}`, headers: json };
        expectPointer(await request('POST', '/v1/tags', full), field);
        expectPointer(await request('PUT', pathTo('tag', before.id), full), field);
        const patch = { rawBody: `{"${field}": ${text}}`, headers: json };
        expectPointer(await request('PATCH', pathTo('tag', before.id), patch), field);
      }
      expect(await read('tag', before.id)).toEqual(before);
    },
  );
});

describe('odd bodies', () => {
  test.each([
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
    ['NUL bytes', new Uint8Array(16)],
  ])('of %s return 400', async (_title, rawBody) => {
    expectProblem(await request('POST', '/v1/tags', { rawBody, headers: json }), 400);
  });

  test.each(['1e999', '-0'])('with the number %s for a text return 400', async (number) => {
    const rawBody = `{"name": "x", "description": ${number}}`;
    expectPointer(await request('POST', '/v1/tags', { rawBody, headers: json }), 'description');
  });
});

describe('headers', () => {
  const tricky = ['', '"', '*', 'W/""', 'no quotes', '"a", ', '"\u00ff"', 'x'.repeat(5_000)];
  const listed = tricky.map((value) => [short(JSON.stringify(value)), value] as const);

  test.each(listed)('If-None-Match: %s causes no server error', async (_title, value) => {
    const { id } = await create('tag');
    const response = await request('GET', pathTo('tag', id), { headers: { 'if-none-match': value } });
    expect(value === '*' ? [304] : [200, 400]).toContain(response.status);
    expectNoInternals(response);
  });

  test.each(listed)('If-Match: %s allows no write without a match', async (_title, value) => {
    const { id } = await create('tag');
    const response = await request('PATCH', pathTo('tag', id), { body: {}, headers: { 'if-match': value } });
    // An empty header may count as a missing one.
    expect(value === '*' ? [200] : value === '' ? [200, 400, 412] : [400, 412]).toContain(response.status);
    expectNoInternals(response);
  });

  test.each([...listed, ['"__proto__"', '__proto__'] as const])(
    'Idempotency-Key: %s causes no server error',
    async (_title, key) => {
      const body = { name: unique('n') };
      const response = await request('POST', '/v1/tags', { body, headers: { 'idempotency-key': key } });
      // 422 is possible in a shared database, where the key can already exist.
      expect([201, 400, 422]).toContain(response.status);
      expectNoInternals(response);
    },
  );

  test.each(['application/json; charset=', ';', '*/*', 'x'.repeat(2_000)])(
    'Content-Type: %s causes no server error',
    async (contentType) => {
      const options = { body: { name: unique('n') }, headers: { 'content-type': contentType } };
      const response = await request('POST', '/v1/tags', options);
      expect([201, 400, 415]).toContain(response.status);
      expectNoInternals(response);
    },
  );

  test.each(['text/html', '*/*;q=0', 'garbage', 'application/xml'])(
    'Accept: %s causes no server error',
    async (accept) => {
      const { id } = await create('tag');
      const response = await request('GET', pathTo('tag', id), { headers: { accept } });
      expect([200, 406]).toContain(response.status);
      expectNoInternals(response);
    },
  );
});

describe('paths', () => {
  test.each([
    '/v1/tags/%zz',
    '/v1/tags/%C0%AF',
    '/v1/tags/%3Fname=x',
    '/v1/tags/..%2Fusers',
    '//v1/tags',
    '/v1/tags/%0D%0ASet-Cookie:a=b',
    `/v1/tags/${'x'.repeat(9_000)}`,
    `/v1/${'x/'.repeat(1_000)}`,
  ])('such as %s cause no server error', async (path) => {
    for (const method of ['GET', 'DELETE', 'OPTIONS'] as const) {
      const response = await request(method, path);
      expect(response.status).toBeLessThan(500);
      expect(response.headers.has('set-cookie')).toBe(false);
      expectNoInternals(response);
    }
    expect((await request('POST', '/v1/tags', { body: { name: unique('still-alive') } })).status).toBe(201);
  });
});
