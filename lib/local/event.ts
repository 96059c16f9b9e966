/** Requests as API Gateway hands them to a function: HTTP API, payload format 2.0. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Granted } from './authorizer.ts';

const domainName = 'localhost';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time as in Apache's common log format, which is what API Gateway writes. */
function commonLogTime(now: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${two(now.getUTCDate())}/${months[now.getUTCMonth()]}/${now.getUTCFullYear()}`;
  return `${day}:${two(now.getUTCHours())}:${two(now.getUTCMinutes())}:${two(now.getUTCSeconds())} +0000`;
}

/** Names in lower case, repeated ones joined with a comma, cookies apart. */
function headersOf({ rawHeaders }: IncomingMessage): { headers: Record<string, string>; cookies: string[] } {
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

/** Whether a body arrives as it is. Everything else arrives in Base64. */
function isText(contentType: string | undefined, body: Buffer): boolean {
  if (body.length === 0) return true;
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return textTypes.test(mediaType) && Buffer.from(body.toString('utf8')).equals(body);
}

/** The path without its encoding; what follows a decoded "?" is lost on the way through the gateway. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path).split('?')[0] ?? '';
  } catch {
    return path;
  }
}

/** The part of a request line's target before its query, and the query. */
export function splitTarget(target: string): { path: string; rawQueryString: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, rawQueryString: '' }
    : { path: target.slice(0, mark), rawQueryString: target.slice(mark + 1) };
}

/** API Gateway's ids of requests look like this. */
export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`;

/**
 * @param routeKey the route that matched, `GET /v1/projects/{id}` or `$default`.
 * @param pathParameters decoded; none for `$default`.
 * @param jwt what the authorizer says; none where no token is asked for.
 */
export function toEvent(
  request: IncomingMessage,
  body: Buffer,
  requestId: string,
  routeKey: string,
  pathParameters: Record<string, string> | undefined,
  jwt?: Granted,
): APIGatewayProxyEventV2 {
  const { path, rawQueryString } = splitTarget(request.url ?? '/');
  const { headers, cookies } = headersOf(request);
  const rawPath = decodedPath(path);
  const queryStringParameters = queryOf(rawQueryString);
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1';
  const now = new Date();
  const asText = isText(headers['content-type'], body);
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    // Optional keys are absent, not empty.
    ...(cookies.length > 0 && { cookies }),
    headers: {
      ...headers,
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
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
    ...(body.length > 0 && { body: body.toString(asText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !asText,
  };
}
