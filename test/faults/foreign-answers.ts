import type { Injector, Reply } from './engine-proxy.ts';

/** What may arrive in the place of DynamoDB's answer: a part of it, or something that another gave. */
export const foreignAnswers: readonly (readonly [string, (reply: Reply) => Reply | undefined])[] = [
  ['a connection that breaks before it', () => undefined],
  ['a connection that breaks in the middle of it', (reply) => ({ ...reply, breaks: true })],
  ['half of it', ({ status, body }) => ({ status, body: body.slice(0, body.length / 2) })],
  ['nothing', () => ({ status: 200, body: '' })],
  ['an empty object', () => ({ status: 200, body: '{}' })],
  ['the answer of another service', () => ({ status: 200, body: '{"message":"welcome","Item":null}' })],
  ['a page', () => ({ status: 200, body: '<html>welcome</html>' })],
  ['a page of a proxy that fails', () => ({ status: 502, body: '<html>Bad Gateway</html>' })],
  ['a failure inside', () => ({ status: 500, body: '{"__type":"x#InternalServerError"}' })],
];

/** What makes a call the same as one before: its token, or all that it asks for. */
const identity = (body: Record<string, unknown>): string =>
  String(body['ClientRequestToken'] ?? JSON.stringify(body));

/**
 * Answers the first try of every call with something else, and passes on the others.
 * @param isDone whether what was asked for is done nevertheless.
 */
export function foreignAtFirst(
  answer: (reply: Reply) => Reply | undefined,
  isDone: boolean,
): Injector & { tries: Map<string, number> } {
  const tries = new Map<string, number>();
  const injector: Injector = async ({ operation, body }, pass) => {
    const call = `${operation} ${identity(body)}`;
    const number = (tries.get(call) ?? 0) + 1;
    tries.set(call, number);
    if (number > 1) return pass();
    return answer(isDone ? await pass() : { status: 200, body: '{"nothing":"was done"}' });
  };
  return Object.assign(injector, { tries });
}
