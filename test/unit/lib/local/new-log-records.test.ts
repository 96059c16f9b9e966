import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { connect } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import type { DynamoDb } from '#functions/store/dynamodb/operations.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { NewLogRecords } from '#lib/local/new-log-records.ts';
import { startEngineStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;
let client: DynamoDb;
let records: NewLogRecords;

beforeAll(async () => {
  store = await startEngineStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  records = new NewLogRecords();
  client = records.watch(connect());
});

afterEach(() => client.destroy());

const database = (): Database => new Database(client, store.tableName, new Deadline(300_000));

async function delivered(): Promise<DynamoDBStreamEvent['Records'][]> {
  const batches: DynamoDBStreamEvent['Records'][] = [];
  await records.deliver(async (event) => {
    batches.push(event.Records);
  });
  return batches;
}

const recordOf = (tenant: string) => ({
  eventName: 'INSERT',
  dynamodb: { Keys: { pk: { S: `${tenant}#tag#log` }, sk: { S: expect.stringMatching(/^r#/) } } },
});

test('delivers the records of transactions, each once', async () => {
  const tenant = randomUUID();
  for (const name of ['one', 'other'])
    await createEntity({ tenant, database: database() }, 'tag', { name, status: 'active' });
  expect(await delivered()).toEqual([[recordOf(tenant), recordOf(tenant)]]);
  expect(await delivered()).toEqual([]);
});

test('delivers the records that are put alone, and no other items', async () => {
  await database().putItem({ pk: 'acme#tag#log', sk: 'r#1' });
  await database().putItem({ pk: 'acme#tag#log', sk: '~' });
  expect(await delivered()).toEqual([[recordOf('acme')]]);
});

test('does not deliver a write that fails', async () => {
  const never = { expression: 'attribute_exists(never)' };
  await expect(database().putItem({ pk: 'acme#tag#log', sk: 'r#2' }, never)).rejects.toThrow();
  expect(await delivered()).toEqual([]);
});

test('delivers 1,000 records at a time', async () => {
  const item = { pk: 'acme#tag#log', sk: 'r#3' };
  for (let count = 0; count < 1_001; count += 1) await database().putItem(item);
  expect((await delivered()).map(({ length }) => length)).toEqual([1_000, 1]);
});

test('begins with a record of each log that was written before', async () => {
  const tenant = randomUUID();
  await createEntity(store.session(tenant), 'tag', { name: 'x', status: 'active' });
  await records.addWrittenLogs(database());
  expect((await delivered()).flat()).toContainEqual(recordOf(tenant));
});
