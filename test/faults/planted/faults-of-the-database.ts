import type { PlantedFault } from './planted-fault.ts';

const database = 'functions/shared/store/dynamodb/database.ts';
const deadline = 'functions/shared/store/dynamodb/deadline.ts';

/** Mistakes in how the database is called, and in what is made of its answers. */
export const databaseFaults: readonly PlantedFault[] = [
  {
    name: 'new-token-per-try',
    what: 'a transaction that is tried again has another ClientRequestToken',
    file: database,
    search:
      "new TransactWriteCommand({ TransactItems, ClientRequestToken, ReturnConsumedCapacity: 'TOTAL' })",
    replacement:
      "new TransactWriteCommand({ TransactItems, ClientRequestToken: ClientRequestToken.slice(0, 18) + randomUUID().slice(18), ReturnConsumedCapacity: 'TOTAL' })",
    caughtBy: ['test/faults/every-write.test.ts'],
    named: 'three replies in ten are lost createTag',
  },
  {
    name: 'timeout-that-does-not-throw',
    what: 'a call that hangs is waited for as long as the request has time',
    file: 'functions/shared/store/dynamodb/client.ts',
    search: 'throwOnRequestTimeout: true,\n      socketTimeout: requestTimeout,',
    replacement: 'throwOnRequestTimeout: requestTimeout < 0,',
    caughtBy: ['test/faults/single-failures.test.ts'],
    named: 'a call that hangs',
  },
  {
    name: 'calls-without-a-signal',
    what: 'calls go on when the time of the request is over',
    file: deadline,
    search: 'setTimeout(() => controller.abort(), Math.max(0, this.remaining()))',
    replacement: 'setTimeout(() => {}, Math.max(0, this.remaining()))',
    caughtBy: ['test/faults/outages.test.ts'],
    named: 'database hangs',
  },
  {
    name: 'tries-without-end',
    what: 'what fails is tried again when the time of the request is over: there is no 503',
    file: deadline,
    search: 'if (wait >= this.remaining()) return false;',
    replacement: 'if (wait < 0) return false;',
    caughtBy: ['test/faults/disclosure.test.ts'],
    named: 'database throttles',
  },
  {
    name: 'no-retry-on-conflict',
    what: 'a transaction that meets another is not tried again',
    file: database,
    search: "  'TransactionConflict',\n",
    replacement: '',
    caughtBy: ['test/faults/contention.test.ts'],
  },
  {
    name: 'retry-on-failed-condition',
    what: 'a transaction whose condition does not hold is tried again, as if it could hold the next time',
    file: database,
    search: 'if (failed.length > 0) throw new ConditionFailed(failed, error);',
    replacement:
      'if (failed.length > 0) {\n        if (await this.deadline.backOff(attempt)) continue;\n        throw new ConditionFailed(failed, error);\n      }',
    caughtBy: ['test/faults/single-failures.test.ts'],
    named: 'another came before',
  },
  {
    name: 'unprocessed-keys-ignored',
    what: 'what BatchGetItem leaves out under load counts as not there',
    file: database,
    search: 'wanted = output.UnprocessedKeys?.[this.#tableName]?.Keys ?? [];',
    replacement: 'wanted = [];',
    caughtBy: ['test/faults/single-failures.test.ts'],
    named: 'keys that a batch leaves out',
  },
  {
    name: 'truncated-page-ignored',
    what: 'a query ends where its first page is cut at 1 MB: LastEvaluatedKey is not followed',
    file: database,
    search: 'start = page.next;',
    replacement: 'start = undefined;',
    caughtBy: ['test/faults/single-failures.test.ts'],
    named: 'cut at 1 MB',
  },
  {
    name: 'eventually-consistent-read',
    what: 'an entity is read as it was a moment ago',
    file: database,
    search: 'Key: key,\n          ConsistentRead: true,',
    replacement: 'Key: key,\n          ConsistentRead: false,',
    caughtBy: ['test/faults/single-failures.test.ts'],
    named: 'as the last write left it',
  },
];
