import { toMutations } from './mutation.ts';

/** Mutations of the rules by which a change set is sent in several transactions, and applied once. */
export const expiredTransactionMutations = toMutations({
  'functions/store/unit-of-work/commit.ts': {
    'transactions-without-limit': [
      'a transaction is sent until the time of the request is over, long after its stamp',
      'nowMs + maxCommitMs',
      'nowMs + 10 * maxCommitMs',
    ],
    'stamp-kept-in-a-new-transaction': [
      'the second transaction of a change set has the stamp and the record of the first one',
      'const rebuild = (): Promise<Transaction> => buildTransaction(session, changeSet, more);',
      'const rebuild = async (): Promise<Transaction> => ({ writes: [...own, ...records, ...writes, ...more], records: records.map(({ put }) => put), sendUntil: nowMs + maxCommitMs, rebuild });',
    ],
  },
  'functions/store/dynamodb/database.ts': {
    'expired-transaction-sent': [
      'a transaction is sent although its time is over',
      'if (deadline !== this.deadline && deadline.remaining() <= 0)',
      'if (deadline !== this.deadline && deadline.remaining() === 0)',
    ],
    'suspension-not-counted': [
      'a transaction is sent by a machine that was suspended after it had given the transaction its stamp',
      'const deadline = await this.#limit(sendUntil);',
      'const deadline = sendUntil === 0 ? await this.#limit(sendUntil) : this.deadline;',
    ],
    'one-token-per-request': [
      'the second transaction of a change set has the token of the first one',
      'ClientRequestToken: randomId(),',
      'ClientRequestToken: ((this as { token?: string }).token ??= randomId()),',
    ],
    'doubt-forgotten': [
      'only the last attempt at a transaction decides whether it is in doubt',
      'isInDoubt ||= cancellation.isInDoubt;',
      'isInDoubt = cancellation.isInDoubt;',
    ],
  },
  'functions/store/unit-of-work/apply-once.ts': {
    'stamp-used-again': [
      'an expired transaction is sent again with its old stamp and its old record',
      'transaction = await rebuild(transaction)',
      'transaction = first',
    ],
    'doubt-ignored': [
      'a transaction in doubt is not withdrawn before the next one is sent',
      'if (error.isInDoubt && !(await withdraw(transaction))) return;',
      '',
    ],
    'applied-transaction-not-found': [
      'a request reports a conflict with its own transaction, to which no response arrived',
      '!(await withdraw(transaction))',
      '(await withdraw(transaction)) === undefined',
    ],
    'record-only-looked-up': [
      'an expired transaction can still be applied after the next one',
      'await database.putItem(withdrawnRecord(record), notExists);',
      'if (await database.get({ pk: record.pk, sk: record.sk })) throw new ConditionFailed([0], undefined);',
    ],
    'withdrawal-taken-for-a-record': [
      'a request reports success when the response to its withdrawal is lost',
      'return !found || decodeRecord(found).entries.length === 0;',
      'return !found;',
    ],
  },
});
