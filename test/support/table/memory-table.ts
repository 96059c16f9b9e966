/**
 * DynamoDB with one table, in the process of a test: without SDK, sockets and timers. It behaves as DynamoDB does, in results, errors and
 * capacity. `differential.ts` compares it with an engine. By default nothing goes wrong and no time passes. `intercept` and `faults`
 * decide what happens to a call: see `faults.ts`.
 *
 * A call goes through three layers. This file has time: what is lost, late or in conflict. `reads.ts` and `writes.ts` have the operations, as pure
 * functions of the items at one moment. `ordered-items.ts` has the items, in the order of the table and of each index.
 */
import type {
  DeleteCommandInput,
  PutCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { type IndexName, table } from '#functions/engine/model/table.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import { delay, now, random, type TimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { transactionalReadUnits } from './capacity.ts';
import type { Course, Intercept, Operation, View } from './course.ts';
import { type CancellationReason, cancelled, conflicted, invalid, TableError } from './errors.ts';
import { drawCourses, type Faults } from './faults.ts';
import { LaggingItems } from './lagging-items.ts';
import { OrderedItems } from './ordered-items.ts';
import { batchGetItem, getItem, type Page, query, scan } from './reads.ts';
import { checkParameters, EmptyKey, tableKeys } from './requests.ts';
import { Tokens } from './tokens.ts';
import { areEqual, copyAttributes } from './values.ts';
import {
  type Change,
  type Plan,
  planDelete,
  planPut,
  planTransactItem,
  planUpdate,
  returnedValues,
  writeUnits,
} from './writes.ts';

export type { Faults };

/** Time and chance of a table. By default, those of the functions. */
type TableTime = Pick<TimeAndChance, 'now' | 'delay' | 'random'>;

/** An item before and after a write. Nobody changes them. */
export interface ItemChange {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
}

/** Writes of one transaction, and bytes of its items. */
const maxTransactionWrites = 100;
const maxTransactionBytes = 2 ** 22;

/** The course of a call that nothing happens to. */
const direct: Course = {};

const never = (): Promise<never> => new Promise(() => {});

const ignore = (): void => undefined;

export class MemoryTable implements DynamoDb {
  readonly tableName: string;
  clockErrorMs = 0;
  /** Decides what happens to the calls from now on, before `faults` do. */
  intercept: Intercept | undefined;
  #drawCourse: Intercept | undefined;
  readonly #time: TableTime;
  readonly #items = new OrderedItems(tableKeys);
  readonly #indexes: Readonly<Record<IndexName, LaggingItems>>;
  /** What stale reads read. It begins with the first write that is late. */
  #replica: LaggingItems | undefined;
  /** Ids of the items that a transaction holds. */
  readonly #held = new Set<string>();
  readonly #tokens = new Tokens();
  readonly #listeners = new Set<(changes: readonly ItemChange[]) => void>();
  #records: DynamoDBRecord[] = [];
  #sequence = 0;
  #calls = 0;

  constructor(tableName = 'table', time: TableTime = { now, delay, random }) {
    this.tableName = tableName;
    this.#time = time;
    const { 'by-creation': byCreation, 'by-status': byStatus } = table.indexes;
    this.#indexes = {
      'by-creation': new LaggingItems(byCreation),
      'by-status': new LaggingItems(byStatus),
    };
  }

  getItem: DynamoDb['getItem'] = (input, abortSignal) =>
    this.#call('GetItem', input, abortSignal, (course) => {
      const { units, ...output } = getItem(this.#source(input, course), input);
      return { ...output, ...this.#capacity(input, units) };
    });

  batchGetItem: DynamoDb['batchGetItem'] = (input, abortSignal) =>
    this.#call('BatchGetItem', input, abortSignal, (course) => {
      const [[name, request] = ['', { Keys: [] }], ...others] = Object.entries(input.RequestItems ?? {});
      this.#checkTable(name);
      if (others.length > 0) throw missingTable();
      const { items, unprocessed, units } = batchGetItem(
        this.#source(request, course),
        request,
        course.maxKeys,
      );
      return {
        Responses: { [name]: items },
        UnprocessedKeys: unprocessed.length > 0 ? { [name]: { ...request, Keys: unprocessed } } : {},
        ...inList(this.#capacity(input, units)),
      };
    });

  query: DynamoDb['query'] = (input, abortSignal) =>
    this.#call('Query', input, abortSignal, (course) =>
      this.#page(input, query(this.#source(input, course), input)),
    );

  scan: DynamoDb['scan'] = (input, abortSignal) =>
    this.#call('Scan', input, abortSignal, (course) =>
      this.#page(input, scan(this.#source(input, course), input)),
    );

  putItem: DynamoDb['putItem'] = (input, abortSignal) =>
    this.#call('PutItem', input, abortSignal, (course) => this.#write(input, planPut(input), course));

  updateItem: DynamoDb['updateItem'] = (input, abortSignal) =>
    this.#call('UpdateItem', input, abortSignal, (course) => this.#write(input, planUpdate(input), course));

  deleteItem: DynamoDb['deleteItem'] = (input, abortSignal) =>
    this.#call('DeleteItem', input, abortSignal, (course) => this.#write(input, planDelete(input), course));

  transactWriteItems: DynamoDb['transactWriteItems'] = (input, abortSignal) =>
    this.#call('TransactWriteItems', input, abortSignal, (course) => this.#transact(input, course));

  destroy(): void {}

  /** What goes wrong at random from now on. */
  set faults(faults: Faults) {
    const isFaulty = Object.keys(faults).length > 0;
    this.#drawCourse = isFaulty ? drawCourses(faults, () => this.#time.random()) : undefined;
  }

  /** Calls a function with the changes of each write or transaction. @returns a function that ends it. */
  onCommit(listener: (changes: readonly ItemChange[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the records of the stream since the last call, in the order of commits. */
  takeRecords(): DynamoDBRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Returns copies of all items, in the order of scans. */
  snapshot(): Item[] {
    return [...this.#items].map(({ item }) => copyAttributes(item) as Item);
  }

  /** Removes all items, records and tokens. */
  clear(): void {
    for (const items of [this.#items, ...Object.values(this.#indexes), this.#tokens]) items.clear();
    this.#replica = undefined;
    this.#records = [];
  }

  /**
   * Deletes the items whose time is over, as DynamoDB does within some days.
   * @param nowSeconds since 1970.
   * @returns the number of items that it deleted.
   */
  expire(nowSeconds = this.#time.now() / 1_000): number {
    const expired = [...this.#items].filter(({ id, item }) => {
      const expiresAt = item[table.timeToLive];
      return typeof expiresAt === 'number' && expiresAt < nowSeconds && !this.#held.has(id);
    });
    const userIdentity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
    for (const before of expired) {
      this.#store({ before, after: undefined }, direct, { userIdentity });
      this.#tell([{ before, after: undefined }]);
    }
    return expired.length;
  }

  /** Performs a call on its course. */
  async #call<Output>(
    operation: Operation,
    input: object,
    abortSignal: AbortSignal | undefined,
    perform: (course: Course) => Output | Promise<Output>,
  ): Promise<Output> {
    if (abortSignal?.aborted) throw aborted();
    checkParameters(input);
    if ('TableName' in input) this.#checkTable(input.TableName);
    this.#calls += 1;
    const call = { operation, input, number: this.#calls };
    const course = this.intercept?.(call) ?? this.#drawCourse?.(call) ?? direct;
    const served = this.#serve(course, perform);
    if (course === direct) return served;
    // It can fail after its caller has stopped waiting.
    served.catch(ignore);
    const received = this.#receive(course, served);
    return course.patienceMs === Number.POSITIVE_INFINITY ? received : untilAborted(received, abortSignal);
  }

  /** What happens at DynamoDB. */
  async #serve<Output>(
    course: Course,
    perform: (course: Course) => Output | Promise<Output>,
  ): Promise<Output> {
    if (course.requestMs) await this.#time.delay(course.requestMs);
    if (course.lost === 'request') return never();
    if (course.refusal) throw course.refusal;
    const output = await perform(course);
    if (course.responseMs) await this.#time.delay(course.responseMs);
    return (course.respond?.(output as object) as Output | undefined) ?? output;
  }

  /** What the caller sees of it. */
  async #receive<Output>(course: Course, served: Promise<Output>): Promise<Output> {
    const { requestMs = 0, holdMs = 0, spreadMs = 0, responseMs = 0, patienceMs } = course;
    const isLate = patienceMs !== undefined && patienceMs < requestMs + holdMs + spreadMs + responseMs;
    if (!course.lost && !isLate) return served;
    if (patienceMs === undefined || patienceMs === Number.POSITIVE_INFINITY) return never();
    if (patienceMs > 0) await this.#time.delay(patienceMs);
    throw course.error ?? connectionLost();
  }

  /** Returns the items that a read reads. */
  #source({ ConsistentRead, IndexName }: ReadRequest, course: Course): OrderedItems {
    const now = this.#time.now();
    if (IndexName !== undefined) {
      if (!Object.hasOwn(this.#indexes, IndexName))
        throw invalid(`The table does not have the specified index: ${IndexName}`);
      return this.#indexes[IndexName as IndexName].at(now);
    }
    return (!ConsistentRead && course.isStale && this.#replica?.at(now)) || this.#items;
  }

  #page(input: CapacityRequest, { units, ...page }: Page) {
    return { ...page, ...this.#capacity(input, units) };
  }

  #write(input: PutCommandInput | UpdateCommandInput | DeleteCommandInput, plan: Plan, course: Course) {
    if (this.#held.has(plan.id)) throw conflicted([true], false);
    const change = this.#change(plan);
    const Attributes = returnedValues(change, input.ReturnValues);
    this.#store(change, course);
    this.#tell([change]);
    return { ...(Attributes && { Attributes }), ...this.#capacity(input, writeUnits(change, 1)) };
  }

  async #transact(input: TransactWriteCommandInput, course: Course) {
    const plans = (input.TransactItems ?? []).map((item) => {
      for (const action of Object.values(item)) this.#checkTable(action?.TableName);
      return planTransactItem(item);
    });
    checkTransaction(plans);
    const replayUnits = this.#tokens.replayUnits(input, this.#time.now());
    if (replayUnits !== undefined) return inList(this.#capacity(input, replayUnits, 'ReadCapacityUnits'));
    const isHeld = plans.map(({ id }) => this.#held.has(id));
    if (isHeld.includes(true)) throw conflicted(isHeld, true);
    const token = this.#tokens.begin(input, this.#time.now());
    for (const { id } of plans) this.#held.add(id);
    try {
      if (course.holdMs) await this.#time.delay(course.holdMs);
      const changes = this.#changes(plans);
      for (const change of changes) {
        this.#store(change, course);
        if (course.spreadMs) await this.#time.delay(course.spreadMs / changes.length);
      }
      this.#tell(changes);
      token.applied(sum(changes.map(replayCost)));
      const units = sum(changes.map((change) => writeUnits(change, 2)));
      return inList(this.#capacity(input, units, 'WriteCapacityUnits'));
    } catch (error) {
      token.cancelled();
      throw error;
    } finally {
      for (const { id } of plans) this.#held.delete(id);
    }
  }

  #change(plan: Plan): Change {
    const before = this.#items.find(plan.key.pk, plan.key.sk);
    return { plan, before, after: plan.apply(before) };
  }

  /** Returns the changes of a transaction. @throws TransactionCanceledException when one of its writes fails. */
  #changes(plans: readonly Plan[]): Change[] {
    const changes: Change[] = [];
    const reasons = plans.map((plan): CancellationReason => {
      try {
        changes.push(this.#change(plan));
        return { Code: 'None' };
      } catch (error) {
        return toReason(error);
      }
    });
    if (changes.length < plans.length) throw cancelled(reasons);
    return changes;
  }

  /** Stores a change in the table and its views, and adds a record to the stream. */
  #store({ before, after }: StoredChange, course: Course, more?: Pick<DynamoDBRecord, 'userIdentity'>): void {
    const stored = after ?? before;
    if (!stored || isUnchanged({ before, after })) return;
    const now = this.#time.now();
    if (course.lagMs) this.#replica ??= this.#replicate(now);
    this.#items.replace(before, after);
    const views = { ...this.#indexes, ...(this.#replica && { replica: this.#replica }) };
    for (const [view, items] of Object.entries(views))
      items.write({ due: now + (course.lagMs?.(view as View) ?? 0), id: stored.id, before, after }, now);
    this.#sequence += 1;
    const eventName = before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT';
    this.#records.push({ ...toRecord(stored.item as Item, this.#sequence, now), eventName, ...more });
  }

  #tell(changes: readonly StoredChange[]): void {
    if (this.#listeners.size === 0) return;
    const items = changes
      .filter((change) => !isUnchanged(change))
      .map(({ before, after }) => ({ before: before?.item as Item, after: after?.item as Item }));
    if (items.length > 0) for (const listener of this.#listeners) listener(items);
  }

  #replicate(now: number): LaggingItems {
    const replica = new LaggingItems(tableKeys);
    for (const after of this.#items) replica.write({ due: now, id: after.id, before: undefined, after }, now);
    return replica;
  }

  #capacity({ ReturnConsumedCapacity }: CapacityRequest, CapacityUnits: number, kind?: string) {
    if (ReturnConsumedCapacity === undefined || ReturnConsumedCapacity === 'NONE') return {};
    if (ReturnConsumedCapacity !== 'TOTAL') throw new TypeError('This table reports capacity as TOTAL only.');
    const { tableName: TableName } = this;
    return { ConsumedCapacity: { TableName, CapacityUnits, ...(kind && { [kind]: CapacityUnits }) } };
  }

  #checkTable(name: unknown): void {
    if (name !== this.tableName) throw missingTable();
  }
}

interface ReadRequest {
  readonly ConsistentRead?: boolean | undefined;
  readonly IndexName?: string | undefined;
}

interface CapacityRequest {
  readonly ReturnConsumedCapacity?: string | undefined;
}

type StoredChange = Pick<Change, 'before' | 'after'>;

const isUnchanged = ({ before, after }: StoredChange): boolean =>
  before === after || (before !== undefined && after !== undefined && areEqual(before.item, after.item));

/** Returns why an error of a write cancels its transaction. */
function toReason(error: unknown): CancellationReason {
  if (!(error instanceof TableError) || error instanceof EmptyKey) throw error;
  const isCondition = error.name === 'ConditionalCheckFailedException';
  return { Code: isCondition ? 'ConditionalCheckFailed' : 'ValidationError', Message: error.message };
}

function checkTransaction(plans: readonly Plan[]): void {
  if (plans.length === 0 || plans.length > maxTransactionWrites)
    throw invalid(`A transaction has from 1 to ${maxTransactionWrites} writes`);
  if (new Set(plans.map(({ id }) => id)).size < plans.length)
    throw invalid('Transaction request cannot include multiple operations on one item');
  if (sum(plans.map(({ bytes }) => bytes)) > maxTransactionBytes)
    throw invalid('The aggregate size of the items in the transaction exceeds the 4MB limit');
}

/** Returns what the repetition of a write costs: it reads the larger of the items before and after it. */
const replayCost = ({ before, after }: StoredChange): number =>
  transactionalReadUnits(Math.max(before?.bytes ?? 0, after?.bytes ?? 0));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns a record of a stream of keys. */
function toRecord({ pk, sk }: Item, sequence: number, now: number): DynamoDBRecord {
  const SequenceNumber = String(sequence).padStart(21, '0');
  return {
    eventID: SequenceNumber,
    eventSource: 'aws:dynamodb',
    dynamodb: {
      Keys: { pk: { S: pk }, sk: { S: sk } },
      ApproximateCreationDateTime: Math.floor(now / 1_000),
      SequenceNumber,
      StreamViewType: 'KEYS_ONLY',
    },
  };
}

/** Returns the capacity of operations that can have several tables. */
const inList = <Capacity extends object>({ ConsumedCapacity }: { ConsumedCapacity?: Capacity }) =>
  ConsumedCapacity ? { ConsumedCapacity: [ConsumedCapacity] } : {};

const missingTable = () => new TableError('ResourceNotFoundException', 'Requested resource not found');

/** Errors of the SDK for calls without a response. They are not DynamoDB's, so they have no `$fault`. */
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

const aborted = (): Error => named('AbortError', 'Request aborted');

const connectionLost = (): Error => named('TimeoutError', 'The connection was lost');

/** Returns a result unless a signal aborts before. */
function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(aborted());
    signal.addEventListener('abort', abort);
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
