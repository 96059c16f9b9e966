/** An HTTP API of API Gateway: converts requests to Lambda events, and results to responses. It knows no sockets: `gateway.ts` has the server. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import findMyWay from 'find-my-way';
import { Problem, problemResponse } from '../../functions/http/problems.ts';
import { monotonic } from '../../functions/runtime/time-and-chance.ts';
import { allowedOrigin, type CrossOrigin } from '../hosting/cors.ts';
import { AuthorizationError, type Authorizer, gatewayError, type JwtContext } from './authorizer.ts';
import type { Fault } from './faults.ts';
import { functionContext } from './lambda-context.ts';
import { decodedPath, type HttpRequest, newRequestId, splitTarget, toEvent } from './lambda-event.ts';
import { type AllowedCallers, isForeign, refusalOf, refusalResponse } from './own-requests.ts';

/** Limits of API Gateway. The head is the request line and the headers. */
export const maxHeadBytes = 10_240;
export const maxBodyBytes = 10 * 1024 * 1024;

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

export interface HttpApiOptions {
  readonly routes: readonly GatewayRoute[];
  readonly fallback: LambdaFunction;
  readonly timeoutMs: number;
  readonly crossOrigin: CrossOrigin;
  /** Which hosts and origins requests may have, in addition to those of this machine. */
  readonly allowed?: AllowedCallers | undefined;
  /** Verifies tokens. Without it, no route needs a token. */
  readonly authorizer?: Authorizer | undefined;
  readonly onEvent?: ((event: APIGatewayProxyEventV2) => void) | undefined;
  readonly onResponse?: ((response: TimedResponse) => void) | undefined;
  readonly faults?: (() => Fault) | undefined;
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
  /** Whether the client has closed its connection before. */
  readonly isAborted: boolean;
  /** Milliseconds from the head of the request to the response. */
  readonly durationMs: number;
}

/** A request whose body is not read yet. `IncomingMessage` is one. */
interface ApiRequest extends HttpRequest {
  readonly headers: IncomingHttpHeaders;
}

/** The client ended the request, or exceeded its time, before its body was complete: there is nobody to respond to. */
export class IncompleteRequest extends Error {}

export const noDatabaseCalls = 'dynamodb;dur=0;desc="calls=0, read=0, write=0"';

/** Returns the response to a CORS preflight request, which the gateway handles on every path. */
function preflight(request: ApiRequest, crossOrigin: CrossOrigin): APIGatewayProxyStructuredResultV2 {
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

/** Responds as API Gateway does when it limits requests, or when a function fails or is too late. */
async function withFault(
  { delayMs, status }: Fault,
  call: () => Promise<APIGatewayProxyStructuredResultV2>,
): Promise<APIGatewayProxyStructuredResultV2> {
  await delay(delayMs);
  if (status === undefined) return call();
  // The function was called: only its response is lost.
  if (status === 504) await call();
  // As the service does when it is not available.
  return gatewayError(status, status === 429 || status === 503 ? { 'retry-after': '1' } : {});
}

function outgoingHeaders(
  { headers: { origin } }: ApiRequest,
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

/** Stands for several segments of a path. The router has a sign of its own for it. */
const greedyParameter = '{path+}';

export class HttpApi {
  readonly #options: HttpApiOptions;
  readonly #router = findMyWay({ maxParamLength: maxHeadBytes });

  constructor(options: HttpApiOptions) {
    this.#options = options;
    for (const route of options.routes) {
      const template = route.path.replace(greedyParameter, '*').replaceAll('{', ':').replaceAll('}', '');
      this.#router.on(route.method as findMyWay.HTTPMethod, template, () => {}, route);
    }
  }

  /**
   * Responds to a request. The names of the headers are in lower case.
   * @param readBody returns undefined when the body has more than `maxBodyBytes`.
   * @param cancelled aborts when nobody waits for the response any more.
   * @throws IncompleteRequest when `readBody` does.
   */
  async respond(request: ApiRequest, readBody: () => Promise<Buffer | undefined>, cancelled?: AbortSignal) {
    const { allowed = {}, crossOrigin, onResponse } = this.#options;
    const requestId = newRequestId();
    const started = monotonic();
    const result = await this.#resultOf(request, readBody, { requestId, cancelled });
    const origins = isForeign(request, allowed) ? [] : crossOrigin.origins;
    const headers = outgoingHeaders(request, requestId, result, { ...crossOrigin, origins });
    const { statusCode: status = 200, body = '', isBase64Encoded } = result;
    const content = isBase64Encoded ? Buffer.from(body, 'base64') : body;
    if (status !== 204 && status !== 304 && request.method !== 'HEAD') {
      headers['content-length'] = String(Buffer.byteLength(content));
    }
    onResponse?.({
      method: request.method ?? '',
      ...splitTarget(request.url ?? ''),
      status,
      headers: new Map(Object.entries(headers)),
      text: request.method === 'HEAD' ? '' : body,
      isAborted: cancelled?.aborted ?? false,
      durationMs: monotonic() - started,
    });
    return { status, headers, content };
  }

  async #resultOf(
    request: ApiRequest,
    readBody: () => Promise<Buffer | undefined>,
    invocation: Invocation,
  ): Promise<APIGatewayProxyStructuredResultV2> {
    const { requestId } = invocation;
    const refusal = refusalOf(request, this.#options.allowed ?? {});
    if (refusal) {
      const path = decodedPath(splitTarget(request.url ?? '/').path);
      return refusalResponse(refusal, { path, requestId });
    }
    try {
      return await this.#invoke(request, await readBody(), invocation);
    } catch (error) {
      if (error instanceof AuthorizationError) return error.response;
      if (error instanceof IncompleteRequest) throw error;
      console.error(error);
      // A function has failed.
      return gatewayError(500);
    }
  }

  async #invoke(
    request: ApiRequest,
    body: Buffer | undefined,
    { requestId, cancelled }: Invocation,
  ): Promise<APIGatewayProxyStructuredResultV2> {
    const { fallback, timeoutMs, crossOrigin, authorizer, onEvent, faults } = this.#options;
    const { path } = splitTarget(request.url ?? '/');
    if (!body) {
      const problem = new Problem('body-too-large', `The body has more than ${maxBodyBytes} bytes.`);
      return problemResponse(problem, { path: decodedPath(path), requestId });
    }
    if (request.method === 'OPTIONS') return preflight(request, crossOrigin);
    const { route, parameters } = this.#findRoute(request.method ?? '', path);
    const routeKey = route ? `${route.method} ${route.path}` : '$default';
    let jwt: JwtContext | undefined;
    if (authorizer && route?.scopes) {
      jwt = await authorizer.authorize(request.headers.authorization, route.scopes);
    }
    const event = toEvent(request, body, { requestId, routeKey, pathParameters: parameters, jwt });
    onEvent?.(event);
    const call = () => (route?.function ?? fallback)(event, functionContext(requestId, timeoutMs, cancelled));
    const fault = /^\/v1\/(?!health|openapi)/.test(route?.path ?? '') ? faults?.() : undefined;
    return fault ? withFault(fault, call) : call();
  }

  #findRoute(method: string, path: string) {
    const found = this.#router.find(method as findMyWay.HTTPMethod, path);
    const { '*': rest, ...values } = (found?.params ?? {}) as Record<string, string>;
    // API Gateway does not match empty path segments.
    const isEmpty = rest === '' || Object.values(values).includes('');
    const route = isEmpty ? undefined : (found?.store as GatewayRoute | undefined);
    return { route, parameters: route && { ...values, ...(rest && { path: rest }) } };
  }
}

interface Invocation {
  readonly requestId: string;
  readonly cancelled: AbortSignal | undefined;
}
