import { randomUUID } from 'node:crypto';
import type { DynamoDBBatchResponse } from 'aws-lambda';
import { handler } from '#functions/jobs/on-log-records-with-bus.ts';
import { connect, shareClient } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { logPartition, manifestSortKey, recordPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import { type EngineProxy, startEngineProxy } from '#test/faults/engine-proxy.ts';
import { startTestBus, type TestBus } from '#test/support/event-bus.ts';
import { functionContext } from '#test/support/invoke.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { wallClock } from '#test/support/wall-clock.ts';

/** The function that publishes new records and compacts logs. */

const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;

let store: TestStore;
let bus: TestBus;
let proxy: EngineProxy;
let logged: jest.SpyInstance;
let tenant: string;

beforeAll(async () => {
  store = await startTestStore();
  bus = await startTestBus();
  proxy = await startEngineProxy(bus.endpoint);
  process.env['TABLE_NAME'] = store.tableName;
  process.env['EVENT_BUS_NAME'] = 'the-bus';
  // The SDK reads it when the client sends its first request.
  process.env['AWS_ENDPOINT_URL_EVENTBRIDGE'] = proxy.endpoint;
  shareClient(connect({}, wallClock));
});

afterAll(async () => {
  await proxy.stop();
  await bus.stop();
  await store.stop();
});

beforeEach(() => {
  tenant = `@${randomUUID()}`;
  proxy.inject(undefined);
  bus.events.length = 0;
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
function deliver(records: readonly Item[], createdAt = writtenAt / 1_000): Promise<DynamoDBBatchResponse> {
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
    { ...functionContext('request', 30_000), getRemainingTimeInMillis: () => 30_000 },
  );
}

async function compactedRows(): Promise<number> {
  const { manifest } = await openLog(store.database(), tenant, 'tag').readHead(0);
  return manifest?.segments.reduce((sum, { rows }) => sum + rows, 0) ?? 0;
}

const failedKeys = ({ batchItemFailures }: DynamoDBBatchResponse): string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

const logLines = () => logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);

test('publishes the changes of all records, and compacts their log', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  expect(await deliver(records)).toEqual({ batchItemFailures: [] });
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

test('a bus that refuses some events: their records alone are reported, and the log is compacted', async () => {
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
  expect(failedKeys(await deliver(records))).toEqual([records[7]?.sk]);
  expect(await compactedRows()).toBe(64);
});

test('a bus that does not respond does not keep the log from being compacted', async () => {
  await writeTags(64);
  setTime(writtenAt + minuteMs);
  const records = await recordsOf();
  proxy.inject(async () => undefined);
  expect(failedKeys(await deliver(records))).toEqual(records.map(({ sk }) => sk));
  expect(await compactedRows()).toBe(64);
  expect(logLines()).toContainEqual(
    expect.objectContaining({ level: 'ERROR', message: 'Records were not published.', records: 64 }),
  );
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

test('a record of another version of the service is reported, and the others are published', async () => {
  await writeTags(2);
  const [unknown, known] = (await recordsOf()) as [Item, Item];
  await store.database().putItem({ ...unknown, e: Buffer.of(99) });
  expect(failedKeys(await deliver([unknown, known]))).toEqual([unknown.sk]);
  expect(bus.events).toHaveLength(1);
});

test('all records are reported when the table cannot be read', async () => {
  await writeTags(2);
  const records = await recordsOf();
  jest.spyOn(Database.prototype, 'getMany').mockRejectedValueOnce(new Error('unavailable'));
  expect(failedKeys(await deliver(records))).toEqual(records.map(({ sk }) => sk));
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
