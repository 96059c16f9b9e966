import { randomUUID } from 'node:crypto';
import type { DynamoDBBatchResponse } from 'aws-lambda';
import { handler } from '#functions/jobs/on-log-records-with-bus.ts';
import type { UnpublishedRecords } from '#functions/jobs/unpublished-queue.ts';
import { connect, shareClient } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { logPartition, manifestSortKey, recordPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import { type EngineProxy, type Injector, startEngineProxy } from '#test/faults/engine-proxy.ts';
import { startTestBus, type TestBus } from '#test/support/event-bus.ts';
import { functionContext } from '#test/support/invoke.ts';
import { startEngineStore, type TestStore } from '#test/support/local-store.ts';
import { startTestQueue, type TestQueue } from '#test/support/queue.ts';
import { wallClock } from '#test/support/wall-clock.ts';

/** The function that publishes new records and compacts logs. */

const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;

let store: TestStore;
let bus: TestBus;
let proxy: EngineProxy;
let queue: TestQueue;
let queueProxy: EngineProxy;
let logged: jest.SpyInstance;
let tenant: string;

beforeAll(async () => {
  store = await startEngineStore();
  bus = await startTestBus();
  proxy = await startEngineProxy(bus.endpoint);
  queue = await startTestQueue();
  queueProxy = await startEngineProxy(queue.endpoint);
  process.env['TABLE_NAME'] = store.tableName;
  process.env['EVENT_BUS_NAME'] = 'the-bus';
  process.env['UNPUBLISHED_QUEUE_URL'] = queue.url;
  // The SDK reads them when a client sends its first request.
  process.env['AWS_ENDPOINT_URL_EVENTBRIDGE'] = proxy.endpoint;
  process.env['AWS_ENDPOINT_URL_SQS'] = queueProxy.endpoint;
  shareClient(connect({}, wallClock));
});

afterAll(async () => {
  await proxy.stop();
  await bus.stop();
  await queueProxy.stop();
  await queue.stop();
  await store.stop();
});

beforeEach(() => {
  tenant = `@${randomUUID()}`;
  proxy.inject(undefined);
  queueProxy.inject(undefined);
  bus.events.length = 0;
  queue.clear();
  // The lines of the log would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  setTime(writtenAt);
});

afterEach(() => {
  jest.restoreAllMocks();
});

function setTime(nowMs: number): void {
  jest.spyOn(Date, 'now').mockReturnValue(nowMs);
}

/** Creates tags, each in a transaction of its own. */
async function writeTags(number: number): Promise<void> {
  const created = Array.from({ length: number }, () => ({
    changes: [buildCreate('tag', { name: 'x', status: 'active' }, Date.now())],
  }));
  await applyInBatches(store.session(tenant), created, 1);
}

async function recordsOf(kind: 'tag' | 'organization' = 'tag'): Promise<Item[]> {
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': logPartition(tenant, kind),
      ':from': recordPrefix,
      ':to': manifestSortKey,
    },
  });
  return items.filter(({ sk }) => sk.startsWith(recordPrefix));
}

/** Delivers records, whose sequence numbers are their sort keys. @param createdAt seconds since 1970. */
function deliver(
  records: readonly Item[],
  createdAt = writtenAt / 1_000,
  remainingMs = 30_000,
): Promise<DynamoDBBatchResponse> {
  const Records = records.map(({ pk, sk }) => ({
    eventName: 'INSERT' as const,
    dynamodb: {
      Keys: { pk: { S: pk }, sk: { S: sk } },
      SequenceNumber: sk,
      ApproximateCreationDateTime: createdAt,
    },
  }));
  return handler(
    { Records },
    { ...functionContext('request', remainingMs), getRemainingTimeInMillis: () => remainingMs },
  );
}

async function compactedRows(): Promise<number> {
  const { manifest } = await openLog(store.database(), tenant, 'tag').readHead(0);
  return manifest?.segments.reduce((sum, { rows }) => sum + rows, 0) ?? 0;
}

/** Returns the sort keys of the records in the queue, and checks that they are of the tenant's log. */
function queuedKeys(): string[] {
  const records = queue.bodies().flatMap((body) => (JSON.parse(body) as UnpublishedRecords).records);
  expect(new Set(records.map(({ pk }) => pk)).size).toBeLessThanOrEqual(1);
  return records.map(({ pk, sk }) => (pk === logPartition(tenant, 'tag') ? sk : `${pk} ${sk}`));
}

const refuseAll: Injector = async () => ({
  status: 500,
  body: JSON.stringify({ __type: 'InternalException' }),
});

const failedKeys = ({ batchItemFailures }: DynamoDBBatchResponse): string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

const logLines = () => logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);

test('publishes the changes of all records, and compacts their log', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  expect(await deliver(records)).toEqual({ batchItemFailures: [] });
  expect(queue.bodies()).toEqual([]);
  expect(new Set(bus.events.map(({ id }) => id)).size).toBe(64);
  expect(bus.events[0]).toMatchObject({
    type: 'tag.created',
    source: `/tenants/${tenant.slice(1)}`,
    data: { version: 1, changes: { name: { to: 'x' } } },
  });
  expect(await compactedRows()).toBe(64);
});

test('publishes before anything else, and a record that is delivered again has the same event', async () => {
  await writeTags(2);
  const records = await recordsOf();
  // Compaction begins with a query.
  const compaction = jest.spyOn(Database.prototype, 'query');
  const queries: number[] = [];
  proxy.inject(async (_, pass) => {
    queries.push(compaction.mock.calls.length);
    return pass();
  });
  await deliver(records);
  expect([queries, compaction.mock.calls.length > 0]).toEqual([[0], true]);
  const first = [...bus.events];
  await deliver([...records, ...records]);
  expect(bus.events.slice(2)).toEqual(first);
});

test('a bus that refuses some events: the keys of their records alone go to the queue, and the log is compacted', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  await deliver(records.slice(7, 8));
  proxy.inject(async ({ body }) => {
    const { Entries } = body as { Entries: { Detail: string }[] };
    const results = Entries.map(({ Detail }) =>
      Detail.includes(bus.events[0]?.id ?? 'nothing')
        ? { ErrorCode: 'InternalFailure' }
        : { EventId: 'accepted' },
    );
    return { status: 200, body: JSON.stringify({ FailedEntryCount: 1, Entries: results }) };
  });
  expect(failedKeys(await deliver(records))).toEqual([]);
  expect(queuedKeys()).toEqual([records[7]?.sk]);
  expect(await compactedRows()).toBe(64);
});

test('a bus that does not respond does not keep the log from being compacted', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  proxy.inject(async () => undefined);
  expect(failedKeys(await deliver(records))).toEqual([]);
  expect(queuedKeys()).toEqual(records.map(({ sk }) => sk));
  // One message has the keys of all.
  expect(queue.bodies()).toHaveLength(1);
  expect(await compactedRows()).toBe(64);
  expect(logLines()).toContainEqual(
    expect.objectContaining({ level: 'ERROR', message: 'Records were not published.', records: 64 }),
  );
});

test('a queue that does not accept the keys: the unpublished records alone are reported, and the log is compacted', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  await deliver(records.slice(7, 8));
  const [{ id } = { id: '' }] = bus.events;
  proxy.inject(async ({ body }, pass) => (JSON.stringify(body).includes(id) ? undefined : pass()));
  queueProxy.inject(refuseAll);
  const failed = failedKeys(await deliver(records));
  // Those of one request to the bus.
  expect(failed).toContain(records[7]?.sk);
  expect(failed.length).toBeLessThanOrEqual(10);
  expect(queue.bodies()).toEqual([]);
  expect(await compactedRows()).toBe(64);
  expect(logLines()).toContainEqual(
    expect.objectContaining({ level: 'ERROR', message: 'Keys of records were not sent to the queue.' }),
  );
});

test('a queue that does not respond does not keep the log from being compacted', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  proxy.inject(refuseAll);
  queueProxy.inject(() => new Promise(() => undefined));
  // The queue has a quarter of the time.
  expect(failedKeys(await deliver(records, undefined, 8_000))).toEqual(records.map(({ sk }) => sk));
  expect(await compactedRows()).toBe(64);
});

test.each([
  ['a new record gets three attempts', 0, 3],
  ['a record that is older than five minutes gets one', 5 * minuteMs + 1_000, 1],
])('%s', async (_, age, attempts) => {
  await writeTags(1);
  setTime(writtenAt + age);
  let calls = 0;
  proxy.inject(async () => {
    calls += 1;
    return undefined;
  });
  const [record] = (await recordsOf()) as [Item];
  await deliver([record]);
  expect([calls, queuedKeys()]).toEqual([attempts, [record.sk]]);
});

test('a log that cannot be compacted does not keep its records from being published', async () => {
  await writeTags(1);
  // The manifest of a later version of the service.
  const manifest = { pk: logPartition(tenant, 'tag'), sk: manifestSortKey, format: 99, version: 1 };
  await store.database().putItem(manifest);
  expect(await deliver(await recordsOf())).toEqual({ batchItemFailures: [] });
  expect(bus.events).toHaveLength(1);
  expect(logLines()).toContainEqual(expect.objectContaining({ level: 'ERROR', message: 'A step failed.' }));
});

test('the key of a record of another version of the service goes to the queue, and the others are published', async () => {
  await writeTags(2);
  const [unknown, known] = (await recordsOf()) as [Item, Item];
  await store.database().putItem({ ...unknown, e: Buffer.of(99) });
  expect(failedKeys(await deliver([unknown, known]))).toEqual([]);
  expect(queuedKeys()).toEqual([unknown.sk]);
  expect(bus.events).toHaveLength(1);
});

test('the keys of all records go to the queue when the table cannot be read', async () => {
  await writeTags(2);
  const records = await recordsOf();
  jest.spyOn(Database.prototype, 'getMany').mockRejectedValueOnce(new Error('unavailable'));
  expect(failedKeys(await deliver(records))).toEqual([]);
  expect(queuedKeys()).toEqual(records.map(({ sk }) => sk));
});

test('a record that does not exist, and other items, have no event', async () => {
  await createEntity(store.session(tenant), 'organization', { name: 'x', status: 'active' });
  const [record] = (await recordsOf('organization')) as [Item];
  const gone = { ...record, sk: `${record.sk.slice(0, -1)}~` };
  expect(await deliver([gone, { pk: `${tenant}#tag#1`, sk: 'entity' }])).toEqual({ batchItemFailures: [] });
  expect(bus.events).toEqual([]);
});

test('a batch with late records that cannot be reported is delivered again, and was published', async () => {
  await writeTags(1);
  jest.spyOn(Database.prototype, 'putItem').mockRejectedValue(new Error('unavailable'));
  await expect(deliver(await recordsOf(), writtenAt / 1_000 + 60)).rejects.toThrow('unavailable');
  expect(bus.events).toHaveLength(1);
});
