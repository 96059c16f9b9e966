import type { Site } from '#functions/documentation/site.ts';
import { readSite } from '#functions/documentation/site.ts';
import { siteFolder } from '#lib/hosting/functions.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { prepareSite } from '#lib/site/build.ts';
import { request, type TestResponse } from './service.ts';

/** The documentation without a token and a database. The HTML of its pages may be missing: test/browser/documentation.test.ts builds it. */

let site: Site;

beforeAll(async () => {
  await prepareSite();
  site = await readSite(siteFolder);
});

const mediaTypeOf = ({ headers }: TestResponse): string => headers.get('content-type') ?? '';

const cached = ({ headers }: TestResponse) => ['etag', 'cache-control'].map((name) => headers.get(name));

test('links with parameters that others add lead to the page', async () => {
  expect((await request('GET', '/llms.txt?utm_source=x&fbclid=y')).status).toBe(200);
});

test.each([
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/problems', 'text/html; charset=utf-8'],
  ['/docs/guides/errors', 'text/html; charset=utf-8'],
  ['/docs/guides/errors.md', 'text/markdown; charset=utf-8'],
  ['/docs/reference/listTasks.md', 'text/markdown; charset=utf-8'],
  ['/docs/client.mjs', 'text/javascript; charset=utf-8'],
  ['/docs/events.json', 'application/json'],
  ['/docs/icon.svg', 'image/svg+xml'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/llms-full.txt', 'text/plain; charset=utf-8'],
  ['/v1/openapi.json', 'application/json'],
])('GET %s returns %s, the same headers for HEAD, and 304 when If-None-Match matches', async (path, type) => {
  const first = await request('GET', path);
  expect([first.status, mediaTypeOf(first), first.text]).toEqual([200, type, expect.stringMatching(/./)]);
  expect(first.headers.get('content-security-policy')).toContain("default-src 'none'");
  const tag = first.headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  for (const [method, condition, status] of [
    ['HEAD', '"other"', 200],
    ['HEAD', tag, 304],
    ['GET', `"other", ${tag}`, 304],
    ['GET', '*', 304],
  ] as const) {
    const response = await request(method, path, { headers: { 'if-none-match': condition } });
    expect([condition, response.status, response.text]).toEqual([condition, status, '']);
    expect(cached(response)).toEqual(cached(first));
  }
});

test('the documents have no operation for HEAD, and that for generators whole entities alone, without the parameter that shortens them', async () => {
  const whole = (await request('GET', '/v1/openapi.json')).body as OpenApiDocument;
  const generated = (await request('GET', '/docs/reference.json')).body as OpenApiDocument;
  for (const { paths } of [whole, generated])
    expect(Object.values(paths).flatMap(Object.keys)).not.toContain('head');
  const itemsOf = ({ components }: OpenApiDocument, page: string) =>
    components.schemas[page]?.properties?.['data']?.items;
  for (const page of ['TaskList', 'TaskChangesPage']) {
    expect(itemsOf(whole, page)).toHaveProperty('anyOf');
    expect(itemsOf(generated, page)).toEqual({ $ref: '#/components/schemas/Task' });
  }
  const names = (document: OpenApiDocument) =>
    JSON.stringify(document.components).match(/"(?:Partial\w+|tasks\.fields)"/g);
  expect([names(whole)?.length, names(generated)]).toEqual([expect.any(Number), null]);
  expect(generated.paths['/v1/tasks']?.['get']?.description).toContain('With the parameter `fields`');
});

test.each([
  ['br, gzip', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'br'],
  ['br;q=0, *', null],
  ['*', 'br'],
  ['gzip', null],
  ['identity', null],
])('with Accept-Encoding %s, the content is readable and its coding is %s', async (accepted, coding) => {
  const { headers, text } = await request('GET', '/docs/guides/errors.md', {
    headers: { 'accept-encoding': accepted },
  });
  expect(headers.get('content-encoding')).toBe(coding);
  expect(headers.get('vary')).toContain('Accept-Encoding');
  expect(text).toContain('# ');
});

test('what has a hash in its name is cached for a year, and nothing else', () => {
  for (const [path, { cacheControl }] of Object.entries(site.files)) {
    const isHashed = /^\/docs\/assets\/.*\.[\w-]{8}\.(?:lean\.)?(?:js|css)$/.test(path);
    expect([path, cacheControl.includes('immutable')]).toEqual([path, isHashed]);
  }
});

describe('an address without a page', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test.each(['/docs/typo.css', '/docs/guides/typo', '/docs/__proto__', '/typo', '/v1/typo'])(
    '%s is a problem for programs',
    async (path) => {
      const problem = await request('GET', path);
      expect([problem.status, mediaTypeOf(problem)]).toEqual([404, 'application/problem+json']);
    },
  );

  test('is a page for browsers below /docs, if the pages are built', async () => {
    const { status, headers } = await request('GET', '/docs/typo', { headers: html });
    const isBuilt = (await request('GET', '/docs')).headers.get('cache-control') !== 'no-store';
    const expected = isBuilt ? 'text/html; charset=utf-8' : 'application/problem+json';
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      404,
      expected,
      'no-store',
    ]);
  });

  test.each([
    ['GET', '/v1/typo', 404],
    ['GET', '/typo', 404],
    ['POST', '/docs/typo', 405],
  ] as const)('%s %s is a problem for browsers too', async (method, path, status) => {
    const problem = await request(method, path, { headers: html });
    expect([problem.status, mediaTypeOf(problem)]).toEqual([status, 'application/problem+json']);
  });
});

describe('what browsers and search engines ask for by convention', () => {
  test.each([
    ['/', '/docs'],
    ['/docs/', '/docs'],
    ['/docs/guides/errors/', '/docs/guides/errors'],
    ['/favicon.ico', '/docs/icon.svg'],
    ['/guides', '/docs/guides/getting-started'],
    ['/problems', '/docs/problems'],
  ])('%s redirects to %s', async (path, location) => {
    const response = await request('GET', path);
    expect([response.status, response.headers.get('location')]).toEqual([308, location]);
  });

  test('robots.txt keeps the data out of search engines', async () => {
    const response = await request('GET', '/robots.txt');
    expect([response.status, mediaTypeOf(response)]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(response.text).toBe('User-agent: *\nDisallow: /v1/\n');
  });

  test('an address of the API with a slash at its end stays a problem that names the address without it', async () => {
    const response = await request('GET', '/v1/tasks/');
    expect([response.status, response.text]).toEqual([404, expect.stringContaining('/v1/tasks')]);
  });
});
