import type { Mutation } from './mutation.ts';

const applyOnce = 'functions/store/unit-of-work/apply-once.ts';
const commit = 'functions/store/unit-of-work/commit.ts';
const database = 'functions/store/dynamodb/database.ts';

const units = 'test/unit/functions/store';
const simulation = 'test/former/list-engine.test.ts';
const faults = 'test/faults/expired-transactions.test.ts';

/** Histories in which DynamoDB executes transactions that their writers gave up. */
const abandoned = 'every list of the late histories';

/** Mutations of the rules by which a change set is sent in several transactions, and applied once. */
export const expiredTransactionMutations: readonly Mutation[] = [
  {
    name: 'transactions-without-limit',
    description: 'a transaction is sent until the time of the request is over, long after its stamp',
    file: commit,
    search: 'nowMs + maxCommitMs',
    replacement: 'nowMs + 10 * maxCommitMs',
    detectedBy: [`${units}/unit-of-work.test.ts`],
    testNamePattern: 'three seconds after its stamp',
  },
  {
    name: 'expired-transaction-sent',
    description: 'a transaction is sent although its time is over',
    file: database,
    search: 'if (deadline !== this.deadline && deadline.remaining() <= 0)',
    replacement: 'if (deadline !== this.deadline && deadline.remaining() === 0)',
    detectedBy: [`${units}/dynamodb.test.ts`],
    testNamePattern: 'before the first attempt',
  },
  {
    name: 'suspension-not-counted',
    description:
      'a transaction is sent by a machine that was suspended after it had given the transaction its stamp',
    file: database,
    search: 'const deadline = await this.#limit(sendUntil);',
    replacement: 'const deadline = sendUntil === 0 ? await this.#limit(sendUntil) : this.deadline;',
    detectedBy: [faults],
    testNamePattern: 'suspended',
  },
  {
    name: 'stamp-used-again',
    description: 'an expired transaction is sent again with its old stamp and its old record',
    file: applyOnce,
    search: 'transaction = await rebuild(transaction)',
    replacement: 'transaction = first',
    detectedBy: [simulation],
    testNamePattern: abandoned,
  },
  {
    name: 'stamp-kept-in-a-new-transaction',
    description: 'the second transaction of a change set has the stamp and the record of the first one',
    file: commit,
    search: 'const rebuild = (): Promise<Transaction> => buildTransaction(session, changeSet, more);',
    replacement:
      'const rebuild = async (): Promise<Transaction> => ({ writes: [...own, ...records, ...writes, ...more], records: records.map(({ put }) => put), sendUntil: nowMs + maxCommitMs, rebuild });',
    detectedBy: [`${units}/unit-of-work.test.ts`],
    testNamePattern: 'three seconds after its stamp',
  },
  {
    name: 'one-token-per-request',
    description: 'the second transaction of a change set has the token of the first one',
    file: database,
    search: 'ClientRequestToken: randomId(),',
    replacement: 'ClientRequestToken: ((this as { token?: string }).token ??= randomId()),',
    detectedBy: [faults],
    testNamePattern: 'executed never createTask',
  },
  {
    name: 'doubt-ignored',
    description: 'a transaction in doubt is not withdrawn before the next one is sent',
    file: applyOnce,
    search: 'if (error.isInDoubt && !(await withdraw(transaction))) return;',
    replacement: '',
    detectedBy: [simulation],
    testNamePattern: abandoned,
  },
  {
    name: 'applied-transaction-not-found',
    description: 'a request reports a conflict with its own transaction, to which no response arrived',
    file: applyOnce,
    search: '!(await withdraw(transaction))',
    replacement: '(await withdraw(transaction)) === undefined',
    detectedBy: [simulation],
    testNamePattern: abandoned,
  },
  {
    name: 'doubt-forgotten',
    description: 'only the last attempt at a transaction decides whether it is in doubt',
    file: database,
    search: 'isInDoubt ||= cancellation.isInDoubt;',
    replacement: 'isInDoubt = cancellation.isInDoubt;',
    detectedBy: [`${units}/dynamodb.test.ts`],
    testNamePattern: 'in doubt',
  },
  {
    name: 'record-only-looked-up',
    description: 'an expired transaction can still be applied after the next one',
    file: applyOnce,
    search: 'await database.putItem(withdrawnRecord(record), notExists);',
    replacement:
      'if (await database.get({ pk: record.pk, sk: record.sk })) throw new ConditionFailed([0], undefined);',
    detectedBy: [`${units}/unit-of-work.test.ts`],
  },
  {
    name: 'withdrawal-taken-for-a-record',
    description: 'a request reports success when the response to its withdrawal is lost',
    file: applyOnce,
    search: 'return !found || decodeRecord(found).entries.length === 0;',
    replacement: 'return !found;',
    detectedBy: [`${units}/unit-of-work.test.ts`],
    testNamePattern: '^apply-once ',
  },
];
