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
import { request, unique, withQuery } from './service.ts';

const json = { 'content-type': 'application/json' };

/** Names with a meaning in JavaScript, in DynamoDB expressions or in the keys of the table. */
const names = [
  ...['__proto__', 'constructor', 'prototype', 'valueOf', 'size', 'select', '#status', ':status'],
  ...['attribute_exists(pk)', 'pk', 'gsi1sk', 'version', 'tenant', 'ttl', '$ne', 'name[$ne]', 'name[][]'],
  ...['status.length', 'name\u0000', '\u202ename', 'ｎａｍｅ', "' OR 1=1 --", '../../etc/passwd', '<script>'],
  ...['\r\nSet-Cookie: a=b', ' name', 'x'.repeat(200)],
];

const short = (text: string) =>
  text.length > 40 ? `${text.slice(0, 24)}… (${text.length} characters)` : text;
const named = someOf(names, 4).map((name) => [short(JSON.stringify(name)), name] as const);

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

  test.each([
    ...['?%zz=1', '?name=%E0%A4%A', '?name=%ED%A0%80', '?%FF=1', '?&&&', '?=', '??name=x', '?name'],
    ...['?page=1%00', '?page=9007199254740993', '?limit=%EF%BC%91', '?page=+1', '?status[]=x', '#fragment'],
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

  test('may be nested 20 deep, apart from brackets in texts', async () => {
    const typeOf = async (rawBody: string) =>
      expectProblem(await request('POST', '/v1/tags', { rawBody, headers: json }), 400).type.split('#')[1];
    expect(await typeOf(`{"x": ${nested(19)}}`)).toBe('invalid-request');
    expect(await typeOf(`{"x": ${nested(20)}}`)).toBe('malformed-body');
    expect(await typeOf(`{"x": "\\"${nested(30)}"}`)).toBe('invalid-request');
  });
});

describe('odd bodies', () => {
  test.each([
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
    ['NUL bytes', new Uint8Array(16)],
  ])('of %s return 400', async (_title, rawBody) => {
    expectProblem(await request('POST', '/v1/tags', { rawBody, headers: json }), 400);
  });
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
