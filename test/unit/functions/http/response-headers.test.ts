import type { PipelineRequest } from '#functions/http/middleware.ts';
import { responseHeaders } from '#functions/http/response-headers.ts';
import type { Service } from '#lib/local/service.ts';
import { startTestService } from '#test/support/local-service.ts';

/** Returns the headers of a response to a request that arrived by HTTPS or by HTTP. */
async function headersOf(protocol: string, at: 'after' | 'onError'): Promise<Record<string, unknown>> {
  const request = {
    event: { headers: { 'x-forwarded-proto': protocol }, requestContext: { http: { method: 'GET' } } },
    response: { statusCode: at === 'after' ? 200 : 404, headers: { etag: '"1"' } },
  } as unknown as PipelineRequest;
  await responseHeaders[at]?.(request);
  return request.response?.headers ?? {};
}

test.each(['after', 'onError'] as const)('a response by HTTPS requires HTTPS for a year (%s)', async (at) => {
  expect(await headersOf('https', at)).toMatchObject({
    etag: '"1"',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
  });
});

test('a response by HTTP does not', async () => {
  expect(await headersOf('http', 'after')).not.toHaveProperty('strict-transport-security');
});

describe('the local service', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(() => service.stop());

  test.each(['/', '/docs', '/docs/problems', '/docs/site.css', '/v1/tags', '/unknown'])(
    'does not require HTTPS for %s',
    async (path) => {
      const { headers } = await fetch(service.url + path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('strict-transport-security')).toBeNull();
    },
  );

  test.each(['/', '/docs', '/docs/problems'])('tells other sites no address of the page %s', async (path) => {
    const { headers } = await fetch(service.url + path);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });
});
