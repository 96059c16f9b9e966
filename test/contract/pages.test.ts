import { routes } from '../../functions/routes.ts';
import { type Answer, request } from './service.ts';

/** What needs no token and no database: the pages, the files they load, and the OpenAPI document. */

interface Expected {
  readonly path: string;
  readonly mediaTypes: readonly string[];
}

/** The media types of the files that share a path. */
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

const mediaTypeOf = ({ headers }: Answer): string => headers.get('content-type')?.split(';')[0]?.trim() ?? '';

/** The headers that a cache keeps. */
const cached = ({ headers }: Answer) => ['etag', 'cache-control'].map((name) => headers.get(name));

test('there are pages, and files, to ask for', () => {
  const paths = pages.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['/', '/docs', '/docs/problems', '/docs/style.css', '/v1/openapi.json']),
  );
});

describe.each(pages)('GET $path', ({ path, mediaTypes }) => {
  test('returns 200 with content of the declared media type, and an ETag', async () => {
    const answer = await request('GET', path);
    expect([answer.status, mediaTypes]).toEqual([200, expect.arrayContaining([mediaTypeOf(answer)])]);
    expect(answer.text).not.toBe('');
    expect(answer.headers.get('etag')).toMatch(/^(?:W\/)?"[\x21\x23-\x7e]+"$/);
    expect(answer.headers.get('cache-control')).toMatch(/public/);
  });

  test('returns the same headers for HEAD, without content', async () => {
    const [get, head] = await Promise.all([request('GET', path), request('HEAD', path)]);
    expect([head.status, head.text, mediaTypeOf(head)]).toEqual([200, '', mediaTypeOf(get)]);
    expect(cached(head)).toEqual(cached(get));
  });

  test.each(['GET', 'HEAD'] as const)('returns 304 for %s while If-None-Match holds', async (method) => {
    const first = await request('GET', path);
    const tag = first.headers.get('etag') ?? '';
    for (const condition of [tag, `"other", ${tag}`, '*']) {
      const answer = await request(method, path, { headers: { 'if-none-match': condition } });
      expect([condition, answer.status, answer.text]).toEqual([condition, 304, '']);
      expect(cached(answer)).toEqual(cached(first));
    }
    const changed = await request(method, path, { headers: { 'if-none-match': '"other"' } });
    expect(changed.status).toBe(200);
  });
});
