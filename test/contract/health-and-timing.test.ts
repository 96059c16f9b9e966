import { create, pathTo } from './resources.ts';
import { type Answer, isLocal, request } from './service.ts';

describe('GET /v1/health', () => {
  test('answers 200', async () => {
    expect((await request('GET', '/v1/health')).status).toBe(200);
  });

  test('answers HEAD without a body', async () => {
    const answer = await request('HEAD', '/v1/health');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

/** One answer of each sort. */
async function answers(): Promise<Answer[]> {
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

describe('no answer', () => {
  test('starts a session: each request carries all it needs', async () => {
    for (const answer of await answers()) expect(answer.headers.has('set-cookie')).toBe(false);
  });
});

if (isLocal) {
  describe('every answer of the local service', () => {
    test('tells what the request cost in the database', async () => {
      for (const answer of await answers()) {
        expect(answer.headers.get('server-timing')).toMatch(
          /\bdynamodb;dur=\d+(\.\d+)?;desc="calls=\d+, read=\d+(\.\d+)?, write=\d+(\.\d+)?"/,
        );
      }
    });

    test('counts the calls of that request alone', async () => {
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
