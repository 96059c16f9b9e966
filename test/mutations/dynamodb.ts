import { toMutations } from './mutation.ts';

export const dynamodbMutations = toMutations({
  'functions/engine/table/error-classification.ts': {
    'server-errors-refuse': [
      'reasons.length === 0 && !refusals.has(error.name)',
      "reasons.length === 0 && error.$fault !== 'server' && !refusals.has(error.name)",
    ],
    'no-retry-on-conflict': ["new Set(['TransactionConflict', ...throttles])", 'new Set(throttles)'],
  },
  'functions/engine/table/database.ts': {
    'one-token-per-request': [
      'ClientRequestToken: token,',
      'ClientRequestToken: ((this as { token?: string }).token ??= token),',
    ],
    'new-token-per-attempt': [
      'this.#client.transactWriteItems(request, abortSignal)',
      'this.#client.transactWriteItems({ ...request, ClientRequestToken: randomId() }, abortSignal)',
    ],
    'unprocessed-keys-ignored': [
      'wanted = output.UnprocessedKeys?.[this.tableName]?.Keys ?? [];',
      'wanted = [];',
    ],
    'truncated-page-ignored': ['start = page.next;', 'start = page.next && undefined;'],
    'eventually-consistent-read': ['Key: key, ConsistentRead: true,', 'Key: key, ConsistentRead: false,'],
  },
  'functions/runtime/request-handler.ts': {
    'timeout-that-does-not-throw': [
      '  socketTimeout: 2_000,\n  throwOnRequestTimeout: true,',
      '  throwOnRequestTimeout: false,',
    ],
  },
  'functions/engine/table/deadline.ts': {
    'calls-without-a-signal': [
      'startTimer(Math.max(0, remainingMs), () => controller.abort())',
      'startTimer(Math.max(0, remainingMs), () => {})',
    ],
    'retries-for-nobody': ['this.#cancelled = cancelled;', 'this.#cancelled = cancelled && undefined;'],
    'retries-without-end': ['if (waitMs >= this.remaining()) return false;', 'if (waitMs < 0) return false;'],
  },
  'functions/engine/table/calls.ts': {
    'retries-of-a-hot-key': [
      'if (keyThrottles >= this.#limits.maxKeyThrottles) throw new KeysThrottled(error, isInDoubt);',
      'if (keyThrottles < 0) throw new KeysThrottled(error, isInDoubt);',
    ],
    'doubt-forgotten': [
      'isInDoubt ||= isTransaction && mayBeApplied;',
      'isInDoubt = isTransaction && mayBeApplied;',
    ],
    'retry-on-failed-condition': [
      'if (failed.length > 0) throw new ConditionFailed(failed, error, isInDoubt);',
      'if (failed.length > 0) {\n        if (await deadline.backOff(1)) continue;\n        throw new ConditionFailed(failed, error, isInDoubt);\n      }',
    ],
    'foreign-response-accepted': [
      'if (output.ConsumedCapacity === undefined) throw new ForeignResponse();\n      for (const report of [output.ConsumedCapacity].flat()) {',
      'for (const report of [output.ConsumedCapacity ?? []].flat()) {',
    ],
    'twice-the-read-budget': [
      'if (this.consumption.readUnits > this.#limits.maxReadUnits)',
      'if (this.consumption.readUnits > 2 * this.#limits.maxReadUnits)',
    ],
  },
});
