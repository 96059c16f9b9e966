import { toMutations } from './mutation.ts';

/** Mutations of the client: its retries, what it sends, and what it makes of responses. */
export const clientMutations = toMutations({
  'client/mcp/call-tool.ts': {
    'agents-get-long-texts': [
      'a list fills the memory of a model with descriptions that it has not asked for',
      '? [...(shortFields[collection] ?? []), ...(isOfDeleted ? deletionFields : [])]',
      '? undefined',
    ],
    'agents-lose-versions-of-batches': [
      'an operation of a batch overwrites what somebody else has changed, although the model passes a version',
      ' ...(version !== undefined && { ifMatch: version }) };',
      ' };',
    ],
    'agents-send-null-for-filters': [
      'a model that sends null for filters gets an error of the program',
      'given ?? {}',
      'given as object',
    ],
    'agents-get-no-hint': ['a model that guesses an id is not told so', '&& !idsPattern', '&& idsPattern'],
    'agents-get-no-date': [
      'a model that has written an entity does not know what day it is',
      ', ...dateOf(headers) };',
      ' };',
    ],
  },
  'client/connection.ts': {
    'client-tries-once-more': [
      'the client makes more attempts than its caller allows',
      'if (attempt >= tries) throw new ConnectionError(url, error);',
      'if (attempt > tries) throw new ConnectionError(url, error);',
    ],
    'client-repeats-what-it-cannot-send': [
      'a token or a version that no header can have is reported as a service that does not respond',
      'if (error instanceof InvalidHeaderError) throw error;',
      '',
    ],
    'client-gives-up-when-unavailable': [
      'a service that is unavailable for a moment fails a request at once',
      '[429, 502, 503, 504]',
      '[429, 502, 504]',
    ],
    'client-key-of-each-attempt': [
      'each attempt has an idempotency key of its own, so a lost response creates an entity twice',
      'this.#try(address, { ...message, content }, key)',
      'this.#try(address, { ...message, content }, key && uniqueKey())',
    ],
    'client-key-of-the-caller-ignored': [
      'the client makes a key although its caller gives one',
      'needsKey ? idempotencyKey || uniqueKey()',
      'needsKey ? uniqueKey()',
    ],
    'client-changes-without-a-key': [
      'a change whose response is lost is applied twice, or fails because of itself',
      '(isChange(message) && !hasNoKey)',
      '(isChange(message) && hasNoKey)',
    ],
    'client-repeated-deletion-fails': [
      'a deletion whose response is lost fails, because the entity is gone',
      '{ isRepeated: attempt > 1, key }',
      '{ isRepeated: attempt > 2, key }',
    ],
    'client-timeout-like-an-abort': [
      'a caller cannot tell an attempt that takes too long from one that it has aborted',
      "controller.abort(namedError('TimeoutError',",
      "controller.abort(namedError('AbortError',",
    ],
    'client-follows-redirects': [
      'the client takes a response of another address for that of the service',
      "response.redirected || response.type === 'opaqueredirect'",
      "response.type === 'opaqueredirect'",
    ],
  },
  'client/collection.ts': {
    'client-one-key-for-all-transactions': [
      'the second transaction of a large batch has the key of the first',
      '`${idempotencyKey}-${start}`',
      'idempotencyKey',
    ],
    'client-own-write-taken-for-a-conflict': [
      'a change of a caller who can have no keys is applied twice when its response is lost',
      '!error.mayBeApplied) throw error;',
      'error.mayBeApplied) throw error;',
    ],
    'client-change-gives-up': [
      'a change that loses a race once is not tried again',
      'if (attempt >= maxChangeAttempts || ',
      'if (attempt >= maxChangeAttempts / 10 || ',
    ],
    'client-writes-without-the-version': [
      'a write of an entity overwrites what somebody else has changed since it was read',
      'ifMatch: etagOf(target) }',
      "ifMatch: etagOf(target) && '*' }",
    ],
  },
  'client/sync.ts': {
    'sync-of-a-request-that-cannot-be-sent': [
      'a request that cannot be sent is tried for ever',
      'error instanceof TypeError || isFinal',
      'isFinal',
    ],
    'sync-without-pauses': [
      'a list that cannot be read is requested without a pause',
      'pauseOf(failures, 1_000)',
      'pauseOf(failures, 0)',
    ],
    'sync-ignores-retry-after': [
      'a list is read again before the service wants it',
      'error instanceof ProblemError ? error.retryAfterMs : 0',
      'error instanceof ProblemError ? 0 : 0',
    ],
    'sync-with-an-expired-cursor': [
      'a list whose cursor is too old is read with it for ever',
      'if (statusOf(error) === 410) [',
      'if (statusOf(error) === 411) [',
    ],
    'sync-after-its-signal': [
      'a list that its reader has ended is reported as unreadable',
      'if (signal?.aborted) return undefined;',
      'if (signal?.reason === 0) return undefined;',
    ],
    'sync-of-a-refused-request': [
      'a request that the service refuses is sent for ever',
      'isFinal(statusOf(error))) return undefined;',
      '(isFinal(statusOf(error)) && failures > 1)) return undefined;',
    ],
    'push-gives-up-offline': [
      'what an app has changed is taken back because it was offline for two attempts',
      'if (pauseMs === undefined) throw error;\n      onRetry(error);',
      'if (pauseMs === undefined || failures > 1) throw error;\n      onRetry(error);',
    ],
  },
  'client/query.ts': {
    'client-commas-separate': [
      'a comma within one of several values separates two values',
      'replaceAll(/[\\\\,]/g',
      'replaceAll(/[\\\\]/g',
    ],
    'client-one-of-none-matches-all': [
      'a filter for one of no values returns every entity',
      "matchesNothing ||= 'in' in value && isEmpty(value.in);",
      "matchesNothing ||= 'in' in value && !isEmpty(value.in) && false;",
    ],
  },
  'client/problems.ts': {
    'client-problem-without-address': [
      'the explanation of a problem is an address on the page of the caller',
      'type: absolute(url, type),',
      'type,',
    ],
  },
  'client/encoding.ts': {
    'client-id-leaves-its-path': [
      'an id of two dots reads another path',
      "!['', '.', '..'].includes(id)",
      "!['', '.'].includes(id)",
    ],
  },
});
