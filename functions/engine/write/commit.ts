/** Change sets as transactions: all of a change set is written, or nothing. */

import assert from 'node:assert/strict';
import { now, randomId } from '../../runtime/time-and-chance.ts';
import { Positions } from '../log/positions.ts';
import { fillerWrite, type RecordWrite, recordWrites } from '../model/change-log.ts';
import { buildTextWrite, buildWrite, type ChangeSet, kindOf, mergeChangeSets } from '../model/changes.ts';
import { BatchTooLarge, ConditionFailed, conditionHolds, StoreUnavailable } from '../model/errors.ts';
import type { Kind } from '../model/schema.ts';
import { buildUniqueValueWrites } from '../model/unique-value.ts';
import { itemBytes, writeUnits } from '../model/write-units.ts';
import { type Item, maxTransactionWrites, type Write } from '../model/writes.ts';
import type { Session } from '../table/session.ts';
import { findRecordedResult, recordResult } from './idempotency.ts';
import { requireJobCapacity } from './unfinished-jobs.ts';

/** A change set, and the result of the request when it is applied. */
export interface UnitOfWork<Result> extends ChangeSet {
  /** Applied instead when the change set exceeds one transaction: it leaves the rest to a job. */
  readonly orElse?: ChangeSet;
  readonly result: Result;
}

interface Transaction {
  readonly writes: readonly Write[];
  /** Its records, by kind. A transaction without changes of entities has none. */
  readonly records: ReadonlyMap<Kind, RecordWrite>;
  readonly token: string;
}

interface Writer {
  readonly session: Session;
  readonly positions: Positions;
  /** Writes that belong to each of its transactions. */
  readonly more?: readonly Write[];
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

/** Returns the transaction of a change set: its entities, their long texts and unique values, the records of their change, and further writes. */
async function buildTransaction(
  { session: { tenant, actor }, positions, more = [] }: Writer,
  { changes, writes = [] }: ChangeSet,
): Promise<Transaction> {
  const taken = await positions.forChanges(changes);
  const own = changes.flatMap((change) => [
    buildWrite(tenant, change, taken.get(kindOf(change)) as number),
    ...buildTextWrite(tenant, change),
    ...buildUniqueValueWrites(tenant, change),
  ]);
  const records = recordWrites(tenant, changes, { positions: taken, time: now(), actor });
  return { writes: [...own, ...records.values(), ...writes, ...more], records, token: randomId() };
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
 * Decides whether a transaction is applied, by the position of one of its records: who is first there decides. A filler keeps it from being applied from now
 * on. If there is a record already, the transaction is sent once more: it succeeds if that record is its own.
 */
async function settle({ database }: Session, { writes, token }: Transaction, record: Item) {
  const filler = fillerWrite({ pk: record.pk, sk: record.sk }, now());
  if (await conditionHolds(database.putItem(filler.put, filler.condition))) return false;
  return conditionHolds(database.transact(writes, { token }));
}

/** Sends a transaction, and finds out what became of it when no response says so. After an error it was not applied, unless the error is in doubt. */
async function sendOnce({ session, positions }: Writer, transaction: Transaction): Promise<void> {
  const { writes, records, token } = transaction;
  assert(writes.length <= maxTransactionWrites, 'A transaction has as many writes as DynamoDB takes.');
  const [first] = records;
  try {
    await session.database.transact(writes, { isDecidable: first !== undefined, token });
  } catch (error) {
    const mayBeApplied =
      (error instanceof ConditionFailed || error instanceof StoreUnavailable) && error.isInDoubt;
    if (!first || !mayBeApplied) throw error;
    const [kind, { put }] = first;
    try {
      if (await settle(session, transaction, put)) return;
    } catch (unknown) {
      if (unknown instanceof StoreUnavailable) unknown.isInDoubt = true;
      throw unknown;
    }
    positions.drop([kind]);
    if (error instanceof StoreUnavailable) error.isInDoubt = false;
    throw error;
  }
}

/** Sends a transaction, with other positions while these are filled by others. */
async function send(writer: Writer, changeSet: ChangeSet, first: Transaction): Promise<void> {
  if (first.writes.length === 0) return;
  for (let transaction = first; ; transaction = await buildTransaction(writer, changeSet)) {
    const { writes, records } = transaction;
    try {
      await sendOnce(writer, transaction);
      writer.positions.drop(records.keys());
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const lost = [...records].filter(([, record]) => error.positions.includes(writes.indexOf(record)));
      for (const [kind] of lost) writer.positions.lose(kind);
      if (lost.length < error.positions.length) throw error;
    }
  }
}

/** Lets a unit of work take positions, and fills those that it does not use. */
async function withPositions<Result>(session: Session, write: (positions: Positions) => Promise<Result>) {
  const positions = new Positions(session);
  try {
    return await write(positions);
  } finally {
    await positions.fillLeft();
  }
}

/** Applies change sets one after the other, as many in one transaction as fit. Each is applied completely or not at all. */
export async function applyInBatches(
  session: Session,
  changeSets: readonly ChangeSet[],
  batchSize: number,
): Promise<void> {
  for (let start = 0; start < changeSets.length; start += batchSize) {
    const batch = changeSets.slice(start, start + batchSize);
    const merged = mergeChangeSets(batch);
    const isApplied = await withPositions(session, async (positions) => {
      const writer = { session, positions };
      const transaction = await buildTransaction(writer, merged);
      if (batch.length > 1 && !fitsOneTransaction(transaction)) return false;
      await send(writer, merged, transaction);
      return true;
    });
    if (!isApplied) await applyInBatches(session, batch, Math.ceil(batch.length / 2));
  }
}

/** Applies a change set that always fits into one transaction. */
export const applyChangeSet = (session: Session, changeSet: ChangeSet): Promise<void> =>
  applyInBatches(session, [changeSet], 1);

/** Applies a change set, or the one that takes its place when it is too large. */
async function sendFitting(writer: Writer, changeSet: ChangeSet, orElse: ChangeSet | undefined) {
  await requireJobCapacity(writer.session, changeSet.writes);
  const whole = await buildTransaction(writer, changeSet);
  if (fitsOneTransaction(whole)) return send(writer, changeSet, whole);
  await requireJobCapacity(writer.session, orElse?.writes);
  const rest = orElse && (await buildTransaction(writer, orElse));
  if (!rest || !fitsOneTransaction(rest))
    throw new BatchTooLarge(
      'The operations need more than 1,000 write units, about 500 KB, with the long texts that they replace or delete. Send fewer operations.',
    );
  return send(writer, orElse, rest);
}

/** Builds a unit of work and applies it, until no item changes between the read and the write; or returns the result that is recorded already. */
const buildAndApply = <Result>(
  session: Session,
  build: (attempt: number, take: Positions['request']) => Promise<UnitOfWork<Result>>,
  kinds: readonly Kind[],
): Promise<Result> =>
  withPositions(session, async (positions) => {
    for (let attempt = 1; ; attempt += 1) {
      const recorded = await findRecordedResult(session);
      if (recorded) return recorded.result as Result;
      if (attempt === 1) positions.request(kinds);
      const { orElse, result, ...changeSet } = await build(attempt, (own) => positions.request(own));
      const changed = new Set(changeSet.changes.map(({ after }) => after));
      const writer = { session, positions, more: recordResult(session, result, changed, now()) };
      // Otherwise an item has changed since it was read.
      if (await conditionHolds(sendFitting(writer, changeSet, orElse))) return result;
      if (!(await session.database.deadline.backOff(attempt))) throw new StoreUnavailable(undefined, true);
    }
  });

/**
 * Builds a unit of work and applies it. When an item changes between the read and the write, it builds it again. A request under an
 * idempotency key is applied once: when it is sent again, it gets the recorded result.
 *
 * @param build reads what it needs; called once for each attempt. It can take positions beside what it reads when nothing refuses the request any more.
 * @param kinds that it is going to change in any case: their positions are taken while it reads. Those of others are taken when it will not be refused.
 * @throws StoreUnavailable when the time of the request is over; BatchTooLarge, TooManyJobs; and the errors of `build`.
 */
export async function commit<Result>(
  session: Session,
  build: (attempt: number, take: Positions['request']) => Promise<UnitOfWork<Result>>,
  kinds: readonly Kind[] = [],
): Promise<Result> {
  try {
    return await buildAndApply(session, build, kinds);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    // An attempt of the same request that was in progress has changed what this one is refused for.
    const recorded = await findRecordedResult(session);
    if (!recorded) throw error;
    return recorded.result as Result;
  }
}
