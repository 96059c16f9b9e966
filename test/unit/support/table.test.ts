import type { Item } from '#functions/engine/model/writes.ts';
import type { SdkError } from '#functions/engine/table/error-classification.ts';
import { lag, nth } from '../../support/table/faults.ts';
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

describe('a transaction', () => {
  test('that holds its items is in conflict with other writes of them', async () => {
    table.intercept = nth(1, 'TransactWriteItems', { holdMs: 100 });
    const first = transact('t', { ...Key, n: 1 });
    expect(await reasonsOf(transact('u', { pk: 'c', sk: 'c' }, { ...Key, n: 2 }))).toEqual([
      'None',
      'TransactionConflict',
    ]);
    expect((await errorOf(put({ n: 3 }))).name).toBe('TransactionConflictException');
    expect((await errorOf(transact('t', { ...Key, n: 1 }))).name).toBe('TransactionInProgressException');
    expect(await table.getItem({ TableName, Key })).toEqual({});
    await first;
    await put({ n: 4 });
    expect(table.snapshot()).toEqual([{ ...Key, n: 4 }]);
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
