import { toMutations } from './mutation.ts';

/** Mutations of the client: its retries, what it sends, and what it makes of responses. */
export const clientMutations = toMutations({
  'client/mcp/call-tool.ts': {
    'agents-get-long-texts': ['(isShort ? [...short,', '(isShort && false ? [...short,'],
    'agents-lose-versions-of-batches': [' ...(version !== undefined && { ifMatch: version }) };', ' };'],
    'agents-send-null-for-filters': ['given ?? {}', 'given as object'],
    'agents-send-arguments-that-no-tool-has': ['if (unknown !== undefined)', 'if (unknown === name)'],
    'agents-get-no-date': [', ...dateOf(headers) };', ' };'],
  },
  'client/mcp/hints.ts': {
    'agents-get-no-hint': ['|| idsPattern.test(text)', '|| !idsPattern.test(text)'],
    'unused-values-are-no-hint': ['return unknown.length === 0', 'return unknown.length > 0'],
  },
  'functions/mcp/serve-tools.ts': {
    'tools-for-pages-of-all-origins': [
      "if (allowed.includes('*')) return undefined;",
      'if (allowed.length > 0) return undefined;',
    ],
    'tools-without-the-token-of-the-caller': [
      "headers.get('authorization')",
      "headers.get('x-authorization')",
    ],
  },
  'client/connection.ts': {
    'client-tries-once-more': [
      'if (attempt >= tries) throw new ConnectionError(url, error);',
      'if (attempt > tries) throw new ConnectionError(url, error);',
    ],
    'client-repeats-what-it-cannot-send': ['if (error instanceof UnsendableError) throw error;', ''],
    'client-gives-up-when-unavailable': ['[429, 502, 503, 504]', '[429, 502, 504]'],
    'client-key-of-each-attempt': [
      'this.#try(address, { ...message, content }, key)',
      'this.#try(address, { ...message, content }, key && uniqueKey())',
    ],
    'client-key-of-the-caller-ignored': [
      'needsKey ? idempotencyKey || uniqueKey()',
      'needsKey ? uniqueKey()',
    ],
    'client-changes-without-a-key': ['(isChange(message) && !hasNoKey)', '(isChange(message) && hasNoKey)'],
    'client-repeated-deletion-fails': [
      '{ isRepeated: attempt > 1, key }',
      '{ isRepeated: attempt > 2, key }',
    ],
    'client-timeout-like-an-abort': [
      "controller.abort(namedError('TimeoutError',",
      "controller.abort(namedError('AbortError',",
    ],
    'client-follows-redirects': [
      "response.redirected || response.type === 'opaqueredirect'",
      "response.type === 'opaqueredirect'",
    ],
  },
  'client/collection.ts': {
    'client-one-key-for-all-transactions': ['`${idempotencyKey}-${start}`', 'idempotencyKey'],
    'client-own-write-taken-for-a-conflict': [
      '!error.mayBeApplied) throw error;',
      'error.mayBeApplied) throw error;',
    ],
    'client-change-gives-up': [
      'if (attempt >= maxChangeAttempts || ',
      'if (attempt >= maxChangeAttempts / 10 || ',
    ],
    'client-writes-without-the-version': ['ifMatch: etagOf(target) }', "ifMatch: etagOf(target) && '*' }"],
  },
  'client/sync.ts': {
    'sync-of-a-request-that-cannot-be-sent': ['error instanceof TypeError || isFinal', 'isFinal'],
    'sync-without-pauses': ['pauseOf(failures, 1_000)', 'pauseOf(failures, 0)'],
    'sync-ignores-retry-after': [
      'error instanceof ProblemError ? error.retryAfterMs : 0',
      'error instanceof ProblemError ? 0 : 0',
    ],
    'sync-with-an-expired-cursor': ['if (statusOf(error) === 410) [', 'if (statusOf(error) === 411) ['],
    'sync-after-its-signal': [
      'if (signal?.aborted) return undefined;',
      'if (signal?.reason === 0) return undefined;',
    ],
    'sync-of-a-refused-request': [
      'isFinal(statusOf(error))) return undefined;',
      '(isFinal(statusOf(error)) && failures > 1)) return undefined;',
    ],
    'push-gives-up-offline': [
      'if (pauseMs === undefined) throw error;\n      onRetry(error);',
      'if (pauseMs === undefined || failures > 1) throw error;\n      onRetry(error);',
    ],
  },
  'client/query.ts': {
    'client-commas-separate': ['replaceAll(/[\\\\,]/g', 'replaceAll(/[\\\\]/g'],
    'client-one-of-none-matches-all': [
      "matchesNothing ||= 'in' in value && isEmpty(value.in);",
      "matchesNothing ||= 'in' in value && !isEmpty(value.in) && false;",
    ],
  },
  'client/problems.ts': {
    'client-problem-without-address': ['type: absolute(url, type),', 'type,'],
  },
  'client/encoding.ts': {
    'client-id-leaves-its-path': ["!['', '.', '..'].includes(id)", "!['', '.'].includes(id)"],
  },
});
