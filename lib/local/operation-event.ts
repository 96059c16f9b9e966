import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Contract, needsToken, scopeOf } from '../../functions/contract/contract.ts';
import { jwtContext } from './authorizer.ts';
import { newRequestId, toEvent } from './lambda-event.ts';
import { loopback } from './port.ts';

type QueryValue = string | number | boolean;

export interface OperationRequest {
  readonly id?: string | undefined;
  /** Query parameters. An array repeats its parameter. A string is sent as it is, without "?". */
  readonly query?: string | Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Value of the body, which is sent as JSON. */
  readonly body?: unknown;
  /** Text of the body, which is sent as it is, for example invalid JSON. */
  readonly text?: string | undefined;
  /** Claims of the token. Default: the request has no token. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

function parameterOf(path: string): string | undefined {
  const start = path.indexOf('{');
  return start < 0 ? undefined : path.slice(start + 1, path.indexOf('}', start));
}

/** @throws Error when the id is missing or not allowed. */
function pathOf({ operation, path }: Contract, id: string | undefined): string {
  const parameter = parameterOf(path);
  if (parameter === undefined && id === undefined) return path;
  if (parameter === undefined) throw new Error(`${operation} takes no id: its path is ${path}.`);
  if (id === undefined) throw new Error(`${operation} needs an id: its path is ${path}.`);
  return path.replace(`{${parameter}}`, encodeURIComponent(id));
}

/** Returns a value of the query as text. @throws Error that shows how to write an operator. */
function queryValue(name: string, value: QueryValue): string {
  // A caller without type checks can pass the filter of a client: { priority: { gte: 'high' } }.
  if (typeof value !== 'object') return String(value);
  const [operator = 'gte', operand = 'high'] = Object.entries(value ?? {})[0] ?? [];
  throw new Error(
    `The query value of "${name}" is not a text, a number, a boolean or an array of them. Write an operator into the name: ` +
      `{ '${name}[${operator}]': ${JSON.stringify(operand)} }.`,
  );
}

/** @throws Error for a value that is an object. */
function queryText(query: OperationRequest['query'] = ''): string {
  if (typeof query === 'string') return query;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, queryValue(name, one)]),
  );
  return new URLSearchParams(pairs).toString();
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token with these claims. The authorizer verifies signatures, not the function, so this one has none. */
const unsignedToken = (claims: Readonly<Record<string, unknown>>): string =>
  `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}.unsigned`;

/**
 * Returns the event of an operation (HTTP API, payload format 2.0).
 * @throws Error when the operation needs an id and there is none, takes none and there is one, or when a query value is an object.
 */
export function operationEvent(contract: Contract, request: OperationRequest = {}): APIGatewayProxyEventV2 {
  const { id, query, body, text, claims } = request;
  const path = pathOf(contract, id);
  const rawQuery = queryText(query);
  const content = text ?? (body === undefined ? '' : JSON.stringify(body));
  const headers = {
    ...(content && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
    ...(claims && { authorization: `Bearer ${unsignedToken(claims)}` }),
    ...Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
  const scope = scopeOf(contract);
  const parameter = parameterOf(contract.path);
  return toEvent(
    {
      method: contract.method,
      url: rawQuery ? `${path}?${rawQuery}` : path,
      httpVersion: '1.1',
      rawHeaders: Object.entries(headers).flatMap(([name, value]) => [name, String(value)]),
      socket: { remoteAddress: loopback },
    },
    Buffer.from(content),
    {
      requestId: newRequestId(),
      routeKey: `${contract.method} ${contract.path}`,
      pathParameters: parameter === undefined || id === undefined ? undefined : { [parameter]: id },
      // The authorizer passes nothing to operations that need no token.
      jwt:
        claims && needsToken(contract) ? jwtContext(claims, scope === undefined ? [] : [scope]) : undefined,
    },
  );
}
