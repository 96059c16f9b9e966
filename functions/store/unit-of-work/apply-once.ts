/**
 * Applies a change set once, in one of several transactions.
 *
 * Every list reads all records of the change log that are younger than the margin, and the margin contains the time from the stamp of a
 * transaction to its commit. So a transaction is sent for a short time only. After that, the same change set is sent in another
 * transaction, with a later stamp, another token and another record.
 *
 * DynamoDB recognizes a repeated transaction by its token, but not two transactions of one change set. The conditions of the entities
 * do not suffice to tell them apart: when a created entity has been deleted meanwhile, it can be created again. So a transaction
 * whose outcome is in doubt is withdrawn before the next one is sent: an empty record is put under the key of its record, if there is none.
 * Either the transaction was applied before, and its record shows it, or the condition of its record fails whenever DynamoDB executes it.
 */
import { decodeRecord, withdrawnRecord } from '../model/change-log.ts';
import { notExists } from '../model/condition-expressions.ts';
import { ConditionFailed, TransactionExpired } from '../model/errors.ts';
import type { Item } from '../model/writes.ts';
import type { Session } from './session.ts';

/** How the transactions of a change set are sent. */
interface Sender<Transaction> {
  /**
   * Sends a transaction until it is applied.
   * @throws TransactionExpired when its time is over; any other error ends all attempts.
   */
  readonly send: (transaction: Transaction) => Promise<void>;
  /** Prevents that a transaction is applied from now on. Returns false when it was applied before. */
  readonly withdraw: (transaction: Transaction) => Promise<boolean>;
  /** Returns another transaction with the same changes, and with a new stamp and new records. */
  readonly rebuild: (transaction: Transaction) => Promise<Transaction>;
}

/** Sends a change set, each time in another transaction, until one of them is applied. */
export async function applyOnce<Transaction>(
  first: Transaction,
  { send, withdraw, rebuild }: Sender<Transaction>,
): Promise<void> {
  for (let transaction = first; ; transaction = await rebuild(transaction)) {
    try {
      await send(transaction);
      return;
    } catch (error) {
      if (!(error instanceof TransactionExpired)) throw error;
      if (error.isInDoubt && !(await withdraw(transaction))) return;
    }
  }
}

/**
 * Withdraws a transaction.
 * @param record one of its records.
 * @returns whether it is withdrawn: false when it was applied.
 */
export async function withdraw({ database }: Session, record: Item): Promise<boolean> {
  try {
    await database.putItem(withdrawnRecord(record), notExists);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // The transaction has put its record, or the response to an earlier attempt to withdraw it was lost.
    const found = await database.get({ pk: record.pk, sk: record.sk });
    return !found || decodeRecord(found).entries.length === 0;
  }
}
