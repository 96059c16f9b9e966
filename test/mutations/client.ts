import type { Mutation } from './mutation.ts';

const client = 'test/client/client.test.ts';
const query = 'test/client/query.test.ts';
const connection = { file: 'client/connection.ts', detectedBy: [client] };
const collection = { file: 'client/collection.ts', detectedBy: [client] };

/** Mutations of the client: its retries, what it sends, and what it makes of responses. */
export const clientMutations: readonly Mutation[] = [
  {
    ...connection,
    name: 'client-tries-once-more',
    description: 'the client makes more attempts than its caller allows',
    search: 'if (attempt >= tries) throw new ConnectionError(url, error);',
    replacement: 'if (attempt > tries) throw new ConnectionError(url, error);',
    testNamePattern: 'fails after four attempts',
  },
  {
    ...connection,
    name: 'client-gives-up-when-unavailable',
    description: 'a service that is unavailable for a moment fails a request at once',
    search: '[429, 502, 503, 504]',
    replacement: '[429, 502, 504]',
    testNamePattern: 'create makes one entity',
  },
  {
    ...connection,
    name: 'client-key-of-each-attempt',
    description: 'each attempt has an idempotency key of its own, so a lost response creates an entity twice',
    search: 'this.#try(address, message, key)',
    replacement: 'this.#try(address, message, key && uniqueKey())',
    testNamePattern: 'create makes one entity',
  },
  {
    ...connection,
    name: 'client-key-of-the-caller-ignored',
    description: 'the client makes a key although its caller gives one',
    search: '(message.idempotencyKey ?? uniqueKey())',
    replacement: 'uniqueKey()',
    testNamePattern: 'same idempotency key',
  },
  {
    ...connection,
    name: 'client-repeated-deletion-fails',
    description: 'a deletion whose response is lost fails, because the entity is gone',
    search: "method === 'DELETE' && attempt > 1",
    replacement: "method === 'DELETE' && attempt > 2",
    testNamePattern: 'delete succeeds',
  },
  {
    ...connection,
    name: 'client-timeout-like-an-abort',
    description: 'a caller cannot tell an attempt that takes too long from one that it has aborted',
    search: "controller.abort(namedError('TimeoutError',",
    replacement: "controller.abort(namedError('AbortError',",
    testNamePattern: 'ends after the timeout',
  },
  {
    ...connection,
    name: 'client-follows-redirects',
    description: 'the client takes a response of another address for that of the service',
    search: "response.redirected || response.type === 'opaqueredirect'",
    replacement: "response.type === 'opaqueredirect'",
    detectedBy: ['test/client/paths.test.ts'],
  },
  {
    ...collection,
    name: 'client-one-key-for-all-transactions',
    description: 'the second transaction of a large batch has the key of the first',
    search: 'const key = idempotencyKey === undefined ? undefined :',
    replacement: 'const key = idempotencyKey === undefined || idempotencyKey ? idempotencyKey :',
    testNamePattern: 'applies nothing twice under one key',
  },
  {
    ...collection,
    name: 'client-change-gives-up',
    description: 'a change that loses a race once is not tried again',
    search: 'if (attempt >= maxChangeAttempts || ',
    replacement: 'if (attempt >= maxChangeAttempts / 10 || ',
    testNamePattern: 'ten concurrent calls',
  },
  {
    ...collection,
    name: 'client-writes-without-the-version',
    description: 'a write of an entity overwrites what somebody else has changed since it was read',
    search: 'ifMatch: etagOf(target) }',
    replacement: "ifMatch: etagOf(target) && '*' }",
    testNamePattern: 'require the version',
  },
  {
    name: 'client-commas-separate',
    description: 'a comma within one of several values separates two values',
    file: 'client/query.ts',
    search: 'replaceAll(/[\\\\,]/g',
    replacement: 'replaceAll(/[\\\\]/g',
    detectedBy: [query],
  },
  {
    name: 'client-one-of-none-matches-all',
    description: 'a filter for one of no values returns every entity',
    file: 'client/query.ts',
    search: "matchesNothing ||= 'in' in value && isEmpty(value.in);",
    replacement: "matchesNothing ||= 'in' in value && !isEmpty(value.in) && false;",
    detectedBy: [query],
  },
  {
    name: 'client-problem-without-address',
    description: 'the explanation of a problem is an address on the page of the caller',
    file: 'client/problems.ts',
    search: 'type: absolute(url, type),',
    replacement: 'type,',
    detectedBy: [client],
  },
  {
    name: 'client-id-leaves-its-path',
    description: 'an id of two dots reads another path',
    file: 'client/encoding.ts',
    search: "!['', '.', '..'].includes(id)",
    replacement: "!['', '.'].includes(id)",
    detectedBy: ['test/client/paths.test.ts'],
  },
];
