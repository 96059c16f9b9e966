import type { Mutation } from './mutation.ts';

const database = 'functions/store/dynamodb/database.ts';
const deadline = 'functions/store/dynamodb/deadline.ts';

export const dynamodbMutations: readonly Mutation[] = [
  {
    name: 'new-token-per-attempt',
    description: 'each attempt of a transaction has another ClientRequestToken',
    file: database,
    search:
      "new TransactWriteCommand({ TransactItems, ClientRequestToken, ReturnConsumedCapacity: 'TOTAL' })",
    replacement:
      "new TransactWriteCommand({ TransactItems, ClientRequestToken: ClientRequestToken.slice(0, 18) + randomUUID().slice(18), ReturnConsumedCapacity: 'TOTAL' })",
    detectedBy: ['test/faults/every-write.test.ts'],
    testNamePattern: 'three in ten responses are lost createTag',
  },
  {
    name: 'timeout-that-does-not-throw',
    description: 'a hung call does not time out before the request does',
    file: 'functions/store/dynamodb/client.ts',
    search: 'throwOnRequestTimeout: true,\n      socketTimeout: requestTimeout,',
    replacement: 'throwOnRequestTimeout: requestTimeout < 0,',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'a call that hangs',
  },
  {
    name: 'calls-without-a-signal',
    description: 'calls continue after the deadline of the request',
    file: deadline,
    search: 'setTimeout(() => controller.abort(), Math.max(0, remainingMs))',
    replacement: 'setTimeout(() => {}, Math.max(0, remainingMs))',
    detectedBy: ['test/faults/outages.test.ts'],
    testNamePattern: 'database hangs',
  },
  {
    name: 'retries-for-nobody',
    description: 'calls are repeated after the client has gone',
    file: deadline,
    search: 'this.#cancelled = cancelled;',
    replacement: 'this.#cancelled = cancelled && undefined;',
    detectedBy: ['test/faults/departed-clients.test.ts'],
    testNamePattern: 'not made again',
  },
  {
    name: 'retries-without-end',
    description: 'retries continue after the deadline of the request, so that there is no 503',
    file: deadline,
    search: 'if (waitMs >= this.remaining()) return false;',
    replacement: 'if (waitMs < 0) return false;',
    detectedBy: ['test/faults/disclosure.test.ts'],
    testNamePattern: 'database throttles',
  },
  {
    name: 'retries-of-a-hot-key',
    description: 'a request repeats a call that DynamoDB refuses for its keys until its time is over',
    file: 'functions/store/dynamodb/calls.ts',
    search: 'if (this.#keyThrottles >= this.#maxKeyThrottles) throw new KeysThrottled(error);',
    replacement: 'if (this.#keyThrottles < 0) throw new KeysThrottled(error);',
    detectedBy: ['test/faults/throttled-log.test.ts'],
    testNamePattern: 'three attempts at a transaction',
  },
  {
    name: 'no-retry-on-conflict',
    description: 'a transaction is not retried after a conflict',
    file: 'functions/store/dynamodb/error-classification.ts',
    search: "new Set(['TransactionConflict', ...throttles])",
    replacement: 'new Set(throttles)',
    detectedBy: ['test/unit/functions/store/dynamodb/error-classification.test.ts'],
  },
  {
    name: 'retry-on-failed-condition',
    description: 'a transaction with a failed condition is retried unchanged',
    file: database,
    search: 'if (failed.length > 0) throw new ConditionFailed(failed, error);',
    replacement:
      'if (failed.length > 0) {\n        if (await this.deadline.backOff(1)) continue;\n        throw new ConditionFailed(failed, error);\n      }',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'changed meanwhile',
  },
  {
    name: 'unprocessed-keys-ignored',
    description: 'unprocessed keys of BatchGetItem count as missing items',
    file: database,
    search: 'wanted = output.UnprocessedKeys?.[this.tableName]?.Keys ?? [];',
    replacement: 'wanted = [];',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'unprocessed keys of a batch',
  },
  {
    name: 'truncated-page-ignored',
    description: 'a query ignores LastEvaluatedKey and ends after its first page of 1 MB',
    file: database,
    search: 'start = page.next;',
    replacement: 'start = page.next && undefined;',
    detectedBy: ['test/unit/functions/store/lists/engine/storage.test.ts'],
  },
  {
    name: 'eventually-consistent-read',
    description: 'an entity is read with eventual consistency',
    file: database,
    search: 'Key: key,\n          ConsistentRead: true,',
    replacement: 'Key: key,\n          ConsistentRead: false,',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'uses consistent reads',
  },
];
