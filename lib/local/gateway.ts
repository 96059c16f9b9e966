/** An HTTP API of API Gateway on this machine: converts requests to Lambda events, and results to HTTP responses. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import findMyWay from 'find-my-way';
import { Problem, problemResponse } from '../../functions/http/problems.ts';
import { allowedOrigin, type CrossOrigin } from '../hosting/cors.ts';
import { AuthorizationError, type Authorizer, type JwtContext } from './authorizer.ts';
import { functionContext } from './lambda-context.ts';
import { decodedPath, newRequestId, splitTarget, toEvent } from './lambda-event.ts';
import { type AllowedCallers, isForeign, refusalOf, refusalResponse } from './own-requests.ts';

/** Limits of API Gateway. The head is the request line and the headers. */
const maxHeadBytes = 10_240;
const maxBodyBytes = 10 * 1024 * 1024;

/** Milliseconds for which a client may send a request. The integration timeout of API Gateway is as long. */
const defaultMaxReceiveMs = 30_000;

const serverOptions = (maxReceiveMs = defaultMaxReceiveMs) => ({
  maxHeaderSize: maxHeadBytes,
  headersTimeout: maxReceiveMs,
  requestTimeout: maxReceiveMs,
  // A half-sent request ends at most a sixth of the time later.
  connectionsCheckingInterval: maxReceiveMs / 6,
});

export type LambdaFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

export interface GatewayRoute {
  readonly method: string;
  readonly path: string;
  readonly function: LambdaFunction;
  /** The token needs one of these scopes; any token suffices when there are none. Without them, requests need no token. */
  readonly scopes?: readonly string[] | undefined;
}

export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[];
  readonly fallback: LambdaFunction;
  readonly timeoutMs: number;
  /** Milliseconds for which a client may send a request. Default: 30 seconds. */
  readonly maxReceiveMs?: number | undefined;
  readonly crossOrigin: CrossOrigin;
  /** Which hosts and origins requests may have, in addition to those of this machine. */
  readonly allowed?: AllowedCallers | undefined;
  /** Verifies tokens. Without it, no route needs a token. */
  readonly authorizer?: Authorizer | undefined;
  readonly onEvent?: ((event: APIGatewayProxyEventV2) => void) | undefined;
  readonly onResponse?: ((response: TimedResponse) => void) | undefined;
}

export interface SentResponse {
  readonly method: string;
  /** Encoded path without query. */
  readonly path: string;
  readonly status: number;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface TimedResponse extends SentResponse {
  readonly rawQueryString: string;
  /** Milliseconds from the head of the request to the response. */
  readonly durationMs: number;
}

const noDatabaseCalls = 'dynamodb;dur=0;desc="calls=0, read=0, write=0"';

/** Reads the body. @returns undefined when it exceeds the limit. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // A request has a body only with one of these headers (RFC 9112, section 6.3).
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (length === undefined && coding === undefined) return Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The rest is read and discarded: a client that is still sending would not read the response.
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => resolve(bytes > maxBodyBytes ? undefined : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Returns the response to a CORS preflight request, which the gateway handles on every path. */
function preflight(request: IncomingMessage, crossOrigin: CrossOrigin): APIGatewayProxyStructuredResultV2 {
  const { origin, 'access-control-request-method': method } = request.headers;
  const isAllowed = origin && method && allowedOrigin(crossOrigin.origins, origin);
  return {
    statusCode: 204,
    headers: isAllowed
      ? {
          'access-control-allow-methods': crossOrigin.methods.join(','),
          'access-control-allow-headers': crossOrigin.requestHeaders.join(','),
          'access-control-max-age': String(crossOrigin.maxAgeSeconds),
        }
      : {},
  };
}

function outgoingHeaders(
  { headers: { origin } }: IncomingMessage,
  requestId: string,
  { headers }: APIGatewayProxyStructuredResultV2,
  crossOrigin: CrossOrigin,
): Record<string, string> {
  const outgoing: Record<string, string> = { 'server-timing': noDatabaseCalls };
  for (const name in headers) outgoing[name.toLowerCase()] = String(headers[name]);
  outgoing['apigw-requestid'] = requestId;
  const allowed = origin && allowedOrigin(crossOrigin.origins, origin);
  // A cache must not reuse the response for another origin (Fetch, section 3.2.5).
  if (!crossOrigin.origins.includes('*')) {
    outgoing['vary'] = outgoing['vary'] ? `${outgoing['vary']}, Origin` : 'Origin';
  }
  if (allowed) {
    outgoing['access-control-allow-origin'] = allowed;
    outgoing['access-control-expose-headers'] = crossOrigin.exposedHeaders.join(',');
  }
  return outgoing;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { statusCode = 200, body = '', isBase64Encoded }: APIGatewayProxyStructuredResultV2,
  headers: Record<string, string>,
): void {
  const content = isBase64Encoded ? Buffer.from(body, 'base64') : body;
  if (statusCode !== 204 && statusCode !== 304 && request.method !== 'HEAD') {
    headers['content-length'] = String(Buffer.byteLength(content));
  }
  response.writeHead(statusCode, headers).end(content);
}

const sentResponse = (
  { method = '', url = '' }: IncomingMessage,
  { statusCode = 200, body = '' }: APIGatewayProxyStructuredResultV2,
  headers: Readonly<Record<string, string>>,
  durationMs: number,
): TimedResponse => ({
  method,
  ...splitTarget(url),
  durationMs,
  status: statusCode,
  headers: new Map(Object.entries(headers)),
  text: method === 'HEAD' ? '' : body,
});

/** Responds to invalid HTTP and to an oversized head. Node.js provides no request object for these. */
function rejectClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // A client that does not send may not read either, so the end of its side is not awaited.
    socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n', () => socket.destroy());
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('headers-too-large', `The request line and headers have more than ${maxHeadBytes} bytes.`)
      : new Problem('malformed-request', 'The request is not valid HTTP.');
  const {
    statusCode,
    headers,
    body = '',
  } = problemResponse(problem, { path: '/', requestId: newRequestId() });
  const lines = Object.entries({
    ...headers,
    'server-timing': noDatabaseCalls,
    'content-length': Buffer.byteLength(body),
    // The headers of the request are not known, so neither is its origin. The response says nothing that is not public.
    'access-control-allow-origin': '*',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${statusCode} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Returns a signal that aborts when the client closes the connection before it has the response. */
function untilClosed(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Creates the server. It does not listen yet. */
export function createGateway(options: GatewayOptions): Server {
  const { routes, fallback, timeoutMs, crossOrigin, allowed = {}, authorizer, onEvent, onResponse } = options;
  const router = findMyWay({ maxParamLength: maxHeadBytes });
  for (const route of routes) {
    const template = route.path.replaceAll('{', ':').replaceAll('}', '');
    router.on(route.method as findMyWay.HTTPMethod, template, () => {}, route);
  }

  const findRoute = (method: string, path: string) => {
    const found = router.find(method as findMyWay.HTTPMethod, path);
    const values = (found?.params ?? {}) as Record<string, string>;
    // API Gateway does not match empty path segments.
    const route = Object.values(values).includes('') ? undefined : (found?.store as GatewayRoute | undefined);
    return { route, parameters: route && values };
  };

  const handle = async (
    request: IncomingMessage,
    requestId: string,
    cancelled: AbortSignal,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const { path } = splitTarget(request.url ?? '/');
    const body = await readBody(request);
    if (!body) {
      const problem = new Problem('body-too-large', `The body has more than ${maxBodyBytes} bytes.`);
      return problemResponse(problem, { path: decodedPath(path), requestId });
    }
    if (request.method === 'OPTIONS') return preflight(request, crossOrigin);
    const { route, parameters } = findRoute(request.method ?? '', path);
    const routeKey = route ? `${route.method} ${route.path}` : '$default';
    let jwt: JwtContext | undefined;
    if (authorizer && route?.scopes) {
      jwt = await authorizer.authorize(request.headers.authorization, route.scopes);
    }
    const event = toEvent(request, body, { requestId, routeKey, pathParameters: parameters, jwt });
    onEvent?.(event);
    return (route?.function ?? fallback)(event, functionContext(requestId, timeoutMs, cancelled));
  };

  const respond = async (request: IncomingMessage, requestId: string, cancelled: AbortSignal) => {
    const refusal = refusalOf(request, allowed);
    if (!refusal) return handle(request, requestId, cancelled);
    return refusalResponse(refusal, { path: decodedPath(splitTarget(request.url ?? '/').path), requestId });
  };

  const server = createServer(serverOptions(options.maxReceiveMs), (request, response) => {
    const requestId = newRequestId();
    const started = performance.now();
    respond(request, requestId, untilClosed(response))
      .catch((error: unknown): APIGatewayProxyStructuredResultV2 => {
        if (error instanceof AuthorizationError) return error.response;
        // The client has ended the request, or exceeded its time.
        if (!request.complete) throw error;
        console.error(error);
        // The response of API Gateway when a function fails.
        const body = JSON.stringify({ message: 'Internal Server Error' });
        return { statusCode: 500, headers: { 'content-type': 'application/json' }, body };
      })
      .then((result) => {
        const origins = isForeign(request, allowed) ? [] : crossOrigin.origins;
        const headers = outgoingHeaders(request, requestId, result, { ...crossOrigin, origins });
        // A client that sends one request after the other on a connection would keep a stopping service alive.
        if (!server.listening) response.setHeader('connection', 'close');
        send(request, response, result, headers);
        onResponse?.(sentResponse(request, result, headers, performance.now() - started));
      })
      .catch((error: unknown) => {
        if (request.complete) console.error(error);
        response.destroy();
      });
  });
  // Without this handler, Node.js itself rejects every expectation except "100-continue".
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', rejectClientError);
  return server;
}
