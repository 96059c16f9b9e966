import { readFile } from 'node:fs/promises';
import type { Contract } from '../contract/contract.ts';
import { environment } from '../environment.ts';
import { contentTag, isCurrent } from './entity-tags.ts';
import type { Handler } from './middleware.ts';
import { noParameters } from './parse-list-query.ts';
import { pipeline } from './pipeline.ts';
import { Problem } from './problems.ts';

/** The content of a static page and its media type. */
export interface StaticPage {
  readonly mediaType: string;
  readonly content: string;
}

/** Seconds for which caches may use a page without revalidation. */
const maxAgeSeconds = 300;

/**
 * Pages load no resource and run no script from other origins. The API reference sets inline styles and contains its icons as data.
 * @see https://www.w3.org/TR/CSP3/
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Reads a file that ships beside the function. */
export const readShippedFile = (name: string): Promise<string> => readFile(environment.file(name), 'utf8');

/**
 * Returns the Lambda handler of a static page: public, and the same for everybody.
 * @param render returns the page; `undefined` means 404.
 */
export function staticPage(
  { operation }: Contract,
  render: (file: string) => StaticPage | undefined | Promise<StaticPage | undefined>,
): Handler {
  return pipeline(operation, [], async (event) => {
    noParameters(event.rawQueryString);
    const shown = await render(event.pathParameters?.['file'] ?? '');
    if (!shown) throw new Problem('not-found', 'There is no file with this name.');
    const { mediaType, content } = shown;
    const etag = contentTag(content);
    const headers = { etag, 'cache-control': `public, max-age=${maxAgeSeconds}` };
    if (isCurrent(event.headers['if-none-match'], etag)) return { statusCode: 304, headers };
    return {
      statusCode: 200,
      headers: {
        ...headers,
        'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
        'content-security-policy': contentSecurityPolicy,
      },
      body: content,
    };
  });
}
