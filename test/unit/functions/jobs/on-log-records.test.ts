import { randomUUID } from 'node:crypto';
import { handler } from '#functions/jobs/on-log-records.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { logPartition, recordWrites, stampPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate, buildWrite } from '#functions/store/model/changes.ts';
import {
  buildJobWrite,
  type CompactWork,
  compactionJobId,
  decodeJob,
  type Job,
  jobKey,
} from '#functions/store/model/job.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import type { Write } from '#functions/store/model/writes.ts';
import { compactAll } from '#test/support/compaction.ts';
import { functionContext } from '#test/support/invoke.ts';
import { listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** The function that compacts the logs of new records. */

let store: TestStore;
let logged: jest.SpyInstance;
let tenant: string;

beforeAll(async () => {
  store = await startTestStore();
  process.env['TABLE_NAME'] = store.tableName;
  // The lines of the log would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  logged.mockRestore();
  await store.stop();
});

beforeEach(() => {
  tenant = randomUUID();
  logged.mockClear();
});

/** A change of an item, as the table's stream reports it. */
interface ItemChange {
  readonly pk: string;
  readonly sk: string;
  /** Default: `INSERT`. */
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** When DynamoDB made it, in whole seconds since 1970. Default: at once. */
  readonly createdAt?: number;
}

const newRecord = (kind: Kind): ItemChange => ({ pk: logPartition(tenant, kind), sk: 'r#1' });

async function jobOf(kind: Kind): Promise<Job<CompactWork> | undefined> {
  const item = await store.database().get(jobKey({ tenant, id: compactionJobId(kind) }));
  return item && (decodeJob(item) as Job<CompactWork>);
}

/** Creates an entity. Its job waits until the year 3000. */
async function makeWaiting(kind: 'organization' | 'tag'): Promise<void> {
  await createEntity(store.session(tenant), kind, { name: 'x', status: 'active' });
  const job = (await jobOf(kind)) as Job;
  const waiting = { ...job, version: job.version + 1, dueAt: '3000-01-01T00:00:00.000Z' };
  await store.database().transact([buildJobWrite(job, waiting)]);
}

function handle(...changes: ItemChange[]): Promise<void> {
  const Records = changes.map(({ pk, sk, eventName = 'INSERT', createdAt = 0 }) => ({
    eventName,
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, ApproximateCreationDateTime: createdAt },
  }));
  return handler({ Records }, functionContext('request', 30_000));
}

const logLines = () => logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);

test('takes one step of each log that has new records, although its job is not due', async () => {
  await makeWaiting('organization');
  await makeWaiting('tag');
  await handle(newRecord('tag'), newRecord('organization'), newRecord('tag'));
  for (const kind of ['organization', 'tag'] as const) {
    const job = await jobOf(kind);
    expect(job?.work.steppedAt).toBeGreaterThan(0);
    // One write takes the lease, one records the step.
    expect(job?.version).toBe(4);
  }
  expect(logLines()).toHaveLength(2);
});

test('logs nothing about a log whose last step was a moment ago', async () => {
  await makeWaiting('tag');
  await handle(newRecord('tag'));
  logged.mockClear();
  await handle(newRecord('tag'));
  expect((await jobOf('tag'))?.version).toBe(4);
  expect(logLines()).toEqual([]);
});

test('leaves logs alone that have no new records', async () => {
  await makeWaiting('tag');
  const pk = logPartition(tenant, 'tag');
  await handle(
    { pk, sk: '~' },
    { pk, sk: 'r#1', eventName: 'REMOVE' },
    { pk: `${tenant}#tag#1`, sk: 'entity' },
    { pk: `${tenant}#log`, sk: 'r#1' },
  );
  expect((await jobOf('tag'))?.version).toBe(2);
  expect(logLines()).toEqual([]);
});

test('leaves a log alone that has no job', async () => {
  await handle(newRecord('task'));
  expect(await jobOf('task')).toBeUndefined();
});

test('does not throw when one log cannot be compacted, and compacts the others', async () => {
  await makeWaiting('organization');
  await makeWaiting('tag');
  const broken = (await jobOf('tag')) as Job<CompactWork>;
  const kind = 'organization';
  // The manifest of a later version of the service.
  await store.database().putItem({ pk: logPartition(tenant, kind), sk: '~', format: 99, version: 1 });
  await handle(newRecord(kind), newRecord('tag'));
  expect(logLines()).toContainEqual(
    expect.objectContaining({ level: 'ERROR', operation: 'onLogRecords', job: 'compact-organization' }),
  );
  expect((await jobOf('tag'))?.work.steppedAt).toBeGreaterThan(broken.work.steppedAt);
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
    expect((await listEntities(session, 'tag', listQuery())).total).toBe(2);
    expect((await jobOf('tag'))?.work).not.toHaveProperty('late');
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
