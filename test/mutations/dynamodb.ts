import { toMutations } from './mutation.ts';

export const dynamodbMutations = toMutations({
  'functions/engine/table/error-classification.ts': {
    'server-errors-refuse': [
      'a transaction that was applied before an error of the server counts as not applied',
      'reasons.length === 0 && !refusals.has(error.name)',
      "reasons.length === 0 && error.$fault !== 'server' && !refusals.has(error.name)",
    ],
    'no-retry-on-conflict': [
      'a transaction is not retried after a conflict',
      "new Set(['TransactionConflict', ...throttles])",
      'new Set(throttles)',
    ],
  },
  'functions/engine/table/database.ts': {
    'one-token-per-request': [
      'the second transaction of a change set has the token of the first one',
      'ClientRequestToken: token,',
      'ClientRequestToken: ((this as { token?: string }).token ??= token),',
    ],
    'doubt-forgotten': [
      'only the last attempt at a transaction decides whether it is in doubt',
      'isInDoubt ||= cancellation.isInDoubt;',
      'isInDoubt = cancellation.isInDoubt;',
    ],
    'new-token-per-attempt': [
      'each attempt of a transaction has another ClientRequestToken',
      'this.#client.transactWriteItems(request, abortSignal)',
      'this.#client.transactWriteItems({ ...request, ClientRequestToken: randomId() }, abortSignal)',
    ],
    'retry-on-failed-condition': [
      'a transaction with a failed condition is retried unchanged',
      'if (failed.length > 0) throw new ConditionFailed(failed, error, isInDoubt);',
      'if (failed.length > 0) {\n        if (await this.deadline.backOff(1)) continue;\n        throw new ConditionFailed(failed, error, isInDoubt);\n      }',
    ],
    'unprocessed-keys-ignored': [
      'unprocessed keys of BatchGetItem count as missing items',
      'wanted = output.UnprocessedKeys?.[this.tableName]?.Keys ?? [];',
      'wanted = [];',
    ],
    'truncated-page-ignored': [
      'a query ignores LastEvaluatedKey and ends after its first page of 1 MB',
      'start = page.next;',
      'start = page.next && undefined;',
    ],
    'eventually-consistent-read': [
      'an entity is read with eventual consistency',
      'Key: key, ConsistentRead: true,',
      'Key: key, ConsistentRead: false,',
    ],
  },
  'functions/runtime/request-handler.ts': {
    'timeout-that-does-not-throw': [
      'a hung call does not time out before the request does',
      '  socketTimeout: 2_000,\n  throwOnRequestTimeout: true,',
      '  throwOnRequestTimeout: false,',
    ],
  },
  'functions/engine/table/deadline.ts': {
    'calls-without-a-signal': [
      'calls continue after the deadline of the request',
      'startTimer(Math.max(0, remainingMs), () => controller.abort())',
      'startTimer(Math.max(0, remainingMs), () => {})',
    ],
    'retries-for-nobody': [
      'calls are repeated after the client has gone',
      'this.#cancelled = cancelled;',
      'this.#cancelled = cancelled && undefined;',
    ],
    'retries-without-end': [
      'retries continue after the deadline of the request, so that there is no 503',
      'if (waitMs >= this.remaining()) return false;',
      'if (waitMs < 0) return false;',
    ],
  },
  'functions/engine/table/calls.ts': {
    'retries-of-a-hot-key': [
      'a request repeats a call that DynamoDB refuses for its keys until its time is over',
      'if (this.#keyThrottles >= this.#maxKeyThrottles) throw new KeysThrottled(error, isInDoubt);',
      'if (this.#keyThrottles < 0) throw new KeysThrottled(error, isInDoubt);',
    ],
    'foreign-response-accepted': [
      'a response that is not from DynamoDB is an item that does not exist, or a transaction that was applied',
      'if (output.ConsumedCapacity === undefined) throw new ForeignResponse();\n      for (const report of [output.ConsumedCapacity].flat()) {',
      'for (const report of [output.ConsumedCapacity ?? []].flat()) {',
    ],
    'twice-the-read-budget': [
      'a request may read more units than its budget',
      'if (this.consumption.readUnits > this.#limits.maxReadUnits)',
      'if (this.consumption.readUnits > 2 * this.#limits.maxReadUnits)',
    ],
  },
});
