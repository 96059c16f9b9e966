import { create, pathTo } from './resources.ts';
import { isLocal, request, type TestResponse } from './service.ts';

describe('GET /v1/health', () => {
  test('returns 200', async () => {
    expect((await request('GET', '/v1/health')).status).toBe(200);
  });

  test('returns no body for HEAD', async () => {
    const response = await request('HEAD', '/v1/health');
    expect([response.status, response.text]).toEqual([200, '']);
  });
});

async function responsesOfEachKind(): Promise<TestResponse[]> {
  const { id } = await create('tag');
  return [
    await request('GET', '/v1/health'),
    await request('GET', '/v1/tags?limit=1'),
    await request('GET', pathTo('tag', id)),
    await request('HEAD', pathTo('tag', id)),
    await request('POST', '/v1/tags', { body: { name: 'x' } }),
    await request('PATCH', pathTo('tag', id), { body: { name: 'y' } }),
    await request('PUT', pathTo('tag', id), { body: { name: 'z' } }),
    await request('DELETE', pathTo('tag', id)),
    await request('GET', pathTo('tag', id)),
    await request('POST', '/v1/tags', { body: {} }),
    await request('DELETE', '/v1/tags'),
    await request('GET', '/v1/unknown'),
  ];
}

describe('every response', () => {
  test('sets no cookie', async () => {
    for (const response of await responsesOfEachKind())
      expect(response.headers.has('set-cookie')).toBe(false);
  });
});

if (isLocal) {
  describe('every response of the local service', () => {
    test('contains the database cost of the request', async () => {
      for (const response of await responsesOfEachKind()) {
        expect(response.headers.get('server-timing')).toMatch(
          /\bdynamodb;dur=\d+(\.\d+)?;desc="calls=\d+, read=\d+(\.\d+)?, write=\d+(\.\d+)?"/,
        );
      }
    });

    test('counts only the database calls of its own request', async () => {
      const { id } = await create('tag');
      const calls = async (path: string) => {
        const timing = (await request('GET', path)).headers.get('server-timing') ?? '';
        return Number(/calls=(\d+)/.exec(timing)?.[1]);
      };
      expect(await calls(pathTo('tag', id))).toBeGreaterThanOrEqual(1);
      expect(await calls('/v1/unknown')).toBe(0);
    });
  });
}
