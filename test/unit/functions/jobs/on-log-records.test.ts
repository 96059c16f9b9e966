import { randomUUID } from 'node:crypto';
import { handler } from '#functions/jobs/on-log-records.ts';
import { continueReminder } from '#functions/store/cascades/compact-log.ts';
import { connect, shareClient } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { logPartition, recordWrites, stampPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate, buildWrite } from '#functions/store/model/changes.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { decodeReminder, type Reminder, reminderKey } from '#functions/store/model/reminder.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import { compactAll } from '#test/support/compaction.ts';
import { functionContext } from '#test/support/invoke.ts';
import { listQuery } from '#test/support/list-queries.ts';
import { startEngineStore, type TestStore } from '#test/support/local-store.ts';
import { wallClock } from '#test/support/wall-clock.ts';

/** The function that compacts the logs of new records. */

const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;

let store: TestStore;
let logged: jest.SpyInstance;
let tenant: string;

beforeAll(async () => {
  store = await startEngineStore();
  process.env['TABLE_NAME'] = store.tableName;
  // The engine's time is not that of the tests.
  shareClient(connect({}, wallClock));
});

afterAll(() => store.stop());

beforeEach(() => {
  tenant = randomUUID();
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

/** A change of an item, as the table's stream reports it. */
interface ItemChange {
  readonly pk: string;
  readonly sk: string;
  /** Default: `INSERT`. */
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** When DynamoDB made it, in whole seconds since 1970. Default: at once. */
  readonly createdAt?: number;
}

const newRecord = (kind: Kind, stamp = writtenAt): ItemChange => ({
  pk: logPartition(tenant, kind),
  sk: `${stampPrefix(stamp)}abc`,
});

/** Creates tags or organizations, each in a transaction of its own: each writes one record. */
async function writeRecords(kind: 'tag' | 'organization', number: number): Promise<void> {
  const created = Array.from({ length: number }, () => ({
    changes: [buildCreate(kind, { name: 'x', status: 'active' }, Date.now())],
  }));
  await applyInBatches(store.session(tenant), created, 1);
}

function handle(...changes: ItemChange[]): Promise<void> {
  const Records = changes.map(({ pk, sk, eventName = 'INSERT', createdAt = 0 }) => ({
    eventName,
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, ApproximateCreationDateTime: createdAt },
  }));
  return handler(
    { Records },
    { ...functionContext('request', 30_000), getRemainingTimeInMillis: () => 30_000 },
  );
}

async function compactedRows(kind: Kind): Promise<number> {
  const { manifest } = await openLog(store.database(), tenant, kind).readHead(0);
  return manifest?.segments.reduce((sum, { rows }) => sum + rows, 0) ?? 0;
}

/** Returns the milliseconds until the schedule looks at a log. */
async function remindedIn(kind: Kind): Promise<number> {
  const item = await store.database().get(reminderKey({ tenant, kind }));
  return item ? decodeReminder(item).dueAt - Date.now() : Number.NaN;
}

const logLines = () => logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);

test('compacts each log that has new records and enough of them', async () => {
  await writeRecords('tag', 128);
  await writeRecords('organization', 128);
  setTime(writtenAt + minuteMs);
  await handle(newRecord('tag'), newRecord('organization'), newRecord('tag'));
  expect([await compactedRows('tag'), await compactedRows('organization')]).toEqual([128, 128]);
  expect(logLines()).toEqual([
    expect.objectContaining({ operation: 'onLogRecords', tenant, message: 'A step is done.' }),
    expect.objectContaining({ operation: 'onLogRecords', tenant, message: 'A step is done.' }),
    expect.objectContaining({ PendingRecords: 128 }),
  ]);
});

test('writes nothing while a log has few records', async () => {
  await writeRecords('tag', 47);
  setTime(writtenAt + minuteMs);
  await handle(newRecord('tag'));
  expect(await compactedRows('tag')).toBe(0);
  expect(await remindedIn('tag')).toBe(12 * 60 * minuteMs - minuteMs);
  expect(logLines()).toEqual([expect.objectContaining({ PendingRecords: 47 })]);
});

test('the schedule looks again when there will be enough records as soon as they are settled', async () => {
  await writeRecords('tag', 47);
  setTime(writtenAt + 1_000);
  await handle(newRecord('tag'));
  expect(await remindedIn('tag')).toBe(12 * 60 * minuteMs - 1_000);
  await writeRecords('tag', 1);
  await handle(newRecord('tag'));
  expect(await remindedIn('tag')).toBe(5_000);
});

test('leaves logs alone that have no new records', async () => {
  await writeRecords('tag', 128);
  setTime(writtenAt + minuteMs);
  const pk = logPartition(tenant, 'tag');
  await handle(
    { pk, sk: '~' },
    { pk, sk: 'r#1', eventName: 'REMOVE' },
    { pk: `${tenant}#tag#1`, sk: 'entity' },
    { pk: `${tenant}#log`, sk: 'r#1' },
  );
  expect(await compactedRows('tag')).toBe(0);
  expect(logLines()).toEqual([]);
});

test('does not throw when one log cannot be compacted, compacts the others, and the schedule looks again', async () => {
  await writeRecords('organization', 1);
  await writeRecords('tag', 128);
  setTime(writtenAt + minuteMs);
  const kind = 'organization';
  // The manifest of a later version of the service.
  await store.database().putItem({ pk: logPartition(tenant, kind), sk: '~', format: 99, version: 1 });
  await handle(newRecord(kind), newRecord('tag'));
  expect(logLines()).toContainEqual(
    expect.objectContaining({ level: 'ERROR', operation: 'onLogRecords', log: 'organization' }),
  );
  expect(await compactedRows('tag')).toBe(128);
  expect(await remindedIn(kind)).toBe(5_000);
});

describe('a record that DynamoDB created later than its stamp allows', () => {
  const stamp = Date.parse('2026-02-03T04:05:06.000Z');
  const recordAt = (laterMs: number, name = 'one'): ItemChange => ({
    pk: logPartition(tenant, 'tag'),
    sk: `${stampPrefix(stamp)}${name}`,
    createdAt: (stamp + laterMs) / 1_000,
  });

  test('is in lists afterwards, although its process ended and compaction had passed its stamp', async () => {
    const session = store.session(tenant);
    await createEntity(session, 'tag', { name: 'x', status: 'active' });
    await compactAll(store.database(), tenant, 'tag');
    const late = Date.now() - 60_000;
    const change = buildCreate('tag', { name: 'late', status: 'active' }, late);
    const [record] = recordWrites(tenant, [change], late);
    await store.database().transact([buildWrite(tenant, change, late), record as Write]);
    const { pk, sk } = (record as Exclude<typeof record, undefined>).put;
    processMemory.clear();
    expect((await listEntities(session, 'tag', listQuery())).total).toBe(1);
    await handle({ pk, sk, createdAt: Math.floor(Date.now() / 1_000) });
    // The schedule looks at what is due.
    const item = await store.database().get(reminderKey({ tenant, kind: 'tag' }));
    const reminder: Reminder = decodeReminder(item as Item);
    expect([reminder.dueAt <= Date.now(), reminder.late]).toEqual([true, [sk]]);
    await continueReminder(store.database(), reminder);
    expect((await listEntities(session, 'tag', listQuery())).total).toBe(2);
  });

  test('is not looked for when DynamoDB created it in time', async () => {
    const report = jest.spyOn(Database.prototype, 'putItem');
    await handle(recordAt(0), recordAt(3_000, 'two'));
    expect(report).not.toHaveBeenCalled();
    report.mockRestore();
  });

  test('is delivered again when it cannot be reported', async () => {
    const put = jest.spyOn(Database.prototype, 'putItem').mockRejectedValue(new Error('unavailable'));
    await expect(handle(recordAt(4_000))).rejects.toThrow('unavailable');
    put.mockRestore();
  });
});
