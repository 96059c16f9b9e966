/** Converts requests to events of an API Gateway HTTP API, payload format 2.0. */
import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { JwtContext } from './authorizer.ts';

/** A request as Node.js receives it. `IncomingMessage` is one. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly httpVersion: string;
  /** Names and values, alternating. */
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string | undefined; readonly localPort?: number | undefined };
}

const domainName = 'localhost';

/** Returns a time in the common log format of Apache, which API Gateway uses. */
function commonLogTime(now: Date): string {
  const [, day, month, year, time] = now.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Returns headers with lower-case names. Repeated headers are joined with commas; cookies are separate. */
function headersOf({ rawHeaders }: HttpRequest): { headers: Record<string, string>; cookies: string[] } {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (let position = 0; position < rawHeaders.length; position += 2) {
    const name = (rawHeaders[position] ?? '').toLowerCase();
    const value = rawHeaders[position + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(/; */).filter(Boolean));
    else if (Object.hasOwn(headers, name)) headers[name] = `${headers[name]},${value}`;
    else if (name === '__proto__')
      Object.defineProperty(headers, name, { value, enumerable: true, writable: true, configurable: true });
    else headers[name] = value;
  }
  return { headers, cookies };
}

function queryOf(rawQueryString: string): Record<string, string> | undefined {
  if (rawQueryString === '') return undefined;
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(values);
}

const textTypes = /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml)|application\/javascript)$/;

/** Returns whether a body is passed as text. Other bodies are passed in Base64. */
function isText(contentType: string | undefined, body: Buffer): boolean {
  if (body.length === 0) return true;
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return textTypes.test(mediaType) && Buffer.from(body.toString('utf8')).equals(body);
}

/** Returns the decoded path. API Gateway drops everything after a decoded "?". */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path).split('?')[0] ?? '';
  } catch {
    return path;
  }
}

export function splitTarget(target: string): { path: string; rawQueryString: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, rawQueryString: '' }
    : { path: target.slice(0, mark), rawQueryString: target.slice(mark + 1) };
}

export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`;

interface RequestInfo {
  readonly requestId: string;
  /** The matching route, for example `GET /v1/projects/{id}` or `$default`. */
  readonly routeKey: string;
  /** Decoded values; undefined for `$default`. */
  readonly pathParameters: Record<string, string> | undefined;
  /** Result of the authorizer; undefined when the route needs no token. */
  readonly jwt: JwtContext | undefined;
}

export function toEvent(
  request: HttpRequest,
  body: Buffer,
  { requestId, routeKey, pathParameters, jwt }: RequestInfo,
): APIGatewayProxyEventV2 {
  const { path, rawQueryString } = splitTarget(request.url ?? '/');
  const { headers, cookies } = headersOf(request);
  const rawPath = decodedPath(path);
  const queryStringParameters = queryOf(rawQueryString);
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1';
  const now = new Date();
  const isPlainText = isText(headers['content-type'], body);
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    // API Gateway omits optional keys instead of sending empty values.
    ...(cookies.length > 0 && { cookies }),
    headers: {
      ...headers,
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': String(request.socket.localPort ?? 80),
      // API Gateway only accepts HTTPS, and sends "https".
      'x-forwarded-proto': 'http',
    },
    ...(queryStringParameters && { queryStringParameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      ...(jwt && { authorizer: { jwt } }),
      domainName,
      domainPrefix: domainName,
      http: {
        method: request.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(pathParameters && Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(body.length > 0 && { body: body.toString(isPlainText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isPlainText,
  };
}
