/** All calls to DynamoDB, repeated within the time of a request. */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { randomId } from '../../runtime/time-and-chance.ts';
import { isDeletedItem } from '../model/deletion.ts';
import {
  ClockUncertain,
  ConditionFailed,
  ReadBudgetExceeded,
  StoreUnavailable,
  TransactionExpired,
} from '../model/errors.ts';
import { lateAfterMs, maxClockErrorMs } from '../model/log-timing.ts';
import type { Condition, Item, Key, Write } from '../model/writes.ts';
import { Calls, type Limits, noLimits } from './calls.ts';
import { Deadline } from './deadline.ts';
import { explainCancellation, isConflict, isRetryable, type SdkError } from './error-classification.ts';
import type { DynamoDb } from './operations.ts';
import type { Consumption, Query, QueryPage, Values } from './query.ts';
import { toConditionInput, toTransactItem } from './transact-items.ts';

/** The key of no item. */
const timeKey: Key = { pk: '#time', sk: '#time' };

/** Keys in one `BatchGetItem`. */
const maxBatchKeys = 100;

/** What a read returns. Only what restores, lists or audits deleted entities asks for them: to all other reads they are absent. */
interface ReadOptions {
  readonly withDeleted?: boolean;
}

const visible = (items: Item[], { withDeleted = false }: ReadOptions): Item[] =>
  withDeleted ? items : items.filter((item) => !isDeletedItem(item));

/**
 * DynamoDB for one request. It retries what may succeed until the deadline, and counts what calls cost. It writes entities only in
 * transactions with a token: a conditional `PutItem` whose response is lost fails when it is sent again, although it was applied.
 */
export class Database {
  readonly deadline: Deadline;
  readonly tableName: string;
  readonly #client: DynamoDb;
  readonly #calls: Calls;
  readonly #limits: Limits;

  /** @param limits of a request. Jobs and commands have none. */
  constructor(client: DynamoDb, tableName: string, deadline: Deadline, limits = noLimits) {
    this.#client = client;
    this.tableName = tableName;
    this.deadline = deadline;
    this.#calls = new Calls(deadline, limits);
    this.#limits = limits;
  }

  /**
   * Returns DynamoDB's time, in milliseconds since 1970: everything that is stored or compared uses it. It needs no call while the responses of
   * the last minute tell the time.
   * @throws ClockUncertain when responses contradict each other; StoreUnavailable when none arrives in the time of the request.
   */
  async time(): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const now = this.#client.clock.now();
      if (now !== undefined) return now;
      if (this.#client.clock.isContradictory()) throw new ClockUncertain();
      const error = await this.#askTime();
      if (this.#client.clock.now() === undefined && !(await this.deadline.backOff(attempt)))
        throw new ClockUncertain(error);
    }
  }

  get consumption(): Consumption {
    return this.#calls.consumption;
  }

  /** Number of calls so far that DynamoDB refused because it received too many. */
  get throttles(): number {
    return this.#calls.throttles;
  }

  /**
   * Reads the entities that a request asks for.
   * @throws ReadBudgetExceeded with `isOfRequest` when these reads by themselves exceed the budget.
   */
  async readRequested<Result>(read: () => Promise<Result>): Promise<Result> {
    const before = this.consumption.readUnits;
    try {
      return await read();
    } catch (error) {
      const isOfRequest = this.consumption.readUnits - before > this.#limits.maxReadUnits;
      if (!(error instanceof ReadBudgetExceeded && isOfRequest)) throw error;
      throw new ReadBudgetExceeded(this.#limits.maxReadUnits, isOfRequest);
    }
  }

  /**
   * Returns a stamp up to which all records are visible: the writer of a later one may still be about to send it. It is at most the margin ago, and
   * later the more exactly this process knows the time.
   * @throws the errors of `time`.
   */
  async settledTime(): Promise<number> {
    const now = await this.time();
    return (this.#client.clock.earliest() ?? now - maxClockErrorMs) - lateAfterMs;
  }

  /** Reads one item consistently. */
  async get(key: Key, options: ReadOptions = {}): Promise<Item | undefined> {
    const output = await this.#calls.retry('readUnits', (abortSignal) =>
      this.#client.getItem(
        { TableName: this.tableName, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' },
        abortSignal,
      ),
    );
    const items = output.Item ? [output.Item as Item] : [];
    return visible(items, options)[0];
  }

  /**
   * Reads items, in any order. Items that do not exist are absent.
   * @param isConsistent without it, a read costs half as much, and may miss the writes of the last moment.
   */
  async getMany(keys: readonly Key[], isConsistent = true, options: ReadOptions = {}): Promise<Item[]> {
    const batches = Array.from({ length: Math.ceil(keys.length / maxBatchKeys) }, (_, batch) =>
      this.#getBatch(keys.slice(batch * maxBatchKeys, (batch + 1) * maxBatchKeys), isConsistent),
    );
    return visible((await Promise.all(batches)).flat(), options);
  }

  async #getBatch(keys: readonly Key[], isConsistent: boolean): Promise<Item[]> {
    const found: Item[] = [];
    let wanted: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
    // DynamoDB truncates responses at 16 MB and under load, and reports the rest in UnprocessedKeys, not by an error.
    for (let attempt = 1; ; attempt += 1) {
      const request = { [this.tableName]: { Keys: wanted, ConsistentRead: isConsistent } };
      const output = await this.#calls.retry('readUnits', (abortSignal) =>
        this.#client.batchGetItem({ RequestItems: request, ReturnConsumedCapacity: 'TOTAL' }, abortSignal),
      );
      found.push(...((output.Responses?.[this.tableName] ?? []) as Item[]));
      wanted = output.UnprocessedKeys?.[this.tableName]?.Keys ?? [];
      if (wanted.length === 0) return found;
      if (!(await this.deadline.backOff(attempt))) throw new StoreUnavailable('unprocessed keys');
    }
  }

  /**
   * Reads one page of a query, at most 1 MB.
   * @param start the `next` of the previous page.
   */
  async query(query: Query, start?: Values, options: ReadOptions = {}): Promise<QueryPage> {
    const request = {
      ...query,
      ExclusiveStartKey: start,
      TableName: this.tableName,
      ReturnConsumedCapacity: 'TOTAL' as const,
    };
    const output = await this.#calls.retry('readUnits', (abortSignal) =>
      this.#client.query(request, abortSignal),
    );
    const { Items = [], LastEvaluatedKey: next } = output;
    return { items: visible(Items as Item[], options), next };
  }

  /** Reads all pages of a query, one after the other. */
  async *pages(query: Query): AsyncGenerator<QueryPage, void, undefined> {
    let start: Values | undefined;
    do {
      const page = await this.query(query, start);
      yield page;
      start = page.next;
    } while (start);
  }

  /**
   * Applies all writes, or none.
   * @param sendUntil the time until which the transaction may be sent, milliseconds since 1970, if it ends before the time of the request.
   * @throws ConditionFailed with the positions of the writes whose conditions do not hold.
   * @throws TransactionExpired when that time is over.
   * @throws StoreUnavailable when the time of the request is over. The writes may have been applied all the same. KeysThrottled when DynamoDB has
   * refused several attempts because of their keys.
   */
  async transact(writes: readonly Write[], sendUntil?: number): Promise<void> {
    const request = this.#transaction(writes);
    // Whether an attempt may have been applied although no response arrived.
    let isInDoubt = false;
    const attempts = this.#calls.attempts();
    for (;;) {
      const deadline = await this.#limit(sendUntil);
      if (deadline !== this.deadline && deadline.remaining() <= 0) throw new TransactionExpired(isInDoubt);
      const error = await this.#attempt(request, deadline);
      if (!error) return;
      const cancellation = explainCancellation(error);
      const { failed } = cancellation;
      if (failed.length > 0) throw new ConditionFailed(failed, error);
      if (!isRetryable(error)) throw error;
      isInDoubt ||= cancellation.isInDoubt;
      // The time of the request can end before a limit that ends earlier: nobody may wait for the response any more.
      if (this.deadline.remaining() <= 0) throw this.#timeout(this.deadline, isInDoubt, error);
      if (!(await attempts.backOff(error, deadline))) throw this.#timeout(deadline, isInDoubt, error);
    }
  }

  /**
   * Puts one item, not in a transaction. For items whose repeated put does no harm: after a lost response, the condition of the repeated
   * one can fail although the first one was applied.
   * @throws ConditionFailed when the condition does not hold.
   */
  async putItem(item: Item, condition?: Condition): Promise<void> {
    const input = { Item: item, ...this.#writeOf(condition) };
    await this.#write((abortSignal) => this.#client.putItem(input, abortSignal));
  }

  /**
   * Deletes one item, not in a transaction. Without a condition, an item that does not exist is not an error. With one, see `putItem`.
   * @throws ConditionFailed when the condition does not hold.
   */
  async deleteItem(key: Key, condition?: Condition): Promise<void> {
    const input = { Key: { ...key }, ...this.#writeOf(condition) };
    await this.#write((abortSignal) => this.#client.deleteItem(input, abortSignal));
  }

  #writeOf(condition: Condition | undefined) {
    return {
      TableName: this.tableName,
      ...toConditionInput(condition),
      ReturnConsumedCapacity: 'TOTAL' as const,
    };
  }

  /** Writes one item, not in a transaction. */
  async #write(call: Parameters<Calls['retry']>[1]): Promise<void> {
    try {
      await this.#calls.retry('writeUnits', call);
    } catch (error) {
      if ((error as SdkError).name !== 'ConditionalCheckFailedException') throw error;
      throw new ConditionFailed([0], error);
    }
  }

  /**
   * Makes one attempt at writes that are not necessary, and ignores its failure.
   * @param maxMs milliseconds after which it gives up.
   */
  async transactOnce(writes: readonly Write[], maxMs: number): Promise<void> {
    const deadline = new Deadline(Math.min(maxMs, this.deadline.remaining()));
    await this.#attempt(this.#transaction(writes), deadline);
  }

  /**
   * Returns the time that an attempt has. The time of day decides before each attempt: the timers of a process stand still while its machine is
   * suspended.
   */
  async #limit(sendUntil: number | undefined): Promise<Deadline> {
    if (sendUntil === undefined) return this.deadline;
    const leftMs = sendUntil - (await this.time());
    return leftMs < this.deadline.remaining() ? new Deadline(leftMs) : this.deadline;
  }

  /**
   * Asks DynamoDB for the time. Where something between refuses the request without charge, the smallest read asks: each response tells the time,
   * that of a read without permission too. Returns the error when no response arrives.
   */
  async #askTime(): Promise<unknown> {
    try {
      await this.deadline.limit((abortSignal) => this.#client.askTime(abortSignal));
      return undefined;
    } catch {
      const read = { TableName: this.tableName, Key: { ...timeKey } };
      return this.deadline
        .limit((abortSignal) => this.#client.getItem(read, abortSignal))
        .then(() => undefined)
        .catch((error: unknown) => error);
    }
  }

  #timeout(deadline: Deadline, isInDoubt: boolean, cause: SdkError): Error {
    if (deadline === this.deadline) return new StoreUnavailable(cause, isConflict(cause));
    return new TransactionExpired(isInDoubt, cause);
  }

  /** Sends a transaction once. Returns the error when it fails. */
  async #attempt(request: TransactWriteCommandInput, deadline: Deadline): Promise<SdkError | undefined> {
    try {
      const call = deadline.limit((abortSignal) => this.#client.transactWriteItems(request, abortSignal));
      await this.#calls.measure('writeUnits', call);
      return undefined;
    } catch (error) {
      return error as SdkError;
    }
  }

  /** Returns a transaction whose attempts share one token: DynamoDB applies them once and repeats the response. */
  #transaction(writes: readonly Write[]): TransactWriteCommandInput {
    return {
      TransactItems: writes.map((write) => toTransactItem(write, this.tableName)),
      ClientRequestToken: randomId(),
      ReturnConsumedCapacity: 'TOTAL',
    };
  }
}
