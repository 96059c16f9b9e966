/**
 * Calls handlers in tests: the real handler with a real event of API Gateway, on a table in the process. `docs/testing.md`
 * explains it.
 */
import { APIGatewayProxyEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import { type Contract, scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { type InvokeResult, invokeWithEvent } from '#lib/local/invoke.ts';
import { operationEvent as eventOf, type OperationRequest } from '#lib/local/operation-event.ts';
import { startTestStore } from './local-store.ts';
import { ResponseChecker } from './response-checker.ts';

export { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';

interface TestRequest extends OperationRequest {
  /** Tenant of the request. Each tenant has its own data. Default: `test`. */
  readonly tenant?: string | undefined;
}

/** Claims of the token of every request, unless the request has others. */
const usualClaims = {
  sub: 'tester',
  scope: [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))].join(' '),
};

type Store = ReturnType<typeof startTestStore>;

let store: Store | undefined;
let checker: ResponseChecker | undefined;

/**
 * Gives the tests of a file an empty table of their own, in the process of the test. Call it once, at the top of the file.
 * @returns the store, for tests that call it directly.
 */
export function useEmptyTable(): { store(): Store } {
  beforeAll(() => {
    store = startTestStore();
    setFunctionEnvironment(store, { tenantClaim: 'tenant' });
  });
  afterAll(() => {
    store = undefined;
  });
  return { store: requireStore };
}

function requireStore(): Store {
  if (!store)
    throw new Error(
      'There is no table. Write "useEmptyTable();" at the top of the test file, outside tests.',
    );
  return store;
}

/** Returns the event of an operation, with the token that `invoke` sends. */
export const operationEvent = (
  contract: Contract,
  { tenant = 'test', claims, ...request }: TestRequest = {},
): ReturnType<typeof eventOf> =>
  eventOf(contract, { ...request, claims: { ...usualClaims, tenant, ...claims } });

/**
 * Calls the handler of an operation. The event is checked against an independent schema of API Gateway events, and the
 * response against the OpenAPI document.
 * @throws Error when the event or the response is not as declared.
 */
export async function invoke<C extends Contract>(
  contract: C,
  request: TestRequest = {},
): Promise<InvokeResult<C>> {
  requireStore();
  const event = operationEvent(contract, request);
  APIGatewayProxyEventV2Schema.parse(event);
  const result = await invokeWithEvent(contract, event);
  const { statusCode, headers, body } = result;
  checker ??= ResponseChecker.ofContracts();
  const differences = checker.differences({
    method: contract.method,
    path: encodeURI(event.rawPath),
    status: statusCode,
    headers: new Map(Object.entries(headers)),
    text: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body),
  });
  if (differences.length > 0) {
    throw new Error(`The response differs from the OpenAPI document:\n${differences.join('\n')}`);
  }
  return result;
}

/** The body of a response with a status of 400 or higher. */
interface ProblemBody {
  /** Identifies the kind of problem: `/docs/problems#invalid-request`. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
  /** The issues of an invalid request: a JSON pointer into the body, or the name of a parameter or header. */
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly detail: string;
  }[];
}

export function problemOf({
  statusCode,
  body,
}: Pick<InvokeResult<Contract>, 'statusCode' | 'body'>): ProblemBody {
  if (statusCode >= 400) return body as ProblemBody;
  throw new Error(`The response is no problem. It has the status ${statusCode}: ${JSON.stringify(body)}`);
}
