/** The handler of all paths of the documentation. */
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { isCurrent } from '../http/conditional-requests.ts';
import type { PipelineEvent, Response } from '../http/middleware.ts';
import { pipeline } from '../http/pipeline.ts';
import { Problem } from '../http/problems.ts';
import { redirectTo } from '../http/redirect.ts';
import { environment } from '../runtime/environment.ts';
import { issuerRelation } from './paths.ts';
import { notFoundPath, readSite, readSiteFile } from './site.ts';

const listIn = (header = ''): string[] => header.toLowerCase().replaceAll(/[ \t]/g, '').split(',');

/** Returns whether a request accepts Brotli (RFC 9110, 12.5.3). `*` stands for every coding that the header does not name. */
export function acceptsBrotli(acceptEncoding?: string): boolean {
  const weights = new Map(
    listIn(acceptEncoding).map((item) => {
      const [coding = '', weight = '1'] = item.split(';q=');
      return [coding, Number(weight)];
    }),
  );
  return (weights.get('br') ?? weights.get('*') ?? 0) > 0;
}

/** Returns whether the weight of a media range is 0 (RFC 9110, 12.4.2). */
const isRefused = (range: string): boolean => /;q=0(?:\.0{0,3})?$/.test(range);

/** Returns whether a browser asks for a page, and not a program for data. */
const asksForHtml = ({ headers }: PipelineEvent): boolean =>
  listIn(headers['accept']).some(
    (range) => range === 'text/html' || (range.startsWith('text/html;') && !isRefused(range)),
  );

/** Returns the policy of a page, with the issuer of a local service, of which pages get a token. */
const signInHeaders = (policy: string, issuer: string | undefined): Record<string, string> =>
  issuer === undefined
    ? { 'content-security-policy': policy }
    : {
        'content-security-policy': policy.replace("connect-src 'self'", `$& ${issuer}`),
        link: `<${issuer}>; rel="${issuerRelation}"`,
      };

export const handler = pipeline('readDocumentation', [], async (event): Promise<Response> => {
  // Mail programs and networks add parameters to links.
  const { rawPath, headers: requested } = event;
  if (/^\/docs(?:\/[\w.-]+)+\/$/.test(rawPath)) return redirectTo(rawPath.slice(0, -1));
  const { files, contentSecurityPolicy } = await readSite();
  const found = files[rawPath];
  const file = found ?? (asksForHtml(event) ? files[notFoundPath] : undefined);
  if (!file) throw new Problem('not-found', 'The documentation has no page or file at this address.');
  const isCompressed = acceptsBrotli(requested['accept-encoding']);
  // Each coding is a representation of its own (RFC 9110, 8.8.3.3).
  const etag = `"${file.name}${isCompressed ? '-br' : ''}"`;
  const headers = {
    etag,
    'cache-control': found ? file.cacheControl : 'no-store',
    vary: 'Accept-Encoding',
  };
  if (found && isCurrent(requested['if-none-match'], etag)) return { statusCode: 304, headers };
  const content = await readSiteFile(file);
  return {
    statusCode: found ? 200 : 404,
    headers: {
      ...headers,
      ...(isCompressed && { 'content-encoding': 'br' }),
      'content-type': file.mediaType,
      ...signInHeaders(contentSecurityPolicy, environment.localIssuer()),
      // The address of a page can contain ids. With "no-referrer", browsers would send "Origin: null" with forms.
      'referrer-policy': 'same-origin',
    },
    // API Gateway takes binary bodies in Base64.
    ...(isCompressed
      ? { body: content.toString('base64'), isBase64Encoded: true }
      : { body: (await promisify(brotliDecompress)(content)).toString() }),
  };
});
