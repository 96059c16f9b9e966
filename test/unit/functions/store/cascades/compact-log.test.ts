import { randomUUID } from 'node:crypto';
import { compactStep } from '#functions/store/cascades/compact-log.ts';
import { continueJob } from '#functions/store/cascades/continue-job.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { repairMetrics } from '#functions/store/cascades/repairs.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate, buildWrite, type Change } from '#functions/store/model/changes.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { ConditionFailed, StoreUnavailable } from '#functions/store/model/errors.ts';
import { newId } from '#functions/store/model/ids.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import {
  type CompactWork,
  compactionJobId,
  decodeJob,
  type Job,
  jobKey,
} from '#functions/store/model/job.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { reportLateRecords } from '#functions/store/unit-of-work/late-records.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** When the records of a test are written. */
const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let store: TestStore;
let session: Session;
let clock: jest.SpyInstance<number>;
let logged: jest.SpyInstance;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
  clock = jest.spyOn(Date, 'now').mockReturnValue(writtenAt);
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** Returns the values of the metric of repairs that were logged. */
const metrics = (): number[] =>
  logged.mock.calls
    .map(([line]) => JSON.parse(String(line)) as Record<string, number>)
    .flatMap(({ [repairMetrics.repairs]: value }) => value ?? []);

const creations = (number: number): Change[] =>
  Array.from({ length: number }, () => buildCreate('tag', { name: 'x', status: 'active' }, Date.now()));

/** Creates tags, each in a transaction of its own: each writes one record. */
async function writeRecords(number: number): Promise<void> {
  await Promise.all(creations(number).map((change) => applyChangeSet(session, { changes: [change] })));
}

/** Creates 128 tags with a record each, in four transactions: the first step of a log waits for as many records. */
async function writeManyRecords(): Promise<void> {
  for (let portion = 0; portion < 4; portion += 1) {
    const writes = creations(32).flatMap((change) => [
      buildWrite(session.tenant, change, writtenAt),
      ...recordWrites(session.tenant, [change], writtenAt),
    ]);
    await store.database().transact(writes);
  }
}

const job = (work: Partial<CompactWork> = {}): Job<CompactWork> => ({
  id: 'compact-tag',
  tenant: session.tenant,
  version: 1,
  dueAt: '1970-01-01T00:00:00.000Z',
  work: { type: 'compact', kind: 'tag', requestedAt: writtenAt, steppedAt: 0, pending: 0, ...work },
});

/** Returns the step that the job takes at a time. */
function stepAt(nowMs: number, work: Partial<CompactWork> = {}) {
  clock.mockReturnValue(nowMs);
  return compactStep(session, job(work));
}

const workAt = (steppedAt: number, pending: number): CompactWork => ({
  type: 'compact',
  kind: 'tag',
  requestedAt: writtenAt,
  steppedAt,
  pending,
  compared: { at: steppedAt },
});

const head = () => openLog(store.database(), session.tenant, 'tag').readHead(0);

/** Returns how many rows the columns have; `undefined` when the log has never been compacted. */
const compactedRows = async (): Promise<number | undefined> =>
  (await head()).manifest?.segments.reduce((sum, { rows }) => sum + rows, 0);

test('waits for a minute while there are few records, and absorbs none', async () => {
  await writeRecords(3);
  expect(await stepAt(writtenAt + minuteMs)).toEqual({
    left: workAt(writtenAt + minuteMs, 3),
    dueAt: '2026-02-03T04:02:00.000Z',
  });
  expect(await compactedRows()).toBeUndefined();
});

test('waits for a minute while there is no record', async () => {
  expect(await stepAt(writtenAt + minuteMs)).toEqual({
    left: workAt(writtenAt + minuteMs, 0),
    dueAt: '2026-02-03T04:02:00.000Z',
  });
});

describe('with 128 records', () => {
  beforeEach(() => writeManyRecords());

  test('absorbs them, and looks again 15 seconds later', async () => {
    expect(await stepAt(writtenAt + minuteMs)).toEqual({
      left: workAt(writtenAt + minuteMs, 128),
      dueAt: '2026-02-03T04:01:15.000Z',
    });
    expect(await compactedRows()).toBe(128);
  });

  test('absorbs none that are not settled', async () => {
    expect(await stepAt(writtenAt + 4_000)).toMatchObject({ dueAt: '2026-02-03T04:01:04.000Z' });
    expect(await compactedRows()).toBeUndefined();
  });

  test('waits for a minute again after it absorbed them', async () => {
    await stepAt(writtenAt + minuteMs);
    expect(await stepAt(writtenAt + 2 * minuteMs)).toMatchObject({ dueAt: '2026-02-03T04:03:00.000Z' });
  });

  test('takes the next step at once when another process replaced the manifest meanwhile', async () => {
    const { database } = session;
    const put = database.putItem.bind(database);
    jest.spyOn(database, 'putItem').mockImplementation(async (item, condition) => {
      if (item.sk === '~') throw new ConditionFailed([0], new Error('replaced'));
      await put(item, condition);
    });
    expect(await stepAt(writtenAt + minuteMs, { pending: 7 })).toEqual({
      left: workAt(writtenAt + minuteMs, 7),
    });
    expect(await compactedRows()).toBeUndefined();
  });

  test('leaves lists as they are', async () => {
    const query = listQuery({ sort: sortedBy('name'), page: 3, limit: 50 });
    const before = await listEntities(session, 'tag', query);
    await stepAt(writtenAt + minuteMs);
    expect(await listEntities(store.session(session.tenant), 'tag', query)).toEqual(before);
    expect([before.entities.length, before.total]).toEqual([28, 128]);
  });
});

describe('two hours after the last request', () => {
  const endMs = writtenAt + 2 * hourMs;

  test('absorbs also a few records, and looks once more', async () => {
    await writeRecords(3);
    expect(await stepAt(endMs + 1)).toEqual({
      left: workAt(endMs + 1, 3),
      dueAt: '2026-02-03T06:00:15.001Z',
    });
    expect(await compactedRows()).toBe(3);
  });

  test('ends when nothing is left', async () => {
    await writeRecords(3);
    await stepAt(endMs + 1);
    expect(await stepAt(endMs + 15_001)).toEqual({ left: undefined });
  });

  test('ends when there was no record', async () => {
    expect(await stepAt(endMs + 1)).toEqual({ left: undefined });
  });

  test('does not end a millisecond before', async () => {
    expect(await stepAt(endMs)).toMatchObject({ dueAt: '2026-02-03T06:01:00.000Z' });
  });

  test('does not end when it was requested again', async () => {
    expect(await stepAt(endMs + 1, { requestedAt: writtenAt + hourMs })).toMatchObject({
      dueAt: '2026-02-03T06:01:00.001Z',
    });
  });
});

describe('a record that is late', () => {
  /** Commits a creation long after its stamp. The process ends before it notices anything. */
  async function commitLate(stamp: number) {
    const [change] = creations(1) as [Change & { readonly after: StoredEntity }];
    const [record] = recordWrites(session.tenant, [change], stamp);
    await store.database().transact([buildWrite(session.tenant, change, stamp), record as Write]);
    return { ...change.after, key: record?.put.sk as string };
  }

  const listedIds = async (): Promise<string[]> =>
    (await listEntities(store.session(session.tenant), 'tag', listQuery({ limit: 200 }))).entities.map(
      ({ id }) => id,
    );

  test('is absorbed by the step that is told of it, without other records', async () => {
    await writeManyRecords();
    await stepAt(writtenAt + minuteMs);
    const { entity, key } = await commitLate(writtenAt + 1_000);
    processMemory.clear();
    expect(await listedIds()).not.toContain(entity.id);
    const first = await stepAt(writtenAt + minuteMs + 1, { late: [key] });
    expect(await listedIds()).toContain(entity.id);
    // Another step that began before it was told may pass the record, so it is told again until nothing is left.
    expect(first.left).toMatchObject({ late: [key] });
    const second = await stepAt(writtenAt + minuteMs + 1, first.left as CompactWork);
    expect(second.left).not.toHaveProperty('late');
    expect(metrics()).toEqual([1]);
  });

  test('is kept until it is settled: a step at the same time may pass it', async () => {
    const { key } = await commitLate(writtenAt);
    const late = [key];
    expect(await stepAt(writtenAt + 4_500, { late })).toMatchObject({
      left: { late },
      dueAt: '2026-02-03T04:00:19.500Z',
    });
    const { left } = await stepAt(writtenAt + 19_500, { late });
    expect(left).not.toHaveProperty('late');
    expect(await compactedRows()).toBe(1);
  });

  test('of an entity that was deleted since stays without a row', async () => {
    await writeManyRecords();
    await stepAt(writtenAt + minuteMs);
    const late = await commitLate(writtenAt + 1_000);
    await deleteEntity(session, 'tag', late.entity.id);
    await stepAt(writtenAt + 10 * minuteMs, { late: [late.key] });
    expect(await listedIds()).not.toContain(late.entity.id);
    expect((await listEntities(session, 'tag', listQuery())).total).toBe(128);
  });

  test('is reported once, however often, and makes the job due at once', async () => {
    await writeRecords(1);
    await reportLateRecords(session, 'tag', ['r#1', 'r#2']);
    await reportLateRecords(session, 'tag', ['r#2']);
    const item = await store.database().get(jobKey({ tenant: session.tenant, id: compactionJobId('tag') }));
    expect(item && decodeJob(item)).toMatchObject({
      dueAt: '1970-01-01T00:00:00.000Z',
      work: { requestedAt: writtenAt, late: ['r#1', 'r#2'] },
    });
  });
});

test('a watermark ahead of the time is set back and reported, and no list is read meanwhile', async () => {
  await writeManyRecords();
  await stepAt(writtenAt + hourMs);
  clock.mockReturnValue(writtenAt + minuteMs);
  await writeRecords(1);
  const list = () => listEntities(store.session(session.tenant), 'tag', listQuery());
  await expect(list()).rejects.toThrow(StoreUnavailable);
  await stepAt(writtenAt + 2 * minuteMs);
  expect((await list()).total).toBe(129);
  expect(metrics()).toEqual([1]);
});

describe('the daily comparison', () => {
  const dayMs = 24 * hourMs;

  /** Takes the step in which the comparison is due. */
  const compareAt = (nowMs: number) => stepAt(nowMs, { requestedAt: nowMs, compared: { at: nowMs - dayMs } });

  async function entityOf(number = 0): Promise<StoredEntity> {
    const { entities } = await listEntities(session, 'tag', listQuery({ limit: 200 }));
    const { id = '' } = entities[number] ?? {};
    return decodeEntity((await store.database().get(entityKey(session.tenant, 'tag', id))) as Item);
  }

  beforeEach(async () => {
    await writeManyRecords();
    await stepAt(writtenAt + minuteMs);
  });

  test('is due a day after the last one, and finds nothing in a log without a defect', async () => {
    expect(await compareAt(writtenAt + dayMs)).toMatchObject({
      left: { compared: { at: writtenAt + dayMs } },
    });
    expect((await head()).manifest?.version).toBe(1);
    expect(metrics()).toEqual([]);
  });

  test('repairs a row that is lost', async () => {
    // A change without a record: the process that restored the table has lost it.
    const { entity } = buildCreate('tag', { name: 'lost', status: 'active' }, writtenAt).after;
    await store
      .database()
      .transact([buildWrite(session.tenant, { after: { kind: 'tag', version: 1, entity } }, 1)]);
    await compareAt(writtenAt + dayMs);
    expect((await listEntities(session, 'tag', listQuery())).total).toBe(129);
    expect(metrics()).toEqual([1]);
    await compareAt(writtenAt + 2 * dayMs);
    expect(metrics()).toEqual([1]);
  });

  test('repairs the row of an entity that is older than the entity', async () => {
    const before = await entityOf();
    const change = buildUpdate(before, { name: 'changed' }, writtenAt + hourMs);
    await store.database().transact([buildWrite(session.tenant, change, writtenAt)]);
    await compareAt(writtenAt + dayMs);
    const query = listQuery({ filters: [isValue('name', 'changed')] });
    expect((await listEntities(session, 'tag', query)).total).toBe(1);
    expect(metrics()).toEqual([1]);
  });

  test('removes the row of an entity that does not exist', async () => {
    const { entity } = await entityOf(5);
    await store.database().deleteItem(entityKey(session.tenant, 'tag', entity.id));
    await compareAt(writtenAt + dayMs);
    expect((await listEntities(store.session(session.tenant), 'tag', listQuery())).total).toBe(127);
    expect(metrics()).toEqual([1]);
  });

  test('counts a pending change once', async () => {
    clock.mockReturnValue(writtenAt + dayMs);
    await writeRecords(2);
    await compareAt(writtenAt + dayMs + 1);
    expect((await listEntities(session, 'tag', listQuery())).total).toBe(130);
    expect(metrics()).toEqual([]);
  });

  test('begins a sweep of an entity that does not exist, and to which others refer', async () => {
    const organizationId = newId(writtenAt).id;
    clock.mockReturnValue(writtenAt + hourMs);
    await applyChangeSet(session, {
      changes: [buildCreate('tag', { name: 'x', status: 'active', organizationId }, writtenAt + hourMs)],
    });
    await compareAt(writtenAt + 2 * dayMs);
    const id = `sweep-organization-${organizationId}`;
    const item = await store.database().get(jobKey({ tenant: session.tenant, id }));
    expect(item && decodeJob(item).work).toMatchObject({
      type: 'sweep',
      kind: 'organization',
      id: organizationId,
    });
    expect(metrics()).toEqual([1]);
  });

  test.each([
    ['is made before the job ends', writtenAt, [1]],
    ['is not made again when it was made after the last write', writtenAt + 2 * hourMs, []],
  ])('%s', async (_, at, repairs) => {
    const { entity } = await entityOf();
    await store.database().deleteItem(entityKey(session.tenant, 'tag', entity.id));
    let step = await stepAt(writtenAt + 3 * hourMs, { compared: { at } });
    if (repairs.length > 0) step = await stepAt(writtenAt + 3 * hourMs, step.left as CompactWork);
    expect(step).toEqual({ left: undefined });
    expect(metrics()).toEqual(repairs);
  });
});

describe('the job that a write requests', () => {
  const delivery = { owner: 'delivery-1' };
  const id = compactionJobId('tag');

  const continueAt = (nowMs: number, more: object = {}): Promise<boolean> => {
    clock.mockReturnValue(nowMs);
    return continueJob(store.database(), { tenant: session.tenant, id }, { ...delivery, ...more });
  };

  const storedJob = async (): Promise<Job | undefined> => {
    const item = await store.database().get(jobKey({ tenant: session.tenant, id }));
    return item && decodeJob(item);
  };

  test('waits without a lease after a step', async () => {
    await writeRecords(1);
    await continueAt(writtenAt + minuteMs);
    expect(await storedJob()).toEqual({
      id: 'compact-tag',
      tenant: session.tenant,
      version: 3,
      dueAt: '2026-02-03T04:02:00.000Z',
      work: workAt(writtenAt + minuteMs, 1),
    });
  });

  test('continues when a write in its second hour requested it again', async () => {
    await writeRecords(1);
    clock.mockReturnValue(writtenAt + 90 * minuteMs);
    await writeRecords(1);
    for (let minute = 121; minute < 125; minute += 1) await continueAt(writtenAt + minute * minuteMs);
    expect(await storedJob()).toMatchObject({
      dueAt: '2026-02-03T06:05:00.000Z',
      work: { requestedAt: writtenAt + 90 * minuteMs },
    });
    expect(await compactedRows()).toBeUndefined();
  });

  test('takes a step for new records before it is due, and none within 15 seconds of the last', async () => {
    await writeRecords(1);
    await continueAt(writtenAt + minuteMs);
    await continueAt(writtenAt + minuteMs + 14_999, { trigger: 'records' });
    expect((await storedJob())?.dueAt).toBe('2026-02-03T04:02:00.000Z');
    await continueAt(writtenAt + minuteMs + 15_000, { trigger: 'records' });
    expect((await storedJob())?.dueAt).toBe('2026-02-03T04:02:15.000Z');
  });

  test('is removed when it ends', async () => {
    await writeRecords(1);
    await continueAt(writtenAt + 3 * hourMs);
    expect(await storedJob()).toBeDefined();
    await continueAt(writtenAt + 4 * hourMs);
    expect(await storedJob()).toBeUndefined();
    expect(await compactedRows()).toBe(1);
  });
});
