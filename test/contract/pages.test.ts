import { brotliCompressSync, constants } from 'node:zlib';
import { routes } from '#functions/routes.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { request, type TestResponse } from './service.ts';

/** Resources without a token and a database: static pages, their files, and the OpenAPI document. */

interface Expected {
  readonly path: string;
  readonly mediaTypes: readonly string[];
}

const typesOfFiles: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  woff2: 'font/woff2',
};

const pages: readonly Expected[] = routes
  .map(({ contract }) => contract)
  .filter(({ success }) => success === 'staticPage')
  .flatMap(({ path, mediaTypes = [], files = [] }): Expected[] =>
    path.includes('{file}')
      ? files.map((file) => ({
          path: path.replace('{file}', file),
          // A guide has a name without an extension.
          mediaTypes: mediaTypes.filter(
            (type) => type === (typesOfFiles[file.split('.')[1] ?? ''] ?? 'text/html'),
          ),
        }))
      : [{ path, mediaTypes }],
  );

const mediaTypeOf = ({ headers }: TestResponse): string =>
  headers.get('content-type')?.split(';')[0]?.trim() ?? '';

const cached = ({ headers }: TestResponse) => ['etag', 'cache-control'].map((name) => headers.get(name));

describe.each(pages)('GET $path', ({ path, mediaTypes }) => {
  test('returns 200 with content of the declared media type, and an ETag', async () => {
    const response = await request('GET', path);
    expect([response.status, mediaTypes]).toEqual([200, expect.arrayContaining([mediaTypeOf(response)])]);
    expect(response.text).not.toBe('');
    expect(response.headers.get('etag')).toMatch(/^(?:W\/)?"[\x21\x23-\x7e]+"$/);
    expect(response.headers.get('cache-control')).toMatch(/public/);
  });

  test('returns the same headers for HEAD, and 304 when If-None-Match matches', async () => {
    const first = await request('GET', path);
    const tag = first.headers.get('etag') ?? '';
    for (const [method, condition, status] of [
      ['HEAD', '"other"', 200],
      ['HEAD', tag, 304],
      ['GET', `"other", ${tag}`, 304],
      ['GET', '*', 304],
    ] as const) {
      const response = await request(method, path, { headers: { 'if-none-match': condition } });
      expect([condition, response.status, response.text]).toEqual([condition, status, '']);
      expect(cached(response)).toEqual(cached(first));
      if (status === 200) expect(mediaTypeOf(response)).toBe(mediaTypeOf(first));
    }
  });
});

test('the document for generators has no HEAD operations and no static pages', async () => {
  const whole = (await request('GET', '/v1/openapi.json')).body as OpenApiDocument;
  const filtered = (await request('GET', '/docs/reference.json')).body as OpenApiDocument;
  const methodsOf = ({ paths }: OpenApiDocument) => Object.values(paths).flatMap(Object.keys);
  expect(methodsOf(whole)).toContain('head');
  expect(methodsOf(filtered)).not.toContain('head');
  expect(Object.keys(filtered.paths).every((path) => path.startsWith('/v1/'))).toBe(true);
  expect(Object.keys(filtered.components.responses)).not.toContain('Error404Head');
});

/** Returns a content as the service compresses it for browsers. */
const compressed = (content: string): Buffer =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });

describe('compression', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('for Accept-Encoding %s is %s', async (accepted, coding) => {
    const { headers, text } = await request('GET', '/docs', { headers: { 'accept-encoding': accepted } });
    expect(headers.get('content-encoding')).toBe(coding);
    expect(headers.get('vary')).toContain('Accept-Encoding');
    expect(text).toContain('</html>');
  });

  test('makes everything that the reference loads, except its font, at most 60 kB', async () => {
    const { text } = await request('GET', '/docs');
    const loaded = [...text.matchAll(/(?:src|href)="(\/docs\/[\w.-]+\.(?:js|css|svg))"/g)].map(
      ([, path = '']) => path,
    );
    expect(new Set(loaded).size).toBe(5);
    const contents = await Promise.all(['/docs', ...new Set(loaded)].map((path) => request('GET', path)));
    const bytes = contents.map(({ text: content }) => compressed(content).length);
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(60_000);
  });
});

describe('files under hashed names', () => {
  test('are cached for a year', async () => {
    const [, path = ''] =
      /href="(\/docs\/site\.[\w-]{10}\.css)"/.exec((await request('GET', '/')).text) ?? [];
    const { status, headers } = await request('GET', path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  test('of an earlier version have the current content, which is not kept', async () => {
    const current = await request('GET', '/docs/site.css');
    const earlier = await request('GET', '/docs/site.AAAAAAAAAA.css');
    expect([earlier.text, earlier.headers.get('cache-control')]).toEqual([
      current.text,
      'public, max-age=300',
    ]);
  });
});

test('the guide on authentication shows the lines with tokens on every service, and other guides hide them', async () => {
  const classOf = async (guide: string): Promise<string | undefined> => {
    const { text } = await request('GET', `/docs/guides/${guide}`);
    expect(text).toContain('class="of-tokens"');
    return /<article class="([^"]*)"/.exec(text)?.[1];
  };
  expect(await classOf('authentication')).toBe('text guide shows-tokens');
  expect(await classOf('batches')).toBe('text guide');
});

describe('an address without a page', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test.each(['/docs/typo.css', '/docs/guides/typo', '/typo'])(
    '%s is a page for browsers and a problem for programs',
    async (path) => {
      const page = await request('GET', path, { headers: html });
      expect([page.status, mediaTypeOf(page)]).toEqual([404, 'text/html']);
      expect(page.text).toContain('href="/docs"');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const problem = await request('GET', path);
      expect([problem.status, mediaTypeOf(problem)]).toEqual([404, 'application/problem+json']);
    },
  );

  test('is a problem for browsers too if it is one of the API', async () => {
    const problem = await request('GET', '/v1/typo', { headers: html });
    expect([problem.status, mediaTypeOf(problem)]).toEqual([404, 'application/problem+json']);
  });

  test('is a problem for a write, whatever it accepts', async () => {
    const response = await request('POST', '/typo', { headers: html });
    expect([response.status, mediaTypeOf(response)]).toEqual([404, 'application/problem+json']);
  });
});

describe('what browsers and search engines ask for by convention', () => {
  test.each([
    ['/docs/guides/errors/', '/docs/guides/errors'],
    ['/favicon.ico', '/docs/icon.svg'],
    ['/docs/guides', '/docs/guides/getting-started'],
    ['/problems', '/docs/problems'],
  ])('%s redirects to %s', async (path, location) => {
    const response = await request('GET', path);
    expect([response.status, response.headers.get('location')]).toEqual([308, location]);
  });

  test('robots.txt keeps the data out of search engines', async () => {
    const response = await request('GET', '/robots.txt');
    expect([response.status, mediaTypeOf(response)]).toEqual([200, 'text/plain']);
    expect(response.text).toBe('User-agent: *\nDisallow: /v1/\n');
  });

  test('an address of the API with a slash at its end stays a problem that names the address without it', async () => {
    const response = await request('GET', '/v1/tasks/');
    expect([response.status, response.text]).toEqual([404, expect.stringContaining('/v1/tasks')]);
  });
});
