import type { Mutation } from './mutation.ts';

const database = 'functions/shared/store/dynamodb/database.ts';
const deadline = 'functions/shared/store/dynamodb/deadline.ts';

/** Mistakes in how the database is called, and in what is made of its answers. */
export const dynamodbMutations: readonly Mutation[] = [
  {
    name: 'new-token-per-try',
    description: 'a transaction that is tried again has another ClientRequestToken',
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
    description: 'a call that hangs is waited for as long as the request has time',
    file: 'functions/shared/store/dynamodb/client.ts',
    search: 'throwOnRequestTimeout: true,\n      socketTimeout: requestTimeout,',
    replacement: 'throwOnRequestTimeout: requestTimeout < 0,',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'a call that hangs',
  },
  {
    name: 'calls-without-a-signal',
    description: 'calls go on when the time of the request is over',
    file: deadline,
    search: 'setTimeout(() => controller.abort(), Math.max(0, this.remaining()))',
    replacement: 'setTimeout(() => {}, Math.max(0, this.remaining()))',
    detectedBy: ['test/faults/outages.test.ts'],
    testNamePattern: 'database hangs',
  },
  {
    name: 'tries-without-end',
    description: 'what fails is tried again when the time of the request is over: there is no 503',
    file: deadline,
    search: 'if (waitMs >= this.remaining()) return false;',
    replacement: 'if (waitMs < 0) return false;',
    detectedBy: ['test/faults/disclosure.test.ts'],
    testNamePattern: 'database throttles',
  },
  {
    name: 'no-retry-on-conflict',
    description: 'a transaction that meets another is not tried again',
    file: 'functions/shared/store/dynamodb/error-classification.ts',
    search: "  'TransactionConflict',\n",
    replacement: '',
    detectedBy: ['test/faults/contention.test.ts'],
  },
  {
    name: 'retry-on-failed-condition',
    description:
      'a transaction whose condition does not hold is tried again, as if it could hold the next time',
    file: database,
    search: 'if (failed.length > 0) throw new ConditionFailed(failed, error);',
    replacement:
      'if (failed.length > 0) {\n        if (await this.deadline.backOff(attempt)) continue;\n        throw new ConditionFailed(failed, error);\n      }',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'changed meanwhile',
  },
  {
    name: 'unprocessed-keys-ignored',
    description: 'what BatchGetItem leaves out under load counts as not there',
    file: database,
    search: 'wanted = output.UnprocessedKeys?.[this.#tableName]?.Keys ?? [];',
    replacement: 'wanted = [];',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'unprocessed keys of a batch',
  },
  {
    name: 'truncated-page-ignored',
    description: 'a query ends where its first page is cut at 1 MB: LastEvaluatedKey is not followed',
    file: database,
    search: 'start = page.next;',
    replacement: 'start = undefined;',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'cut at 1 MB',
  },
  {
    name: 'eventually-consistent-read',
    description: 'an entity is read as it was a moment ago',
    file: database,
    search: 'Key: key,\n          ConsistentRead: true,',
    replacement: 'Key: key,\n          ConsistentRead: false,',
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'uses consistent reads',
  },
];
