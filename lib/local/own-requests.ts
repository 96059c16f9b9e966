/**
 * Refuses requests that a web page of another site could have sent. Such a page can reach the gateway in the browser of a developer: by the
 * address of this machine, or by a name of its own that it binds to this address (DNS rebinding). In the cloud, tokens protect the data;
 * a local service usually requires none.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { instanceOf } from '../../functions/http/problems.ts';

export interface AllowedCallers {
  /** Host names that requests may use, in addition to `localhost`, names below it, and all IP addresses. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins whose pages may send any request, in addition to those of this machine; `*` allows any. */
  readonly origins?: readonly string[] | undefined;
}

/** The parts of a request that decide about it. `IncomingMessage` has them. */
type Head = Readonly<Pick<IncomingMessage, 'method' | 'headers'>> & {
  readonly rawHeaders: readonly string[];
};

interface Refusal {
  readonly status: 400 | 403 | 421;
  readonly title: string;
  readonly detail: string;
  /** The flag of the gateway that would allow the request. */
  readonly flag?: string | undefined;
}

const malformed = (detail: string): Refusal => ({ status: 400, title: 'Bad Request', detail });

/** Returns the lower-case name of a `Host` header, without port and brackets; undefined when it is not a host (RFC 9110, 7.2). */
function nameOf(host: string): string | undefined {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d{0,5})?$/i.exec(host) ?? [];
  // A trailing dot does not change the name.
  return address?.toLowerCase() ?? name?.toLowerCase().replace(/\.$/, '');
}

const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

const isLoopback = (name: string): boolean =>
  isLocalName(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));

/**
 * Returns whether the pages of an origin may send any request: those of this machine, of the gateway itself and of the allowed origins.
 * @param host of the request. It is allowed, so that no other site has this origin.
 */
function isAllowedOrigin(origin: string, host: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return isLoopback(nameOf(url.host) ?? '') || url.host === host?.toLowerCase();
}

/** Returns whether the browser sent the request for a page of an origin that is not allowed. */
export const isForeign = (
  { headers: { origin, host } }: Pick<Head, 'headers'>,
  { origins = [] }: AllowedCallers,
): boolean => origin !== undefined && !isAllowedOrigin(origin, host, origins);

/** Returns why a request is refused; undefined for a request that is not. */
export function refusalOf(request: Head, allowed: AllowedCallers): Refusal | undefined {
  const { method = '', headers, rawHeaders } = request;
  const hosts = rawHeaders.filter((name, position) => position % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return malformed('The request has more than one "Host" header.');
  // A browser always sends the header. Node.js rejects HTTP/1.1 without it.
  if (headers.host !== undefined) {
    const name = nameOf(headers.host);
    if (name === undefined) return malformed('The "Host" header is not a host name or address.');
    if (!isLocalName(name) && isIP(name) === 0 && !allowed.hosts?.includes(name)) {
      const detail = `This service does not serve the host "${name}". Use localhost or an IP address.`;
      return { status: 421, title: 'Misdirected Request', detail, flag: `--allow-host ${name}` };
    }
  }
  if (method === 'GET' || method === 'HEAD' || !isForeign(request, allowed)) return undefined;
  const { origin } = headers;
  const detail = `Pages of the origin "${origin}" may only read.`;
  const flag = `--allow-origin ${origin === 'null' ? "'*'" : origin}`;
  return { status: 403, title: 'Forbidden', detail, flag };
}

/** Returns the response of a refusal. Its type is `about:blank`, because only the local gateway has these problems (RFC 9457, 4.2.1). */
export function refusalResponse(
  { status, title, detail, flag }: Refusal,
  { path, requestId }: { readonly path: string; readonly requestId: string },
): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: JSON.stringify({
      type: 'about:blank',
      title,
      status,
      detail: flag ? `${detail} To allow it, start the service with ${flag}.` : detail,
      instance: instanceOf(path),
      requestId,
    }),
  };
}
