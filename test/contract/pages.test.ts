import { routes } from '../../functions/routes.ts';
import { request, type TestResponse } from './service.ts';

/** Resources without a token and a database: static pages, their files, and the OpenAPI document. */

interface Expected {
  readonly path: string;
  readonly mediaTypes: readonly string[];
}

/** The media types of the files under one path. */
const typesOfFiles: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
};

const pages: readonly Expected[] = routes
  .map(({ contract }) => contract)
  .filter(({ success }) => success === 'staticPage')
  .flatMap(({ path, mediaTypes = [], files = [] }): Expected[] =>
    path.includes('{file}')
      ? files.map((file) => ({
          path: path.replace('{file}', file),
          mediaTypes: mediaTypes.filter((type) => type === typesOfFiles[file.split('.').at(-1) ?? '']),
        }))
      : [{ path, mediaTypes }],
  );

const mediaTypeOf = ({ headers }: TestResponse): string =>
  headers.get('content-type')?.split(';')[0]?.trim() ?? '';

/** Returns the headers that a cache uses. */
const cached = ({ headers }: TestResponse) => ['etag', 'cache-control'].map((name) => headers.get(name));

test('the document declares static pages and files', () => {
  const paths = pages.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['/', '/docs', '/docs/problems', '/docs/style.css', '/v1/openapi.json']),
  );
});

describe.each(pages)('GET $path', ({ path, mediaTypes }) => {
  test('returns 200 with content of the declared media type, and an ETag', async () => {
    const response = await request('GET', path);
    expect([response.status, mediaTypes]).toEqual([200, expect.arrayContaining([mediaTypeOf(response)])]);
    expect(response.text).not.toBe('');
    expect(response.headers.get('etag')).toMatch(/^(?:W\/)?"[\x21\x23-\x7e]+"$/);
    expect(response.headers.get('cache-control')).toMatch(/public/);
  });

  test('returns the same headers and no content for HEAD', async () => {
    const [get, head] = await Promise.all([request('GET', path), request('HEAD', path)]);
    expect([head.status, head.text, mediaTypeOf(head)]).toEqual([200, '', mediaTypeOf(get)]);
    expect(cached(head)).toEqual(cached(get));
  });

  test.each(['GET', 'HEAD'] as const)('returns 304 for %s when If-None-Match matches', async (method) => {
    const first = await request('GET', path);
    const tag = first.headers.get('etag') ?? '';
    for (const condition of [tag, `"other", ${tag}`, '*']) {
      const response = await request(method, path, { headers: { 'if-none-match': condition } });
      expect([condition, response.status, response.text]).toEqual([condition, 304, '']);
      expect(cached(response)).toEqual(cached(first));
    }
    const changed = await request(method, path, { headers: { 'if-none-match': '"other"' } });
    expect(changed.status).toBe(200);
  });
});
