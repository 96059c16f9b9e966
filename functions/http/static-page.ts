import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Contract } from '../contract/contract.ts';
import { environment } from '../runtime/environment.ts';
import { isCurrent } from './conditional-requests.ts';
import { contentTag } from './entity-tags.ts';
import type { Handler } from './middleware.ts';
import { requireNoParameters } from './parse-list-query.ts';
import { pipeline } from './pipeline.ts';
import { Problem } from './problems.ts';

export interface StaticPage {
  readonly mediaType: string;
  readonly content: string;
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
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const readShippedFile = (name: string): Promise<string> => readFile(environment.file(name), 'utf8');

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
async function encodedBody(content: string, coding: keyof typeof compressors | undefined) {
  if (!coding) return { body: content };
  return { body: (await compressors[coding](content)).toString('base64'), isBase64Encoded: true };
}

/** Returns the entity tag of a page: each coding is a representation of its own (RFC 9110, 8.8.3.3). */
const tagOf = (content: string, coding: string | undefined): string =>
  coding ? contentTag(content).replace(/"$/, `-${coding}"`) : contentTag(content);

/** @param render returns the page; `undefined` means 404. */
export function staticPage(
  { operation }: Contract,
  render: (file: string) => StaticPage | undefined | Promise<StaticPage | undefined>,
): Handler {
  return pipeline(operation, [], async (event) => {
    requireNoParameters(event.rawQueryString);
    const shown = await render(event.pathParameters?.['file'] ?? '');
    if (!shown) throw new Problem('not-found', 'There is no file with this name.');
    const { mediaType, content, isImmutable } = shown;
    const coding = acceptedCoding(event.headers['accept-encoding']);
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
        'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
        'content-security-policy': contentSecurityPolicy,
        // The address of a page can contain ids. With "no-referrer", browsers would send "Origin: null" with forms.
        'referrer-policy': 'same-origin',
      },
      ...(await encodedBody(content, coding)),
    };
  });
}
