/** All calls to DynamoDB, repeated within the time of a request. */

import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { randomId } from '../../runtime/time-and-chance.ts';
import { isDeletedItem } from '../model/deletion.ts';
import { ClockWrong, conditionHolds, ReadBudgetExceeded, StoreUnavailable } from '../model/errors.ts';
import { table } from '../model/table.ts';
import { type Condition, exists, type Item, type Key, type Write } from '../model/writes.ts';
import { Calls, type Limits, noLimits } from './calls.ts';
import type { Deadline } from './deadline.ts';
import type { DynamoDb } from './operations.ts';
import type { Consumption, Query, QueryPage, Values } from './query.ts';

type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Milliseconds by which the clock of a process that writes may be wrong. Its time dates entities and leases; nothing is ordered by it. Machines of AWS
 * differ by milliseconds, and DynamoDB refuses signatures of about this age.
 */
const maxClockErrorMs = 300_000;

/** Milliseconds of a request that are kept for finding out what became of a transaction: one attempt that hangs, and another one. */
const doubtReserveMs = 3_000;

const countAttribute = 'count';

/** Returns the number of a counter; 0 when there is none. */
export const countOf = (counter: Item | undefined): number =>
  (counter?.[countAttribute] as number | undefined) ?? 0;

export const countItem = (key: Key, count: number): Item => ({ ...key, [countAttribute]: count });

const maxBatchKeys = 100;

/** What a read returns. Only what restores, lists or audits deleted entities asks for them: to all other reads they are absent. */
interface ReadOptions {
  readonly withDeleted?: boolean;
}

/** Returns the condition of a write as a part of a request, without the names and values that it does not have. */
const toConditionInput = (condition: Condition | undefined) =>
  condition && {
    ConditionExpression: condition.expression,
    ...(condition.names && { ExpressionAttributeNames: { ...condition.names } }),
    ...(condition.values && { ExpressionAttributeValues: condition.values }),
  };

/** Returns the update that sets when DynamoDB deletes an item, or that it does not. */
const expiryUpdate = (expiresAt: number | undefined) => ({
  UpdateExpression: expiresAt === undefined ? 'REMOVE #expiry' : 'SET #expiry = :expiry',
  ExpressionAttributeNames: { '#expiry': table.timeToLive },
  ...(expiresAt !== undefined && { ExpressionAttributeValues: { ':expiry': expiresAt } }),
});

function toTransactItem(write: Write, TableName: string): TransactWriteItem {
  const condition = {
    TableName,
    ...toConditionInput(write.condition),
  };
  if ('put' in write) return { Put: { ...condition, Item: write.put } };
  if ('remove' in write) return { Delete: { ...condition, Key: write.remove } };
  // The condition of the entity's own write holds for its text.
  return { Update: { TableName, Key: write.setExpiry, ...expiryUpdate(write.expiresAt) } };
}

type SeeItems = (items: Item[]) => Promise<Item[]>;

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
  readonly #see: SeeItems | undefined;
  /** The same database, with all that it has. */
  readonly whole: Database;

  /**
   * @param limits of a request. Jobs and commands have none.
   * @param restriction of a database that leaves out what a viewer does not see.
   */
  constructor(
    client: DynamoDb,
    tableName: string,
    deadline: Deadline,
    limits = noLimits,
    restriction?: { readonly whole: Database; readonly see: SeeItems },
  ) {
    this.#client = client;
    this.tableName = tableName;
    this.deadline = deadline;
    this.#calls = restriction ? restriction.whole.#calls : new Calls(deadline, limits);
    this.#limits = limits;
    this.#see = restriction?.see;
    this.whole = restriction?.whole ?? this;
  }

  /** Returns a database whose reads, by key or by query, leave out what a function leaves out. Both count their calls together. */
  restricted(see: SeeItems): Database {
    const restriction = { whole: this, see };
    return new Database(this.#client, this.tableName, this.deadline, this.#limits, restriction);
  }

  async #visible(items: Item[], { withDeleted = false }: ReadOptions): Promise<Item[]> {
    const existing = withDeleted ? items : items.filter((item) => !isDeletedItem(item));
    return this.#see ? this.#see(existing) : existing;
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

  async get(key: Key, options: ReadOptions = {}): Promise<Item | undefined> {
    const output = await this.#calls.retry('readUnits', (abortSignal) =>
      this.#client.getItem(
        { TableName: this.tableName, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' },
        abortSignal,
      ),
    );
    const items = output.Item ? [output.Item as Item] : [];
    return (await this.#visible(items, options))[0];
  }

  /**
   * Reads items, in any order. Items that do not exist are absent.
   * @param isConsistent without it, a read costs half as much, and may miss the writes of the last moment.
   */
  async getMany(keys: readonly Key[], isConsistent = true, options: ReadOptions = {}): Promise<Item[]> {
    const batches = Array.from({ length: Math.ceil(keys.length / maxBatchKeys) }, (_, batch) =>
      this.#getBatch(keys.slice(batch * maxBatchKeys, (batch + 1) * maxBatchKeys), isConsistent),
    );
    return this.#visible((await Promise.all(batches)).flat(), options);
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
    return { items: await this.#visible(Items as Item[], options), next };
  }

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
   * @param options.isDecidable whether the caller can find out what became of a transaction without a response: some time is left for it.
   * @param options.token of the transaction: with the same one, the same writes are applied once, within ten minutes.
   * @throws ConditionFailed with the positions of the writes whose conditions do not hold.
   * @throws StoreUnavailable when the time of the request is over; ClockWrong; KeysThrottled when DynamoDB has refused several attempts because of
   * their keys. Each of these errors says whether the writes may have been applied all the same.
   */
  async transact(writes: readonly Write[], { isDecidable = false, token = randomId() } = {}): Promise<void> {
    this.#requireClock();
    // All attempts share one token: DynamoDB applies the transaction once and repeats the response.
    const request: TransactWriteCommandInput = {
      TransactItems: writes.map((write) => toTransactItem(write, this.tableName)),
      ClientRequestToken: token,
      ReturnConsumedCapacity: 'TOTAL',
    };
    const deadline = isDecidable ? this.deadline.before(doubtReserveMs) : this.deadline;
    await this.#calls.retry(
      'writeUnits',
      (abortSignal) => this.#client.transactWriteItems(request, abortSignal),
      { deadline, isTransaction: true },
    );
  }

  /**
   * Adds to a counter. By default, it adds one: then each caller gets another number. If the response to an attempt is lost, it is counted again, and no
   * caller gets the number of that attempt.
   * @param options.expiresAt seconds since 1970, after which DynamoDB may delete the counter.
   * @param options.mustExist whether the counter must exist; otherwise it begins with 0.
   * @returns the new value of the counter.
   * @throws ConditionFailed when it must exist and does not.
   */
  async count(
    key: Key,
    added = 1,
    { expiresAt, mustExist = false }: { readonly expiresAt?: number; readonly mustExist?: boolean } = {},
  ): Promise<number> {
    const expires = expiresAt !== undefined;
    const input = {
      TableName: this.tableName,
      Key: { ...key },
      ...toConditionInput(mustExist ? exists : undefined),
      UpdateExpression: `ADD #count :added${expires ? ' SET #expiry = :expiry' : ''}`,
      ExpressionAttributeNames: { '#count': countAttribute, ...(expires && { '#expiry': table.timeToLive }) },
      ExpressionAttributeValues: { ':added': added, ...(expires && { ':expiry': expiresAt }) },
      ReturnValues: 'UPDATED_NEW' as const,
      ReturnConsumedCapacity: 'TOTAL' as const,
    };
    const { Attributes } = await this.#write((abortSignal) => this.#client.updateItem(input, abortSignal));
    return countOf(Attributes as Item);
  }

  /** Raises a counter, unless it is greater already. */
  async raiseCount(key: Key, count: number): Promise<void> {
    const condition = {
      expression: 'attribute_not_exists(pk) OR #count < :count',
      names: { '#count': countAttribute },
      values: { ':count': count },
    };
    await conditionHolds(this.putItem(countItem(key, count), condition));
  }

  /** @throws ClockWrong when nothing may be written with the time of this process. */
  #requireClock(): void {
    const { clockErrorMs } = this.#client;
    if (Math.abs(clockErrorMs) > maxClockErrorMs) throw new ClockWrong(clockErrorMs);
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

  async #write<Output extends { readonly ConsumedCapacity?: ConsumedCapacity | undefined }>(
    call: (abortSignal: AbortSignal) => Promise<Output>,
  ): Promise<Output> {
    this.#requireClock();
    return this.#calls.retry('writeUnits', call);
  }
}
