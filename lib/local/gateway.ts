/** API Gateway on this machine: HTTP in, Lambda events to the handlers, their results back as HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import findMyWay from 'find-my-way';
import { Problem, problemResponse } from '../../functions/shared/http/problems.ts';
import type { CrossOrigin } from '../cross-origin.ts';
import { type Authorizer, Refused } from './authorizer.ts';
import { functionContext } from './context.ts';
import { decodedPath, newRequestId, splitTarget, toEvent } from './event.ts';

/** The gateway's own limits, in bytes. */
const largestHead = 10_240;
const largestBody = 10 * 1024 * 1024;

export type LambdaFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

export interface GatewayRoute {
  readonly method: string;
  /** The template, with parameters in braces. */
  readonly path: string;
  readonly function: LambdaFunction;
  /** A token must have one of these; without them none is asked for. */
  readonly scopes?: readonly string[] | undefined;
}

export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[];
  /** Answers what no route has. */
  readonly fallback: LambdaFunction;
  /** Milliseconds that a function may take. */
  readonly timeout: number;
  readonly crossOrigin: CrossOrigin;
  /** Sees the tokens; without it there is none to see. */
  readonly authorizer?: Authorizer | undefined;
  /** Sees every event before the function does. */
  readonly onEvent?: ((event: APIGatewayProxyEventV2) => void) | undefined;
  /** Sees every answer as it goes out. */
  readonly onAnswer?: ((answer: SentAnswer) => void) | undefined;
}

/** An answer, and what it is an answer to. */
export interface SentAnswer {
  readonly method: string;
  /** Encoded, without the query. */
  readonly path: string;
  readonly status: number;
  /** By lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** The methods that API Gateway takes. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const noDatabaseCalls = 'dynamodb;dur=0;desc="calls=0, read=0, write=0"';

/** The whole body, or nothing when it is larger than the gateway takes. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // What comes after the limit is read and dropped: a client that still sends would not see the answer.
      if (bytes <= largestBody) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => resolve(bytes > largestBody ? undefined : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** With CORS configured the gateway answers preflight itself, on any path. */
function preflight(request: IncomingMessage, crossOrigin: CrossOrigin): APIGatewayProxyStructuredResultV2 {
  const isPreflight = request.headers.origin && request.headers['access-control-request-method'];
  return {
    statusCode: 204,
    headers: isPreflight
      ? {
          'access-control-allow-methods': crossOrigin.methods.join(','),
          'access-control-allow-headers': crossOrigin.requestHeaders.join(','),
          'access-control-max-age': String(crossOrigin.maximumAge),
        }
      : {},
  };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  result: APIGatewayProxyStructuredResultV2,
  crossOrigin: CrossOrigin,
): void {
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  response.statusCode = result.statusCode ?? 200;
  response.setHeader('server-timing', noDatabaseCalls);
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  response.setHeader('apigw-requestid', requestId);
  const { origin } = request.headers;
  const allowed = crossOrigin.origins.find((one) => one === '*' || one === origin);
  if (origin && allowed) {
    response.setHeader('access-control-allow-origin', allowed);
    response.setHeader('access-control-expose-headers', crossOrigin.exposedHeaders.join(','));
  }
  if (response.statusCode !== 204 && response.statusCode !== 304 && request.method !== 'HEAD') {
    response.setHeader('content-length', body.length);
  }
  response.end(body);
}

function sentAnswer(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  { body = '' }: APIGatewayProxyStructuredResultV2,
): SentAnswer {
  const headers = Object.entries(response.getHeaders()).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return {
    method,
    path: splitTarget(url).path,
    status: response.statusCode,
    headers: new Map(headers),
    text: method === 'HEAD' ? '' : body,
  };
}

/** The answer to what is not HTTP, or more of it than the gateway takes: there is no request to answer. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('headers-too-large', `The request line and headers have more than ${largestHead} bytes.`)
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
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${statusCode} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Makes the server; it does not listen yet. */
export function createGateway(options: GatewayOptions): Server {
  const { routes, fallback, timeout, crossOrigin, authorizer, onEvent, onAnswer } = options;
  const router = findMyWay({ maxParamLength: largestHead });
  for (const route of routes) {
    const template = route.path.replaceAll('{', ':').replaceAll('}', '');
    router.on(route.method as findMyWay.HTTPMethod, template, () => {}, route);
  }

  const findRoute = (method: string, path: string) => {
    const found = router.find(method as findMyWay.HTTPMethod, path);
    const values = (found?.params ?? {}) as Record<string, string>;
    // A parameter is a segment, which is not empty.
    const route = Object.values(values).includes('') ? undefined : (found?.store as GatewayRoute | undefined);
    return { route, parameters: route && values };
  };

  const answer = async (
    request: IncomingMessage,
    requestId: string,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const { path } = splitTarget(request.url ?? '/');
    const body = await readBody(request);
    if (!body) {
      const problem = new Problem('body-too-large', `The body has more than ${largestBody} bytes.`);
      return problemResponse(problem, { path: decodedPath(path), requestId });
    }
    if (request.method === 'OPTIONS') return preflight(request, crossOrigin);
    if (!methods.has(request.method ?? '')) {
      const problem = new Problem('method-not-allowed', 'The gateway knows no such method.', {
        headers: { allow: [...methods].join(', ') },
      });
      return problemResponse(problem, { path: decodedPath(path), requestId });
    }
    const { route, parameters } = findRoute(request.method ?? '', path);
    const routeKey = route ? `${route.method} ${route.path}` : '$default';
    const jwt =
      authorizer &&
      route?.scopes &&
      (await authorizer.authorize(request.headers.authorization, route.scopes));
    const event = toEvent(request, body, requestId, routeKey, parameters, jwt);
    onEvent?.(event);
    return (route?.function ?? fallback)(event, functionContext(requestId, timeout));
  };

  const server = createServer({ maxHeaderSize: largestHead }, (request, response) => {
    const requestId = newRequestId();
    answer(request, requestId)
      .catch((error: unknown): APIGatewayProxyStructuredResultV2 => {
        if (error instanceof Refused) return error.answer;
        console.error(error);
        // What API Gateway says when a function fails.
        const body = JSON.stringify({ message: 'Internal Server Error' });
        return { statusCode: 500, headers: { 'content-type': 'application/json' }, body };
      })
      .then((result) => {
        send(request, response, requestId, result, crossOrigin);
        onAnswer?.(sentAnswer(request, response, result));
      })
      .catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
  });
  // Node.js would refuse any expectation but "100-continue" with an answer of its own.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', refuse);
  return server;
}
