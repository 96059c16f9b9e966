import { readFile } from 'node:fs/promises';
import type { Contract } from '../contract/contract.ts';
import { environment } from '../environment.ts';
import { contentTag, isCurrent } from './conditional.ts';
import { noParameters } from './list-query.ts';
import type { Handler } from './middleware.ts';
import { pipeline } from './pipeline.ts';
import { Problem } from './problems.ts';

/** What a page shows, and what it is. */
export interface Page {
  readonly mediaType: string;
  readonly content: string;
}

/** Seconds that anybody may keep a page before asking again. */
const freshness = 300;

/**
 * Pages load nothing from elsewhere and run no script of others. The reference sets styles on its elements, and has
 * its icons inside.
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

/** A file that ships beside the function. */
export const fileContent = (name: string): Promise<string> => readFile(environment.file(name), 'utf8');

/**
 * Makes the Lambda handler of an operation that shows a page: public, and the same for everybody.
 * @param contract what the operation is.
 * @param show makes the page; none means that there is nothing here.
 */
export function page(
  { operation }: Contract,
  show: (file: string) => Page | undefined | Promise<Page | undefined>,
): Handler {
  return pipeline(operation, [], async (event) => {
    noParameters(event.rawQueryString);
    const shown = await show(event.pathParameters?.['file'] ?? '');
    if (!shown) throw new Problem('not-found', 'There is no such file here.');
    const { mediaType, content } = shown;
    const etag = contentTag(content);
    const headers = { etag, 'cache-control': `public, max-age=${freshness}` };
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
