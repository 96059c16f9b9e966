/** Change sets as transactions: all of a change set is written, or nothing. */

import { environment } from '../../runtime/environment.ts';
import { logWarning } from '../../runtime/logger.ts';
import { parseLogPartition, recordWrites, stampOf, transactionStamp } from '../model/change-log.ts';
import { buildTextWrite, buildWrite, type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import { ConditionFailed, StoreUnavailable, TooManyWrites } from '../model/errors.ts';
import { lateAfterMs, maxCommitMs } from '../model/log-timing.ts';
import { buildSubjectWrites } from '../model/subject.ts';
import { itemBytes, writeUnits } from '../model/write-units.ts';
import { type Item, maxTransactionWrites, type Write } from '../model/writes.ts';
import { applyOnce, withdraw } from './apply-once.ts';
import { findRecordedResult, recordResult } from './idempotency.ts';
import { requireJobCapacity } from './job-limit.ts';
import { reportLateRecords, requireReminders } from './reminders.ts';
import type { Session } from './session.ts';

/** A change set, and the result of the request when it is applied. */
export interface UnitOfWork<Result> extends ChangeSet {
  /** Applied instead when the change set exceeds one transaction: it leaves the rest to a job. */
  readonly orElse?: ChangeSet;
  readonly result: Result;
}

/** A transaction that is ready to be sent. */
interface Transaction {
  readonly writes: readonly Write[];
  /** Its records. A transaction without changes of entities has none. */
  readonly records: readonly Item[];
  /**
   * The time until which it may be sent, in milliseconds since 1970. One without records has no stamp, so it is sent for as long as the request
   * has time.
   */
  readonly sendUntil?: number | undefined;
  /** Builds the transaction of the same change set, with a new stamp and new records. */
  readonly rebuild: () => Promise<Transaction>;
}

/** DynamoDB allows 4 MB in a transaction. JSON is never much smaller than DynamoDB's own measure. */
const maxTransactionBytes = 3_500_000;

/** DynamoDB allows 400 KB in an item. The record of many changes can have more. */
const maxItemBytes = 380_000;

/**
 * Write units of one transaction. More work is left to a job, which has a pace, or is refused: all tenants share what the table takes in a
 * second.
 */
const maxWriteUnits = 1_000;

/** Items of requests have at most 50 KB, and those of results 400 KB: up to this many cannot exceed the limits. */
const maxUnmeasuredWrites = 8;

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** Returns the transaction of a change set: its entities, their long texts and subjects, the records of their change, and further writes. */
async function buildTransaction(
  session: Session,
  changeSet: ChangeSet,
  more: readonly Write[] = [],
): Promise<Transaction> {
  const { changes, writes = [] } = changeSet;
  await requireReminders(session, changes);
  // Last, because the time until the transaction is committed counts from it.
  const nowMs = await session.database.time();
  const stamp = transactionStamp(changes, nowMs);
  const own = changes.flatMap((change) => [
    buildWrite(session.tenant, change, stamp),
    ...buildTextWrite(session.tenant, change),
    ...buildSubjectWrites(session.tenant, change),
  ]);
  const records = recordWrites(session.tenant, changes, stamp, {
    actor: session.actor,
    historyDays: environment.historyDays(),
  });
  const rebuild = (): Promise<Transaction> => buildTransaction(session, changeSet, more);
  return {
    writes: [...own, ...records, ...writes, ...more],
    records: records.map(({ put }) => put),
    sendUntil: changes.length > 0 ? nowMs + maxCommitMs : undefined,
    rebuild,
  };
}

function fitsOneTransaction({ writes }: Transaction): boolean {
  if (writes.length > maxTransactionWrites) return false;
  if (writes.length <= maxUnmeasuredWrites) return true;
  const sizes = writes.map((write) => ('put' in write ? itemBytes(write.put) : 0));
  const units = writes.map(writeUnits);
  return (
    Math.max(...sizes) <= maxItemBytes && sum(sizes) <= maxTransactionBytes && sum(units) <= maxWriteUnits
  );
}

/**
 * Reports the records of an applied transaction when they may be late. The transaction is applied, so no error may end the request: the
 * table's stream notices the records as well.
 */
async function noticeLateRecords(session: Session, { records }: Transaction): Promise<void> {
  try {
    const nowMs = await session.database.time();
    for (const { pk, sk } of records) {
      const log = parseLogPartition(pk);
      if (log && stampOf(sk) + lateAfterMs < nowMs) await reportLateRecords(session, log.kind, [sk]);
    }
  } catch (error) {
    logWarning('A late record was not reported.', { tenant: session.tenant, error: String(error) });
  }
}

async function send(session: Session, first: Transaction): Promise<void> {
  if (first.writes.length === 0) return;
  await applyOnce(first, {
    send: async (transaction) => {
      await session.database.transact(transaction.writes, transaction.sendUntil);
      await noticeLateRecords(session, transaction);
    },
    withdraw: async (transaction) => {
      const isWithdrawn = await withdraw(session, transaction.records[0] as Item);
      if (!isWithdrawn) await noticeLateRecords(session, transaction);
      return isWithdrawn;
    },
    rebuild: ({ rebuild }) => rebuild(),
  });
}

/** Applies a change set that always fits into one transaction. */
export const applyChangeSet = async (session: Session, changeSet: ChangeSet): Promise<void> =>
  send(session, await buildTransaction(session, changeSet));

/**
 * Applies change sets one after the other, as many in one transaction as fit. Each is applied completely or not at all.
 * @param batchSize change sets in one transaction.
 */
export async function applyInBatches(
  session: Session,
  changeSets: readonly ChangeSet[],
  batchSize: number,
): Promise<void> {
  for (let start = 0; start < changeSets.length; start += batchSize) {
    const batch = changeSets.slice(start, start + batchSize);
    const transaction = await buildTransaction(session, mergeChangeSets(batch));
    if (batch.length === 1 || fitsOneTransaction(transaction)) await send(session, transaction);
    else await applyInBatches(session, batch, Math.ceil(batch.length / 2));
  }
}

/**
 * Returns the transaction of a change set, or of the one that takes its place when it is too large.
 * @throws TooManyWrites when no transaction takes it; TooManyJobs when the tenant may not begin its jobs.
 */
async function fittingTransaction(
  session: Session,
  changeSet: ChangeSet,
  orElse: ChangeSet | undefined,
  record: readonly Write[],
): Promise<Transaction> {
  // Before the transaction is built: the time until it is committed counts from there.
  await requireJobCapacity(session, changeSet.writes);
  const whole = await buildTransaction(session, changeSet, record);
  if (fitsOneTransaction(whole)) return whole;
  if (!changeSet.writes) await requireJobCapacity(session, orElse?.writes);
  const rest = orElse && (await buildTransaction(session, orElse, record));
  if (!rest || !fitsOneTransaction(rest)) throw new TooManyWrites();
  return rest;
}

/**
 * Builds a unit of work and applies it. When an item changes between the read and the write, it builds it again. A request under an
 * idempotency key is applied once: when it is sent again, it gets the recorded result.
 *
 * @param build reads what it needs; called once for each attempt.
 * @throws StoreUnavailable when the time of the request is over; TooManyWrites, TooManyJobs; and the errors of `build`.
 */
export async function commit<Result>(
  session: Session,
  build: (attempt: number) => Promise<UnitOfWork<Result>>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const recorded = await findRecordedResult(session);
    if (recorded) return recorded.result as Result;
    const { orElse, result, ...changeSet } = await build(attempt);
    const changed = new Set(changeSet.changes.map(({ after }) => after));
    const record = recordResult(session, result, changed, await session.database.time());
    try {
      await send(session, await fittingTransaction(session, changeSet, orElse, record));
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (!(await session.database.deadline.backOff(attempt))) throw new StoreUnavailable(error, true);
    }
  }
}
