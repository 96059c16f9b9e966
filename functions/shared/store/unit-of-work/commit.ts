/** Change sets as transactions: all of a change set is written, or nothing. */

import { adjustments } from '../lists/counted-index/adjustments.ts';
import { type Beginning, beginSections } from '../lists/counted-index/sections.ts';
import { recordWrites, transactionStamp } from '../model/change-log.ts';
import { buildTextWrite, buildWrite, type ChangeSet, mergeChangeSets } from '../model/changes.ts';
import { ConditionFailed, StoreUnavailable } from '../model/errors.ts';
import { type Item, maxTransactionWrites, type Write } from '../model/writes.ts';
import { requestCompaction } from './compaction-request.ts';
import { findRecordedResult, recordResult } from './idempotency.ts';
import type { Session } from './session.ts';

/** A change set, and the result of the request when it is applied. */
export interface Plan<Result> extends ChangeSet {
  /** Applied instead when the change set exceeds one transaction: it leaves the rest to a job. */
  readonly orElse?: ChangeSet;
  readonly result: Result;
}

/** A transaction that is ready to be sent. */
interface Transaction {
  readonly writes: readonly Write[];
  /** Sections of the counted index to begin beside it. */
  readonly beginnings: readonly Beginning[];
}

/** DynamoDB allows 4 MB in a transaction. JSON is never much smaller than DynamoDB's own measure. */
const maxTransactionBytes = 3_500_000;

/** DynamoDB allows 400 KB in an item. The record of many changes with long texts can have more. */
const maxItemBytes = 380_000;

/** Items of at most 400 KB: up to this many cannot exceed the limit. */
const maxUnmeasuredWrites = 8;

/** Returns the transaction of a change set: its entities, their long texts, the records of their change, their counters, and further writes. */
async function buildTransaction(
  session: Session,
  { changes, writes = [] }: ChangeSet,
  more: readonly Write[] = [],
): Promise<Transaction> {
  const [{ writes: additions, beginnings }] = await Promise.all([
    adjustments(session, changes),
    requestCompaction(session, changes),
  ]);
  // Last, because the time until the transaction is committed counts from it.
  const stamp = transactionStamp(changes, Date.now());
  const own = changes.flatMap((change) => [
    buildWrite(session.tenant, change, stamp),
    ...buildTextWrite(session.tenant, change),
  ]);
  const records = recordWrites(session.tenant, changes, stamp);
  return { writes: [...own, ...records, ...writes, ...more, ...additions], beginnings };
}

/** Returns the bytes of an item, about. */
function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    const size = value instanceof Uint8Array ? value.length : Buffer.byteLength(JSON.stringify(value) ?? '');
    bytes += name.length + size;
  }
  return bytes;
}

function fitsOneTransaction({ writes }: Transaction): boolean {
  if (writes.length > maxTransactionWrites) return false;
  if (writes.length <= maxUnmeasuredWrites) return true;
  const sizes = writes.map((write) => ('put' in write ? itemBytes(write.put) : 0));
  return (
    Math.max(...sizes) <= maxItemBytes && sizes.reduce((sum, bytes) => sum + bytes, 0) <= maxTransactionBytes
  );
}

/** Sends a transaction. Sections begin at the same time: one that turns out not to be needed stays empty. */
async function send(session: Session, { writes, beginnings }: Transaction): Promise<void> {
  if (writes.length === 0) return;
  await Promise.all([session.database.transact(writes), beginSections(session, beginnings)]);
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
 * Reads, plans and writes. When an item changes between the read and the write, it plans again. A request under an idempotency key
 * is applied once: when it is sent again, it gets the recorded result.
 *
 * @param makePlan reads what it needs; called once for each attempt.
 * @throws StoreUnavailable when the time of the request is over; and the errors of `makePlan`.
 */
export async function commit<Result>(
  session: Session,
  makePlan: (attempt: number) => Promise<Plan<Result>>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const recorded = await findRecordedResult(session);
    if (recorded) return recorded.result as Result;
    const { orElse, result, ...changeSet } = await makePlan(attempt);
    const record = recordResult(session, result);
    try {
      const whole = await buildTransaction(session, changeSet, record);
      const isTooLarge = orElse && !fitsOneTransaction(whole);
      await send(session, isTooLarge ? await buildTransaction(session, orElse, record) : whole);
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (!(await session.database.deadline.backOff(attempt))) throw new StoreUnavailable(error);
    }
  }
}
