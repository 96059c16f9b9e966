import { someOf } from '../support/runs.ts';
import { expectProblem } from './problem.ts';
import { create, paths, pathTo, someResources } from './resources.ts';
import { type Method, request, unique } from './service.ts';

const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const wrongMethods = paths.flatMap(({ path, methods: served }) =>
  methods.filter((method) => !served.includes(method)).map((method) => ({ method, path, served })),
);

describe('a method that a path does not allow', () => {
  test.each(wrongMethods)('$method $path returns 405 with the allowed methods', async (wrong) => {
    const { method, path, served } = wrong;
    const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
    const response = await request(
      method,
      path.replace('{id}', 'any-id'),
      withBody ? { body: { name: 'x' } } : {},
    );
    if (method === 'HEAD') expect([response.status, response.text]).toEqual([405, '']);
    else expectProblem(response, 405);
    const allowed = (response.headers.get('allow') ?? '').split(',').map((name) => name.trim());
    // OPTIONS is optional, because the gateway handles preflight requests.
    expect(allowed.filter((name) => name !== 'OPTIONS').sort()).toEqual([...served].sort());
  });
});

describe.each(someResources)('an unknown id of $path', ({ kind, minimal, path }) => {
  const ids = [
    'unknown',
    '01890000-0000-7000-8000-000000000000',
    '00000000-0000-0000-0000-000000000000',
    '0',
    '*',
    '%20',
    '%00',
    '%25',
    '%F0%9F%98%80',
    'a%2Fb',
    '__proto__',
    'x'.repeat(2_000),
  ];

  test.each(someOf(ids, 3).map((id) => [id.slice(0, 40), id] as const))(
    'returns 404 for %s and every method',
    async (_title, id) => {
      const address = `${path}/${id}`;
      expectProblem(await request('GET', address), 404);
      expectProblem(await request('DELETE', address), 404);
      expectProblem(await request('PATCH', address, { body: { name: 'x' } }), 404);
      expectProblem(await request('PATCH', address, { body: {} }), 404);
      expectProblem(await request('PUT', address, { body: await minimal() }), 404);
      expect((await request('HEAD', address)).status).toBe(404);
    },
  );

  test('returns 404 for the id of another kind', async () => {
    const otherKind = kind === 'tag' ? 'user' : 'tag';
    const { id } = await create(otherKind);
    expectProblem(await request('GET', pathTo(kind, id)), 404);
    expectProblem(await request('PATCH', pathTo(kind, id), { body: { name: 'x' } }), 404);
    expectProblem(await request('DELETE', pathTo(kind, id)), 404);
    expect((await request('GET', pathTo(otherKind, id))).status).toBe(200);
  });
});

describe('the body limit of 256 KiB', () => {
  const limit = 256 * 1024;
  const json = { 'content-type': 'application/json' };
  /** Returns valid JSON of `size` bytes, padded with white space between tokens. */
  const padded = (size: number) => {
    const body = JSON.stringify({ name: unique('Padded') });
    return body.replace('{', `{${' '.repeat(size - body.length)}`);
  };

  test('accepts a body of exactly this size', async () => {
    expect((await request('POST', '/v1/tags', { rawBody: padded(limit), headers: json })).status).toBe(201);
  });

  test.each([limit + 1, 4 * 1024 * 1024])('returns 413 for %d bytes', async (size) => {
    expectProblem(await request('POST', '/v1/tags', { rawBody: padded(size), headers: json }), 413);
  });

  test('applies to PUT, PATCH and actions', async () => {
    const options = { rawBody: padded(limit + 1), headers: json };
    const { id } = await create('project');
    expectProblem(await request('PUT', pathTo('project', id), options), 413);
    expectProblem(await request('PATCH', pathTo('project', id), options), 413);
    expectProblem(await request('POST', `${pathTo('project', id)}/clone`, options), 413);
  });
});

test.each(['gzip', 'gzip, br'])(
  'a body with the content encoding %s is a 415 that says which one is accepted',
  async (coding) => {
    const response = await request('POST', '/v1/tags', {
      rawBody: new Uint8Array([31, 139, 8]),
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
    });
    expect(expectProblem(response, 415).detail).toMatch(/must not be compressed/);
    expect(response.headers.get('accept-encoding')).toBe('identity');
  },
);
