import { startFetchedService } from '#test/support/in-process-fetch.ts';

type Service = Awaited<ReturnType<typeof startFetchedService>>;

/** Tests which origins the local gateway allows, in responses and in preflight requests. */

const own = 'http://localhost:5173';
const app = 'https://app.example.com';

const localOrigins = ['http://localhost', 'https://localhost:8443', 'http://127.0.0.1:3000'];

const foreignOrigins = [
  app,
  'http://localhost.evil.com:3000',
  'http://127.0.0.1.evil.com',
  'http://localhost:3000@evil.com',
  'http://127.0.0.11:3000',
  'http://localhost:*',
  'null',
];

/** Returns the headers of a response that a page of another origin reads, and of the preflight request before a write. */
async function ask(service: Service, origin: string): Promise<Headers[]> {
  const read = await service.fetch(`${service.url}/v1/tags`, { headers: { origin } });
  const preflight = await service.fetch(`${service.url}/v1/tags`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  expect(read.status).toBe(200);
  // The gateway refuses preflight requests of origins that are neither of this machine nor allowed.
  expect([204, 403]).toContain(preflight.status);
  return [read.headers, preflight.headers];
}

describe.each([
  ['no more origins', [], localOrigins, foreignOrigins],
  ['more origins', [app, 'http://10.0.0.7:8080'], [app, 'http://10.0.0.7:8080', own], ['null']],
])('a local service with %s', (_, allowedOrigins, allowed, foreign) => {
  let service: Service;

  beforeAll(async () => {
    service = await startFetchedService({ allowedOrigins });
  });

  afterAll(() => service.stop());

  test.each(allowed)('allows the origin %s', async (origin) => {
    for (const headers of await ask(service, origin)) {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('vary')).toBe('Origin');
    }
  });

  test.each(foreign)('does not allow the origin %s', async (origin) => {
    const granted = (await ask(service, origin)).map((headers) =>
      [...headers.keys()].filter((name) => name.startsWith('access-control-')),
    );
    expect(granted).toEqual([[], []]);
  });
});

test('a local service with the origin * allows any origin and sends no Vary header', async () => {
  const service = await startFetchedService({ allowedOrigins: ['*'] });
  for (const headers of await ask(service, app)) {
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.has('vary')).toBe(false);
  }
  await service.stop();
});
