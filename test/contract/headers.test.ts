import { create, paths, pathTo } from './resources.ts';
import { isLocal, request, type TestResponse } from './service.ts';

/** Headers of every response: for other origins, for measurements, and none that keeps a state. */

/** An origin that the local service allows, and every deployment with the default `corsOrigins`. */
const origin = 'http://localhost:5173';

const preflights = paths.flatMap(({ path, methods }) => methods.map((method) => ({ method, path })));

function items(header: string | null): string[] {
  return (header ?? '').split(',').map((item) => item.trim().toLowerCase());
}

describe('a preflight request', () => {
  test.each(preflights)('allows $method $path and its request headers', async ({ method, path }) => {
    const asked = ['content-type', 'if-match', 'if-none-match', 'idempotency-key'];
    const response = await request('OPTIONS', path.replace('{id}', 'any-id'), {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': asked.join(','),
      },
    });
    expect([200, 204]).toContain(response.status);
    expect([origin, '*']).toContain(response.headers.get('access-control-allow-origin'));
    const methods = items(response.headers.get('access-control-allow-methods'));
    expect(methods.includes('*') || methods.includes(method.toLowerCase())).toBe(true);
    const headers = items(response.headers.get('access-control-allow-headers'));
    expect(headers.includes('*') ? asked : headers).toEqual(expect.arrayContaining(asked));
  });
});

async function responsesOfEachKind(): Promise<TestResponse[]> {
  const { id } = await create('tag');
  const headers = { origin };
  return [
    await request('GET', '/v1/health', { headers }),
    await request('GET', '/v1/tags?limit=1', { headers }),
    await request('HEAD', pathTo('tag', id), { headers }),
    await request('POST', '/v1/tags', { headers, body: { name: 'x' } }),
    await request('PATCH', pathTo('tag', id), { headers, body: { name: 'y' } }),
    await request('PUT', pathTo('tag', id), { headers, body: { name: 'z' } }),
    await request('DELETE', pathTo('tag', id), { headers }),
    await request('GET', pathTo('tag', id), { headers }),
    await request('POST', '/v1/tags', { headers, body: {} }),
  ];
}

describe('a response to another origin', () => {
  test('can be read after success and after an error', async () => {
    for (const { headers } of await responsesOfEachKind())
      expect([origin, '*']).toContain(headers.get('access-control-allow-origin'));
  });

  test('exposes the headers for paging, redirects, conditional updates and clocks', async () => {
    const response = await request('GET', '/v1/tags?limit=1', { headers: { origin } });
    const exposed = items(response.headers.get('access-control-expose-headers'));
    const needed = ['date', 'etag', 'link', 'location', 'idempotency-replayed', 'x-total-count'];
    expect(exposed.includes('*') ? needed : exposed).toEqual(expect.arrayContaining(needed));
  });
});

test('no response sets a cookie, and each of the local service has the database cost of the request', async () => {
  for (const { headers } of await responsesOfEachKind()) {
    expect(headers.has('set-cookie')).toBe(false);
    const cost = /\bdynamodb;dur=\d+(\.\d+)?;desc="calls=\d+, read=\d+(\.\d+)?, write=\d+(\.\d+)?"/;
    if (isLocal) expect(headers.get('server-timing')).toMatch(cost);
  }
});
