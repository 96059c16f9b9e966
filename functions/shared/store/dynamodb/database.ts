import { randomUUID } from 'node:crypto';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { ConditionFailed, StoreUnavailable } from '../model/errors.ts';
import { type Item, type Key, transactItem, type Write } from '../model/writes.ts';
import { Deadline } from './deadline.ts';
import { drawParts, widen } from './spread.ts';

/** A query of the one table. */
export type Query = Omit<
  QueryCommandInput,
  'TableName' | 'ReturnConsumedCapacity' | 'ExclusiveStartKey' | 'ExpressionAttributeValues'
> & { readonly ExpressionAttributeValues: Values };

type Values = Readonly<Record<string, unknown>>;

/** One page of a query. */
export interface QueryPage {
  readonly items: Item[];
  /** Where the next page begins, if there is one. */
  readonly next: Values | undefined;
  /** How many items there are on it, also when only they were asked for. */
  readonly count: number;
  /** How many items were looked at, those that a filter left out included. */
  readonly examined: number;
}

/** What the database was asked for, and what it says that this cost. */
export interface Consumption {
  calls: number;
  readUnits: number;
  writeUnits: number;
  milliseconds: number;
}

interface CapacityReport {
  readonly CapacityUnits?: number | undefined;
}

interface Reply {
  readonly ConsumedCapacity?: CapacityReport | CapacityReport[] | undefined;
}

type Units = 'readUnits' | 'writeUnits';

interface SdkError extends Error {
  readonly $fault?: 'client' | 'server';
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Reasons to cancel a transaction that may not hold at the next try. */
const passingReasons = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
]);

/** Errors of the service that may not happen at the next try; besides all with `$fault` "server". */
const passingErrors = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  // The first try of this very token is still under way: its reply was lost.
  'TransactionInProgressException',
  // DynamoDB takes no signature that is five minutes off; the SDK has just learnt from the refusal how late it is.
  'InvalidSignatureException',
]);

/** An answer of success that says nothing of its cost: DynamoDB did not give it, or only its head arrived. */
class ForeignAnswer extends Error {
  constructor() {
    super('The answer is not of DynamoDB.');
    this.name = 'ForeignAnswer';
  }
}

/** Why each write of a cancelled transaction was refused, by its position; nothing for any other error. */
const cancellationReasons = (error: unknown): string[] =>
  ((error as SdkError).CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');

/** What an error says of a transaction: which conditions failed, where others were in the way, and whether it was done. */
function outcomeOf(error: unknown, writes: readonly Write[]) {
  const reasons = cancellationReasons(error);
  const failed: number[] = [];
  const contended: Key[] = [];
  for (const [position, reason] of reasons.entries()) {
    const write = writes[position];
    if (reason === 'ConditionalCheckFailed') failed.push(position);
    else if (reason === 'TransactionConflict' && write && 'addTo' in write) contended.push(write.addTo);
  }
  return { failed, contended, isDone: reasons.length > 0 ? ('no' as const) : ('unknown' as const) };
}

/** Errors of the SDK's HTTP handler: a timeout, and a call whose signal was aborted. */
const transportErrors = new Set(['TimeoutError', 'AbortError']);

/** Whether no response arrived, or not all of it: the errors of Node.js's sockets and of its HTTP parser have a code. */
const isConnectionError = (error: SdkError & { readonly code?: unknown }): boolean =>
  transportErrors.has(error.name) || (error.$fault === undefined && typeof error.code === 'string');

function isPassing(error: SdkError): boolean {
  if (error.name === 'TransactionCanceledException') {
    return cancellationReasons(error).every((reason) => reason === 'None' || passingReasons.has(reason));
  }
  // A response that is not DynamoDB's may show as a SyntaxError of the SDK's JSON parser.
  return (
    error.$fault === 'server' ||
    passingErrors.has(error.name) ||
    isConnectionError(error) ||
    error instanceof SyntaxError ||
    error instanceof ForeignAnswer
  );
}

/**
 * The one door to DynamoDB, for one request: it retries what may succeed the next time until the deadline,
 * counts what it costs, and writes only in transactions with a token of their own, because a plain conditional
 * write whose reply is lost is answered wrongly when it is tried again.
 */
export class Database {
  readonly consumption: Consumption = { calls: 0, readUnits: 0, writeUnits: 0, milliseconds: 0 };
  readonly deadline: Deadline;
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string, deadline: Deadline) {
    this.#client = client;
    this.#tableName = tableName;
    this.deadline = deadline;
  }

  /** Reads one item as the last write left it. */
  async get(key: Key): Promise<Item | undefined> {
    const output = await this.#retry('readUnits', (abortSignal) =>
      this.#client.send(
        new GetCommand({
          TableName: this.#tableName,
          Key: key,
          ConsistentRead: true,
          ReturnConsumedCapacity: 'TOTAL',
        }),
        { abortSignal },
      ),
    );
    return output.Item as Item | undefined;
  }

  /** Reads items as the last write left them, in no order; those that do not exist are left out. */
  async getMany(keys: readonly Key[]): Promise<Item[]> {
    const batches = Array.from({ length: Math.ceil(keys.length / 100) }, (_, batch) =>
      this.#getBatch(keys.slice(batch * 100, batch * 100 + 100)),
    );
    return (await Promise.all(batches)).flat();
  }

  async #getBatch(keys: readonly Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let wanted: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
    // An answer is cut at 16 MB, and under load; what it left out is said in UnprocessedKeys, not by an error.
    for (let attempt = 1; ; attempt += 1) {
      const request = { [this.#tableName]: { Keys: wanted, ConsistentRead: true } };
      const output = await this.#retry('readUnits', (abortSignal) =>
        this.#client.send(new BatchGetCommand({ RequestItems: request, ReturnConsumedCapacity: 'TOTAL' }), {
          abortSignal,
        }),
      );
      found.push(...((output.Responses?.[this.#tableName] ?? []) as Item[]));
      wanted = output.UnprocessedKeys?.[this.#tableName]?.Keys ?? [];
      if (wanted.length === 0) return found;
      if (!(await this.deadline.backOff(attempt))) throw new StoreUnavailable('unprocessed keys');
    }
  }

  /**
   * Reads one page of an index, at most 1 MB.
   * @param start where it begins: where the page before it ended.
   */
  async query(query: Query, start?: Values): Promise<QueryPage> {
    const request = {
      ...query,
      ExclusiveStartKey: start,
      TableName: this.#tableName,
      ReturnConsumedCapacity: 'TOTAL' as const,
    };
    const output = await this.#retry('readUnits', (abortSignal) =>
      this.#client.send(new QueryCommand(request), { abortSignal }),
    );
    const { Items = [], LastEvaluatedKey: last, Count: count = 0, ScannedCount: examined = 0 } = output;
    return { items: Items as Item[], next: last, count, examined };
  }

  /** Reads all pages of a query, one after the other; items that a filter leaves out count as examined. */
  async *queryPages(query: Query): AsyncGenerator<QueryPage, void, undefined> {
    yield* this.#pagesFrom(query, undefined);
  }

  async *#pagesFrom(query: Query, first: Values | undefined): AsyncGenerator<QueryPage, void, undefined> {
    let start = first;
    do {
      const page = await this.query(query, start);
      yield page;
      start = page.next;
    } while (start);
  }

  /** Reads the items of all pages of a query, one page after the other. */
  async *pages(query: Query): AsyncGenerator<Item[], void, undefined> {
    for await (const { items } of this.queryPages(query)) yield items;
  }

  /**
   * Reads up to `count` items of a query, behind the first `skip`. Those cost as much as if they were read, but are
   * not sent.
   */
  async slice(query: Query, skip: number, count: number): Promise<Item[]> {
    let left = skip;
    let start: Values | undefined;
    while (left > 0) {
      // Not those that were looked at: the embedded engine says one too many where it cuts a page at 1 MB.
      const { count: passed, next } = await this.query({ ...query, Limit: left, Select: 'COUNT' }, start);
      if (!next) return [];
      left -= passed;
      start = next;
    }
    const items: Item[] = [];
    for await (const page of this.#pagesFrom({ ...query, Limit: count }, start)) {
      items.push(...page.items);
      if (items.length >= count) break;
    }
    return items.slice(0, count);
  }

  /**
   * Does all of the writes, or none.
   * @throws ConditionFailed with the positions of the writes whose conditions do not hold.
   * @throws StoreUnavailable when it could not be done in time. It may have happened all the same.
   */
  async transact(writes: readonly Write[]): Promise<void> {
    let request = this.#transaction(writes);
    // Whether a try may have been done without our hearing of it: then only its own token tells.
    let isInDoubt = false;
    for (let attempt = 1; ; attempt += 1) {
      const error = await this.#failure(request, this.deadline);
      if (!error) return;
      const { failed, contended, isDone } = outcomeOf(error, writes);
      if (failed.length > 0) throw new ConditionFailed(failed, error);
      if (!isPassing(error)) throw error;
      if (!(await this.deadline.backOff(attempt))) throw new StoreUnavailable(error);
      isInDoubt ||= isDone === 'unknown';
      if (widen(contended) && !isInDoubt) request = this.#transaction(writes);
    }
  }

  /**
   * Tries once, within a time, what need not be done.
   * @param milliseconds after which the try is given up.
   * @returns whether it was done for certain.
   */
  async transactOnce(writes: readonly Write[], milliseconds: number): Promise<boolean> {
    const brief = new Deadline(Math.min(milliseconds, this.deadline.remaining()));
    return (await this.#failure(this.#transaction(writes), brief)) === undefined;
  }

  /** Tries a transaction once; gives the error when it failed. */
  async #failure(request: () => TransactWriteCommand, deadline: Deadline): Promise<SdkError | undefined> {
    try {
      const call = deadline.limit((abortSignal) => this.#client.send(request(), { abortSignal }));
      await this.#measure('writeUnits', call);
      return undefined;
    } catch (error) {
      return error as SdkError;
    }
  }

  /** One token for all tries: a try whose reply was lost is answered again, not done again. */
  #transaction(writes: readonly Write[]): () => TransactWriteCommand {
    const partOf = drawParts();
    const TransactItems = writes.map((write) => transactItem(write, this.#tableName, partOf));
    const ClientRequestToken = randomUUID();
    return () =>
      new TransactWriteCommand({ TransactItems, ClientRequestToken, ReturnConsumedCapacity: 'TOTAL' });
  }

  async #retry<Output extends Reply>(
    units: Units,
    call: (abortSignal: AbortSignal) => Promise<Output>,
  ): Promise<Output> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#measure(units, this.deadline.limit(call));
      } catch (error) {
        if (!isPassing(error as SdkError)) throw error;
        if (!(await this.deadline.backOff(attempt))) throw new StoreUnavailable(error);
      }
    }
  }

  async #measure<Output extends Reply>(units: Units, call: Promise<Output>): Promise<Output> {
    const started = performance.now();
    this.consumption.calls += 1;
    try {
      const output = await call;
      // Every call asks for its cost. Without this, "{}" were an item that does not exist, or a write that was done.
      if (output.ConsumedCapacity === undefined) throw new ForeignAnswer();
      for (const report of [output.ConsumedCapacity ?? []].flat()) {
        this.consumption[units] += report.CapacityUnits ?? 0;
      }
      return output;
    } finally {
      this.consumption.milliseconds += performance.now() - started;
    }
  }
}
