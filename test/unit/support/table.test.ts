import type { Item } from '#functions/engine/model/writes.ts';
import { isKeyThrottle, isRetryable, type SdkError } from '#functions/engine/table/error-classification.ts';
import {
  crash,
  lag,
  lateCommit,
  lateRequest,
  lostRequest,
  lostResponse,
  nth,
  stopped,
  throttled,
  touches,
} from '../../support/table/faults.ts';
import { MemoryTable } from '../../support/table/memory-table.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

const startMs = Date.parse('2026-02-03T04:00:00Z');
const TableName = 'table';

let time: VirtualTime;
let table: MemoryTable;

beforeEach(() => {
  time = new VirtualTime(1, startMs);
  table = new MemoryTable(TableName, time);
});

const Key = { pk: 'a', sk: 'b' };

const put = (more: object = {}, key = Key) => table.putItem({ TableName, Item: { ...key, ...more } });

const transact = (ClientRequestToken: string, ...items: readonly Item[]) =>
  table.transactWriteItems({
    TransactItems: items.map((item) => ({ Put: { TableName, Item: item } })),
    ClientRequestToken,
    ReturnConsumedCapacity: 'TOTAL',
  });

const errorOf = (call: Promise<unknown>): Promise<SdkError> =>
  call.then(
    () => {
      throw new Error('The call succeeded.');
    },
    (error: SdkError) => error,
  );

const reasonsOf = async (call: Promise<unknown>) =>
  (await errorOf(call)).CancellationReasons?.map(({ Code }) => Code);

describe('where the engine deviates from DynamoDB', () => {
  test('an update that only removes attributes creates no item', async () => {
    await table.updateItem({ TableName, Key, UpdateExpression: 'REMOVE n' });
    expect(table.snapshot()).toEqual([]);
    await table.updateItem({ TableName, Key });
    expect(table.snapshot()).toEqual([Key]);
  });

  test('the conditions of a key can have any order', async () => {
    await put();
    const KeyConditionExpression = 'sk = :sk AND pk = :pk';
    const ExpressionAttributeValues = { ':pk': 'a', ':sk': 'b' };
    const { Items } = await table.query({ TableName, KeyConditionExpression, ExpressionAttributeValues });
    expect(Items).toEqual([Key]);
  });
});

describe('without faults', () => {
  test('items are copies', async () => {
    const item = { ...Key, list: [1], bytes: new Uint8Array([1]) };
    await table.putItem({ TableName, Item: item });
    item.list.push(2);
    item.bytes[0] = 2;
    const { Item: read } = await table.getItem({ TableName, Key });
    expect(read).toEqual({ ...Key, list: [1], bytes: new Uint8Array([1]) });
    (read as { list: number[] }).list.push(3);
    expect(table.snapshot()).toEqual([{ ...Key, list: [1], bytes: new Uint8Array([1]) }]);
  });

  test('a batch has at most 16 MB', async () => {
    const keys = Array.from({ length: 50 }, (_, number) => ({ pk: 'a', sk: `${number}` }));
    for (const key of keys) await put({ t: 'x'.repeat(400_000) }, key);
    const { Responses, UnprocessedKeys } = await table.batchGetItem({
      RequestItems: { [TableName]: { Keys: keys } },
    });
    expect(Responses?.[TableName]).toHaveLength(41);
    expect(UnprocessedKeys?.[TableName]?.Keys).toEqual(keys.slice(41));
  });

  test('a token is known for 10 minutes', async () => {
    await transact('t', { ...Key, n: 1 });
    await put({ n: 2 });
    expect(await transact('t', { ...Key, n: 1 })).toEqual({
      ConsumedCapacity: [{ TableName, CapacityUnits: 2, ReadCapacityUnits: 2 }],
    });
    expect(await errorOf(transact('t', { ...Key, n: 3 }))).toMatchObject({
      name: 'IdempotentParameterMismatchException',
    });
    expect(table.snapshot()).toEqual([{ ...Key, n: 2 }]);
    await time.delay(600_000);
    await transact('t', { ...Key, n: 1 });
    expect(table.snapshot()).toEqual([{ ...Key, n: 1 }]);
  });
});

describe('a call', () => {
  test('that is lost ends with a connection error, or when its signal aborts', async () => {
    table.intercept = nth(2, 'PutItem', lostRequest(500));
    await put({ n: 1 });
    expect(await errorOf(put({ n: 2 }))).toMatchObject({ name: 'TimeoutError' });
    expect(time.now()).toBe(startMs + 500);
    expect(table.snapshot()).toEqual([{ ...Key, n: 1 }]);
    table.intercept = () => lostResponse();
    const controller = new AbortController();
    time.startTimer(300, () => controller.abort());
    const lost = errorOf(table.putItem({ TableName, Item: { ...Key, n: 3 } }, controller.signal));
    await time.delay(400);
    expect((await lost).name).toBe('AbortError');
    expect(table.snapshot()).toEqual([{ ...Key, n: 3 }]);
  });

  test('in which the process stops is performed, and fails for good', async () => {
    table.intercept = ({ number }) => (number === 1 ? stopped : crash);
    const error = await errorOf(put({ n: 1 }));
    expect([error.name, isRetryable(error)]).toEqual(['ProcessStopped', false]);
    const second = put({ n: 2 });
    const first = await Promise.race([second, time.delay(600_000).then(() => 'nothing')]);
    expect(first).toBe('nothing');
    expect(table.snapshot()).toEqual([{ ...Key, n: 2 }]);
  });

  test('to a throttled partition is refused', async () => {
    table.intercept = (call) =>
      touches(call, ({ pk }) => pk === 'a') ? throttled(call, ({ pk }) => pk === 'a') : undefined;
    const error = await errorOf(put());
    expect([error.name, isKeyThrottle(error), isRetryable(error)]).toEqual([
      'ProvisionedThroughputExceededException',
      true,
      true,
    ]);
    expect(await reasonsOf(transact('t', { pk: 'b', sk: 'b' }, Key))).toEqual(['None', 'ThrottlingError']);
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'a' } };
    expect(await errorOf(table.query({ TableName, ...query }))).toMatchObject({
      ThrottlingReasons: [{ reason: 'TableReadKeyRangeThroughputExceeded' }],
    });
    await put({}, { pk: 'b', sk: 'b' });
    expect(table.snapshot()).toHaveLength(1);
  });
});

describe('a transaction', () => {
  const other = { pk: 'c', sk: 'c' };

  test('that holds its items is in conflict with other writes of them', async () => {
    table.intercept = nth(1, 'TransactWriteItems', { holdMs: 100 });
    const first = transact('t', { ...Key, n: 1 });
    expect(await reasonsOf(transact('u', other, { ...Key, n: 2 }))).toEqual(['None', 'TransactionConflict']);
    expect((await errorOf(put({ n: 3 }))).name).toBe('TransactionConflictException');
    expect((await errorOf(transact('t', { ...Key, n: 1 }))).name).toBe('TransactionInProgressException');
    expect(await table.getItem({ TableName, Key })).toEqual({});
    await first;
    await put({ n: 4 });
    expect(table.snapshot()).toEqual([{ ...Key, n: 4 }]);
  });

  test('is applied after its caller got a connection error', async () => {
    table.intercept = nth(1, 'TransactWriteItems', lateCommit(5_000, 1_000));
    expect((await errorOf(transact('t', { ...Key, n: 1 }))).name).toBe('TimeoutError');
    expect((await errorOf(put({ n: 2 }))).name).toBe('TransactionConflictException');
    await time.delay(4_500);
    expect(table.snapshot()).toEqual([{ ...Key, n: 1 }]);
  });

  test('whose request is late takes effect once', async () => {
    table.intercept = nth(1, 'TransactWriteItems', lateRequest(5_000, 1_000));
    expect((await errorOf(transact('t', { ...Key, n: 1 }))).name).toBe('TimeoutError');
    await transact('t', { ...Key, n: 1 });
    await put({ n: 2 });
    await time.delay(5_000);
    expect(table.snapshot()).toEqual([{ ...Key, n: 2 }]);
  });
});

describe('a lagging view', () => {
  const readIndex = async () =>
    (
      await table.query({
        TableName,
        IndexName: 'by-creation',
        KeyConditionExpression: 'ofKind = :k',
        ExpressionAttributeValues: { ':k': 'k' },
      })
    ).Items?.map(({ n }) => n);

  test('has writes later than the table, those of one item in their order', async () => {
    table.intercept = (call) =>
      call.operation === 'GetItem' ? { isStale: true } : lag(call.number === 1 ? 300 : 100);
    await put({ ofKind: 'k', id: '1', n: 1 });
    await put({ ofKind: 'k', id: '1', n: 2 });
    await put({ ofKind: 'k', id: '2', n: 3 }, { pk: 'x', sk: 'y' });
    const read = async (ConsistentRead: boolean) =>
      (await table.getItem({ TableName, Key, ConsistentRead })).Item?.['n'];
    expect([await readIndex(), await read(true), await read(false)]).toEqual([[], 2, undefined]);
    await time.delay(150);
    expect(await readIndex()).toEqual([3]);
    await time.delay(200);
    expect([await readIndex(), await read(false)]).toEqual([[2, 3], 2]);
  });
});
