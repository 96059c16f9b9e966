import type { EngineResponse, Injector } from './engine-proxy.ts';

/** Responses that can arrive instead of the one of DynamoDB: incomplete ones, and those of other servers. */
export const foreignResponses: readonly (readonly [
  string,
  (response: EngineResponse) => EngineResponse | undefined,
])[] = [
  ['missing because the connection breaks before it', () => undefined],
  ['incomplete because the connection breaks', (response) => ({ ...response, breaks: true })],
  ['cut in half', ({ status, body }) => ({ status, body: body.slice(0, body.length / 2) })],
  ['empty', () => ({ status: 200, body: '' })],
  ['an empty object', () => ({ status: 200, body: '{}' })],
  ['a response of another service', () => ({ status: 200, body: '{"message":"welcome","Item":null}' })],
  ['an HTML page', () => ({ status: 200, body: '<html>welcome</html>' })],
  ['an error page of a proxy', () => ({ status: 502, body: '<html>Bad Gateway</html>' })],
  ['an internal server error', () => ({ status: 500, body: '{"__type":"x#InternalServerError"}' })],
];

/** Returns the identity of a call, which is equal for its retries: the token, or the whole body. */
const identity = (body: Record<string, unknown>): string =>
  String(body['ClientRequestToken'] ?? JSON.stringify(body));

/**
 * Replaces the response to the first attempt of every call, and forwards the later attempts.
 * @param isApplied whether the engine executes the first attempt.
 */
export function foreignFirstResponse(
  replace: (response: EngineResponse) => EngineResponse | undefined,
  isApplied: boolean,
): Injector & { attempts: Map<string, number> } {
  const attempts = new Map<string, number>();
  const injector: Injector = async ({ operation, body }, pass) => {
    const call = `${operation} ${identity(body)}`;
    const number = (attempts.get(call) ?? 0) + 1;
    attempts.set(call, number);
    if (number > 1) return pass();
    return replace(isApplied ? await pass() : { status: 200, body: '{"applied":false}' });
  };
  return Object.assign(injector, { attempts });
}
