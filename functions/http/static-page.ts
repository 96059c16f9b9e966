import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Contract } from '../contract/contract.ts';
import { environment } from '../runtime/environment.ts';
import { isCurrent } from './conditional-requests.ts';
import { contentTag } from './entity-tags.ts';
import type { Handler, PipelineEvent, Response } from './middleware.ts';
import { requireNoParameters } from './parse-list-query.ts';
import { pipeline } from './pipeline.ts';
import { Problem } from './problems.ts';

export interface StaticPage {
  readonly mediaType: string;
  /** A text, or the bytes of a file that is compressed already. */
  readonly content: string | Buffer;
  /** Whether the content under this address never changes, because a hash of it is part of the name. */
  readonly isImmutable?: boolean;
}

/** Seconds for which caches may use a page without revalidation, and an immutable file: a year. */
const maxAgeSeconds = 300;
const maxImmutableAgeSeconds = 31_536_000;

/**
 * Pages load no resource and run no script or style from other origins, and contain none themselves.
 * @see https://www.w3.org/TR/CSP3/
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the headers that a browser needs to show a page or use a file. */
export const contentHeaders = (mediaType: string): Record<string, string> => ({
  'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
  'content-security-policy': contentSecurityPolicy,
  // The address of a page can contain ids. With "no-referrer", browsers would send "Origin: null" with forms.
  'referrer-policy': 'same-origin',
});

export const readShippedFile = (name: string): Promise<string> => readFile(environment.file(name), 'utf8');

export const readShippedBytes = (name: string): Promise<Buffer> => readFile(environment.file(name));

/** Compressors by content coding, the preferred one first. Above quality 5, Brotli takes longer than the transfer saves. */
const compressors = {
  br: (content: string) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (content: string) => promisify(gzip)(content),
};

/** Returns the content coding that a request accepts (RFC 9110, 12.5.3); `undefined` when it accepts none of these. */
export function acceptedCoding(acceptEncoding = ''): keyof typeof compressors | undefined {
  const items = acceptEncoding.toLowerCase().replaceAll(/[ \t]/g, '').split(',');
  const weights = new Map(
    items.map((item) => {
      const [coding = '', weight = '1'] = item.split(';q=');
      return [coding, Number(weight)] as const;
    }),
  );
  // `*` stands for every coding that the header does not name.
  return (['br', 'gzip'] as const).find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0);
}

/** Returns the body of a response. API Gateway takes binary bodies in Base64. */
async function encodedBody(content: string | Buffer, coding: keyof typeof compressors | undefined) {
  if (typeof content !== 'string') return { body: content.toString('base64'), isBase64Encoded: true };
  if (!coding) return { body: content };
  return { body: (await compressors[coding](content)).toString('base64'), isBase64Encoded: true };
}

/** Returns the entity tag of a page: each coding is a representation of its own (RFC 9110, 8.8.3.3). */
const tagOf = (content: string | Buffer, coding: string | undefined): string =>
  coding ? contentTag(content).replace(/"$/, `-${coding}"`) : contentTag(content);

/** The page for addresses that do not exist. It ships beside the functions that can respond with it. */
export const notFoundFile = 'not-found.html';

/** Returns whether the weight of a media range is 0 (RFC 9110, 12.4.2). */
const isRefused = (range: string): boolean => /;q=0(?:\.0{0,3})?$/.test(range);

/** Returns whether a browser asks for a page, and not a program for data. */
export const asksForHtml = ({ headers, requestContext }: PipelineEvent): boolean =>
  ['GET', 'HEAD'].includes(requestContext.http.method) &&
  (headers['accept'] ?? '')
    .toLowerCase()
    .replaceAll(/[ \t]/g, '')
    .split(',')
    .some((range) => range === 'text/html' || (range.startsWith('text/html;') && !isRefused(range)));

export async function notFoundPage(): Promise<Response> {
  return {
    statusCode: 404,
    headers: { ...contentHeaders('text/html'), 'cache-control': 'no-store' },
    body: await readShippedFile(notFoundFile),
  };
}

/** Returns a permanent redirect, which caches may keep for a day. */
export const redirectTo = (location: string): Response => ({
  statusCode: 308,
  headers: { location, 'cache-control': 'public, max-age=86400' },
});

/** @param render returns the page; `undefined` means 404. */
export function staticPage(
  { operation, redirects }: Contract,
  render: (file: string) => StaticPage | undefined | Promise<StaticPage | undefined>,
): Handler {
  return pipeline(operation, [], async (event) => {
    requireNoParameters(event.rawQueryString);
    const file = event.pathParameters?.['file'] ?? '';
    const location = redirects?.get(file);
    if (location) return redirectTo(location);
    const shown = await render(file);
    if (!shown) {
      if (asksForHtml(event)) return notFoundPage();
      throw new Problem('not-found', 'There is no file with this name.');
    }
    const { mediaType, content, isImmutable } = shown;
    const coding = typeof content === 'string' ? acceptedCoding(event.headers['accept-encoding']) : undefined;
    const etag = tagOf(content, coding);
    const headers = {
      etag,
      'cache-control': isImmutable
        ? `public, max-age=${maxImmutableAgeSeconds}, immutable`
        : `public, max-age=${maxAgeSeconds}`,
      vary: 'Accept-Encoding',
    };
    if (isCurrent(event.headers['if-none-match'], etag)) return { statusCode: 304, headers };
    return {
      statusCode: 200,
      headers: {
        ...headers,
        ...(coding && { 'content-encoding': coding }),
        ...contentHeaders(mediaType),
      },
      ...(await encodedBody(content, coding)),
    };
  });
}
