import { create, paths, pathTo } from './resources.ts';
import { request } from './service.ts';

/** Allowed by the local service, and by any deployment with the default `corsOrigins`. */
const origin = 'http://localhost:5173';

const preflights = paths.flatMap(({ path, methods }) => methods.map((method) => ({ method, path })));

function items(header: string | null): string[] {
  return (header ?? '').split(',').map((item) => item.trim().toLowerCase());
}

describe('a preflight', () => {
  test.each(preflights)('allows $method $path and the headers it may carry', async ({ method, path }) => {
    const asked = ['content-type', 'if-match', 'if-none-match', 'idempotency-key'];
    const answer = await request('OPTIONS', path.replace('{id}', 'any-id'), {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': asked.join(','),
      },
    });
    expect([200, 204]).toContain(answer.status);
    expect([origin, '*']).toContain(answer.headers.get('access-control-allow-origin'));
    const methods = items(answer.headers.get('access-control-allow-methods'));
    expect(methods.includes('*') || methods.includes(method.toLowerCase())).toBe(true);
    const headers = items(answer.headers.get('access-control-allow-headers'));
    expect(headers.includes('*') ? asked : headers).toEqual(expect.arrayContaining(asked));
  });
});

describe('an answer to another origin', () => {
  test('may be read, whether it succeeds or not', async () => {
    const { id } = await create('tag');
    const headers = { origin };
    for (const answer of [
      await request('GET', '/v1/tags?limit=1', { headers }),
      await request('GET', pathTo('tag', id), { headers }),
      await request('POST', '/v1/tags', { headers, body: { name: 'x' } }),
      await request('POST', '/v1/tags', { headers, body: {} }),
      await request('GET', pathTo('tag', 'unknown'), { headers }),
      await request('DELETE', pathTo('tag', id), { headers }),
    ]) {
      expect([origin, '*']).toContain(answer.headers.get('access-control-allow-origin'));
    }
  });

  test('shows the headers that a client needs to page, to follow and to update safely', async () => {
    const answer = await request('GET', '/v1/tags?limit=1', { headers: { origin } });
    const exposed = items(answer.headers.get('access-control-expose-headers'));
    const needed = ['etag', 'link', 'location', 'idempotency-replayed'];
    expect(exposed.includes('*') ? needed : exposed).toEqual(expect.arrayContaining(needed));
  });
});
