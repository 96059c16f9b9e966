/**
 * The transactions of a simulation. Writers send them as the service does. DynamoDB executes a transaction early or late, also after its
 * writer gave it up, or never, and responses are lost.
 */

import {
  decodeRecord,
  type LogRecord,
  recordWrites,
  stampPrefix,
  transactionStamp,
} from '#functions/store/model/change-log.ts';
import type { Change } from '#functions/store/model/changes.ts';
import type { DeletedEntity, StoredEntity } from '#functions/store/model/entity.ts';
import { ConditionFailed, TransactionExpired } from '#functions/store/model/errors.ts';
import { marginMs, maxCommitMs } from '#functions/store/model/log-timing.ts';
import { applyOnce } from '#functions/store/unit-of-work/apply-once.ts';
import type { Machine } from './machine.ts';
import type { MemoryLog } from './memory-log.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

export type State = ReadonlyMap<string, StoredEntity>;

/** Milliseconds that a writer has for one change set. */
const maxRequestMs = 30_000;

/** A writer that stops while it waits for a response, or because its time is over. */
class WriterStopped extends Error {}

/** The change set of one request, and how often it was applied. */
interface Request {
  readonly changes: readonly Change[];
  readonly machine: Machine;
  /** When its time is over. */
  readonly endsAt: number;
  applied: number;
}

interface Transaction {
  readonly request: Request;
  readonly record: LogRecord;
  /** When its writer gives it up, by the writer's time. */
  readonly sendUntil: number;
  /** When its writer gives it up. */
  readonly expiresAt: number;
  /** The latest time at which it may be executed. */
  readonly latestAt: number;
  state: 'sent' | 'applied' | 'withdrawn';
}

/** What a simulation counted of its transactions. */
export interface TransactionCounts {
  commits: number;
  /** Commits that were later than the margin of compaction. */
  lateCommits: number;
  /** Commits that were rejected because another one was faster. */
  conflicts: number;
  /** Change sets that were sent again, in another transaction. */
  rebuilt: number;
  /** Transactions in doubt that had been applied. */
  foundApplied: number;
  /** Transactions that reached DynamoDB after they were withdrawn. */
  executedTooLate: number;
  restored: number;
  stoppedWriters: number;
}

export interface Simulated {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly log: MemoryLog;
  readonly tenant: string;
  readonly counts: TransactionCounts;
  /** The longest time from the stamp of a transaction to its execution, in milliseconds. */
  readonly maxExecutionMs: number;
  /** Called after each commit, as the stream of the table. */
  readonly onCommit: (record: LogRecord) => void;
}

const idOf = ({ before, after }: Change): { readonly id: string } =>
  ((after ?? before) as StoredEntity | DeletedEntity).entity;

export class Transactions {
  /** The state after each commit. */
  readonly states: State[] = [new Map()];
  readonly #simulated: Simulated;
  readonly #deleted = new Map<string, DeletedEntity>();
  #built = 0;

  constructor(simulated: Simulated) {
    this.#simulated = simulated;
  }

  get state(): State {
    return this.states.at(-1) as State;
  }

  /**
   * Applies the change set of one request.
   * @throws Error when it was applied several times, or when its outcome is not the one that the request reports.
   */
  async apply(changes: readonly Change[], machine: Machine): Promise<void> {
    const { time, counts } = this.#simulated;
    const request: Request = { changes, machine, endsAt: time.now + maxRequestMs, applied: 0 };
    try {
      await applyOnce(await this.#build(request), {
        send: (transaction) => this.#send(transaction),
        withdraw: (transaction) => this.#withdraw(transaction),
        rebuild: () => this.#rebuild(request),
      });
    } catch (error) {
      if (error instanceof WriterStopped) {
        counts.stoppedWriters += 1;
        return;
      }
      if (!(error instanceof ConditionFailed)) throw error;
      if (request.applied > 0) throw new Error('A request reports a conflict although it was applied.');
      return;
    }
    if (request.applied === 0) throw new Error('A request reports success although it was not applied.');
  }

  async #build(request: Request): Promise<Transaction> {
    const { time, tenant, maxExecutionMs } = this.#simulated;
    const nowMs = await request.machine.now();
    const stamp = transactionStamp(request.changes, nowMs);
    this.#built += 1;
    // Random keys would make a history different every time.
    const key = `${stampPrefix(stamp)}#${String(this.#built).padStart(6, '0')}`;
    const [write] = recordWrites(tenant, request.changes, stamp);
    if (!write) throw new Error('A change set without changes.');
    return {
      request,
      record: { ...decodeRecord(write.put), key },
      sendUntil: nowMs + maxCommitMs,
      expiresAt: time.now + maxCommitMs,
      latestAt: time.now + maxExecutionMs,
      state: 'sent',
    };
  }

  async #rebuild(request: Request): Promise<Transaction> {
    const { time, random, counts } = this.#simulated;
    await time.wait(random.below(100));
    counts.rebuilt += 1;
    return this.#build(request);
  }

  /** Sends a transaction: DynamoDB executes it, refuses it as long as it is sent, or never receives it. */
  async #send(transaction: Transaction): Promise<void> {
    const { time, random } = this.#simulated;
    if (time.now > transaction.request.endsAt) throw new WriterStopped();
    const { machine } = transaction.request;
    if (random.chance(0.03)) await machine.suspend();
    if ((await machine.now()) >= transaction.sendUntil) throw new TransactionExpired(false);
    if (random.chance(0.05)) return this.#expire(transaction, { isInDoubt: false });
    if (random.chance(0.03)) return this.#expire(transaction, { isInDoubt: true });
    const delay = this.#executionDelay(transaction);
    const isAnswered = time.now + delay <= transaction.expiresAt && !random.chance(0.05);
    const executed = this.#executeLater(transaction, delay);
    if (isAnswered) return executed();
    if (random.chance(0.4)) throw new WriterStopped();
    return this.#expire(transaction, { isInDoubt: true });
  }

  /** Waits until the writer gives a transaction up. @throws TransactionExpired. */
  async #expire({ expiresAt }: Transaction, { isInDoubt }: { isInDoubt: boolean }): Promise<never> {
    const { time } = this.#simulated;
    await time.wait(Math.max(1, expiresAt - time.now));
    throw new TransactionExpired(isInDoubt, undefined);
  }

  #executionDelay({ latestAt }: Transaction): number {
    const { time, random } = this.#simulated;
    const maxDelay = Math.max(0, latestAt - time.now);
    if (random.chance(0.15)) return maxDelay * (0.75 + random.next() / 4);
    return Math.min(maxDelay, random.below(random.chance(0.3) ? 5_000 : 100));
  }

  /** Executes a transaction after some time. Returns a function that waits for the response. */
  #executeLater(transaction: Transaction, delay: number): () => Promise<void> {
    const { time } = this.#simulated;
    const response = new Promise<boolean>((resolve) => {
      time.start(async () => {
        await time.wait(delay);
        resolve(this.#execute(transaction));
      });
    });
    return async () => {
      if (!(await response)) throw new ConditionFailed([0], undefined);
    };
  }

  /** The deleted entities that can be restored, in the order of their deletions. */
  get deleted(): ReadonlyMap<string, DeletedEntity> {
    return this.#deleted;
  }

  /** Returns what the item of the entity of a change stores. */
  #stored(change: Change): StoredEntity | DeletedEntity | undefined {
    const { id } = idOf(change);
    return this.state.get(id) ?? this.#deleted.get(id);
  }

  /** Executes a transaction. Returns whether its conditions hold. */
  #execute(transaction: Transaction): boolean {
    const { counts, log } = this.#simulated;
    const { request, record } = transaction;
    if (transaction.state === 'withdrawn') counts.executedTooLate += 1;
    if (transaction.state !== 'sent') return false;
    const isCurrent = request.changes.every(
      (change) => this.#stored(change)?.version === change.before?.version,
    );
    if (!isCurrent) {
      counts.conflicts += 1;
      return false;
    }
    request.applied += 1;
    if (request.applied > 1) throw new Error('A request was applied twice.');
    const state = new Map(this.state);
    for (const change of request.changes) {
      const { id } = idOf(change);
      const { stamp } = record;
      const after = change.after && { ...change.after, stamp };
      if (change.before?.deletion) counts.restored += 1;
      state.delete(id);
      this.#deleted.delete(id);
      if (after?.deletion) this.#deleted.set(id, after);
      else if (after) state.set(id, after);
    }
    counts.commits += 1;
    if (this.#simulated.time.now - record.stamp > marginMs) counts.lateCommits += 1;
    this.#simulated.onCommit(record);
    transaction.state = 'applied';
    this.states.push(state);
    log.add(record);
    return true;
  }

  /** Puts an empty record, unless the transaction has put its own. */
  async #withdraw(transaction: Transaction): Promise<boolean> {
    const { time, random, counts, log } = this.#simulated;
    await time.wait(random.below(150));
    if (transaction.state === 'applied') {
      counts.foundApplied += 1;
      return false;
    }
    transaction.state = 'withdrawn';
    log.add({ ...transaction.record, entries: [] });
    return true;
  }
}
