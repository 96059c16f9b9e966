import { adjustments } from '../lists/counted-index/adjustments.ts';
import { type Beginning, beginSections } from '../lists/counted-index/sections.ts';
import { type Change, changeWrite } from '../model/changes.ts';
import { ConditionFailed, StoreUnavailable } from '../model/errors.ts';
import { largestTransaction, type Write } from '../model/writes.ts';
import { keepResult, previousResult } from './idempotency.ts';
import type { Session } from './session.ts';

/** What is to happen, all of it or nothing. */
export interface Work {
  /** What becomes of entities. */
  readonly changes: readonly Change[];
  /** Writes of other items, like jobs. */
  readonly writes?: readonly Write[];
}

/** Work, and what to answer when it is done. */
export interface Plan<Result> extends Work {
  /** Done instead when the work outgrows one transaction; it leaves the rest to a job. */
  readonly orElse?: Work;
  readonly result: Result;
}

/** A transaction that is ready to be done. */
interface Transaction {
  readonly writes: readonly Write[];
  /** Sections of the counted index to begin beside it. */
  readonly beginnings: readonly Beginning[];
}

/** Largest sum of item sizes in a transaction is 4 MB; JSON is never much smaller than DynamoDB's own measure. */
const largestTransactionBytes = 3_500_000;

/** The writes of some work, and others that belong to it: of the entities, of the counters that count them. */
async function prepare(
  session: Session,
  { changes, writes = [] }: Work,
  others: readonly Write[] = [],
): Promise<Transaction> {
  const { writes: additions, beginnings } = await adjustments(session, changes);
  const own = changes.map((change) => changeWrite(session.tenant, change));
  return { writes: [...own, ...writes, ...others, ...additions], beginnings };
}

/** Whether it can be one transaction. */
function fitsOneTransaction({ writes }: Transaction): boolean {
  if (writes.length > largestTransaction) return false;
  let bytes = 0;
  for (const write of writes) {
    // An item is at most 400 KB: only many can be too large.
    if ('put' in write && writes.length > 8) bytes += Buffer.byteLength(JSON.stringify(write.put));
  }
  return bytes <= largestTransactionBytes;
}

/** Does a transaction. Sections are begun at the same time: one that turns out not to be needed stays empty. */
async function transact(session: Session, { writes, beginnings }: Transaction): Promise<void> {
  if (writes.length === 0) return;
  await Promise.all([session.database.transact(writes), beginSections(session, beginnings)]);
}

/** Several pieces of work as one. */
export const together = (pieces: readonly Work[]): Work => ({
  changes: pieces.flatMap(({ changes }) => changes),
  writes: pieces.flatMap(({ writes = [] }) => writes),
});

/** Does some work that always fits into one transaction. */
export const perform = async (session: Session, work: Work): Promise<void> =>
  transact(session, await prepare(session, work));

/**
 * Does pieces of work one after the other, as many in one transaction as fit; each piece is done whole or not
 * at all.
 * @param most pieces in a transaction.
 */
export async function performInPortions(
  session: Session,
  pieces: readonly Work[],
  most: number,
): Promise<void> {
  for (let start = 0; start < pieces.length; start += most) {
    const portion = pieces.slice(start, start + most);
    const transaction = await prepare(session, together(portion));
    if (portion.length === 1 || fitsOneTransaction(transaction)) await transact(session, transaction);
    else await performInPortions(session, portion, Math.ceil(portion.length / 2));
  }
}

/**
 * Reads, decides and writes, all or nothing: when something that the plan relies on changed before it was
 * written, it is made anew. A request under an idempotency key is done once, and answered the same ever after.
 *
 * @param makePlan reads what it needs and throws the domain's errors; it runs once per try.
 */
export async function commit<Result>(
  session: Session,
  makePlan: (attempt: number) => Promise<Plan<Result>>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const previous = await previousResult(session);
    if (previous) return previous.result as Result;
    const { orElse, result, ...work } = await makePlan(attempt);
    const record = keepResult(session, result);
    try {
      const whole = await prepare(session, work, record);
      await transact(
        session,
        orElse && !fitsOneTransaction(whole) ? await prepare(session, orElse, record) : whole,
      );
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (!(await session.database.deadline.backOff(attempt))) throw new StoreUnavailable(error);
    }
  }
}
