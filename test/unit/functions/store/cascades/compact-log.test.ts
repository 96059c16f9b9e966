import { randomUUID } from 'node:crypto';
import { compactBusyLog, continueReminder } from '#functions/store/cascades/compact-log.ts';
import { continueJob } from '#functions/store/cascades/continue-job.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { readPassed } from '#functions/store/cascades/late-records.ts';
import { repairMetrics } from '#functions/store/cascades/repairs.ts';
import type { QueryPage } from '#functions/store/dynamodb/query.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { readEntity } from '#functions/store/entities/read-entity.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, buildWrite, type Change } from '#functions/store/model/changes.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { ConditionFailed, StoreUnavailable } from '#functions/store/model/errors.ts';
import { newId } from '#functions/store/model/ids.ts';
import { decodeJob, type Job, jobKey, jobsOfTenant } from '#functions/store/model/job.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import {
  decodeReminder,
  encodeReminder,
  minReminderMs,
  type Reminder,
  reminderKey,
} from '#functions/store/model/reminder.ts';
import type { Write } from '#functions/store/model/writes.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { reportLateRecords } from '#functions/store/unit-of-work/reminders.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** When the records of a test are written. */
const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

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

const creations = (number: number, more: object = {}): Change[] =>
  Array.from({ length: number }, () =>
    buildCreate('tag', { name: 'x', status: 'active', ...more }, Date.now()),
  );

/** Creates tags, each in a transaction of its own: each writes one record. */
async function writeRecords(number: number): Promise<void> {
  for (const change of creations(number)) await applyChangeSet(session, { changes: [change] });
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

const manifest = async () => (await openLog(store.database(), session.tenant, 'tag').readHead(0)).manifest;

/** Returns how many rows the columns have. */
const compactedRows = async (): Promise<number> =>
  (await manifest())?.segments.reduce((sum, { rows }) => sum + rows, 0) ?? 0;

const list = () => listEntities(store.session(session.tenant), 'tag', listQuery({ limit: 200 }));

const listedIds = async (): Promise<string[]> => (await list()).entities.map(({ id }) => id);

async function storedReminder(): Promise<Reminder | undefined> {
  const item = await store.database().get(reminderKey({ tenant: session.tenant, kind: 'tag' }));
  return item && decodeReminder(item);
}

test('compactBusyLog writes nothing while there are few records', async () => {
  await writeRecords(3);
  const before = session.database.consumption.writeUnits;
  clock.mockReturnValue(writtenAt + minuteMs);
  expect(await compactBusyLog(session, 'tag', [])).toMatchObject({
    found: 3,
    waitingChanges: 3,
    hasStepped: false,
  });
  expect(session.database.consumption.writeUnits).toBe(before);
  expect(await manifest()).toBeUndefined();
});

describe('continueReminder', () => {
  const due = async (nowMs: number, reminder?: Reminder) => {
    clock.mockReturnValue(nowMs);
    return continueReminder(session.database, reminder ?? ((await storedReminder()) as Reminder));
  };

  test('moves the reminder while writers rely on it, then to the comparison, and deletes it unless it is requested meanwhile', async () => {
    await writeRecords(3);
    const keptUntil = writtenAt + minReminderMs;
    expect(await due(writtenAt + 9 * hourMs - 1)).toMatchObject({ found: 3, hasStepped: true });
    expect(await compactedRows()).toBe(3);
    expect(await storedReminder()).toMatchObject({ keptUntil, dueAt: writtenAt + 21 * hourMs - 1 });
    await due(writtenAt + 21 * hourMs - 1);
    const read = (await storedReminder()) as Reminder;
    const compared = { upTo: writtenAt + 20 * hourMs - 1, at: writtenAt };
    expect(read).toMatchObject({ keptUntil, dueAt: writtenAt + 30 * dayMs, compared });
    await due(writtenAt + 30 * dayMs, { ...read, keptUntil: keptUntil - 1 });
    expect(await storedReminder()).toEqual(read);
    await due(writtenAt + 30 * dayMs, read);
    expect(await storedReminder()).toBeUndefined();
  });

  test('leaves the reminder due when another process is faster', async () => {
    await writeRecords(1);
    const before = await storedReminder();
    const { database } = session;
    const put = database.putItem.bind(database);
    jest.spyOn(database, 'putItem').mockImplementation(async (item, condition) => {
      if (item.sk === '~') throw new ConditionFailed([0], new Error('replaced'));
      await put(item, condition);
    });
    await due(writtenAt + 12 * hourMs);
    expect(await storedReminder()).toEqual(before);
  });
});

/** Stores a reminder, and continues it at a time. Returns what is stored then. */
async function continueAt(nowMs: number, more: Partial<Reminder> = {}): Promise<Reminder | undefined> {
  clock.mockReturnValue(nowMs);
  const log = { tenant: session.tenant, kind: 'tag' } as const;
  const compared = { upTo: nowMs - hourMs, at: nowMs };
  const reminder = { ...log, dueAt: nowMs, keptUntil: nowMs + minReminderMs, late: [], compared, ...more };
  await store.database().putItem(encodeReminder(reminder));
  await continueReminder(session.database, reminder);
  return storedReminder();
}

/** Continues the jobs of the tenant, each when it is due, as the schedule does. */
async function runJobsUntil(endMs: number): Promise<void> {
  const readJobs = async (): Promise<Job[]> =>
    (await session.database.query(jobsOfTenant(session.tenant))).items.map(decodeJob);
  for (let jobs = await readJobs(); jobs.length > 0; jobs = await readJobs()) {
    const dueMs = Math.min(...jobs.map(({ dueAt }) => Date.parse(dueAt)));
    if (dueMs > endMs) return;
    clock.mockReturnValue(Math.max(Date.now(), dueMs));
    for (const job of jobs) await continueJob(store.database(), job, { owner: 'schedule' });
  }
}

describe('a record that is late', () => {
  /** Commits a creation long after its stamp. The process ends before it notices anything. */
  async function commitLate(stamp: number, more: object = {}) {
    const [change] = creations(1, more) as [Change & { readonly after: StoredEntity }];
    const [record] = recordWrites(session.tenant, [change], stamp);
    await store.database().transact([buildWrite(session.tenant, change, stamp), record as Write]);
    return { ...change.after, key: record?.put.sk as string };
  }

  const createOrganization = async (): Promise<string> =>
    (await createEntity(session, 'organization', { name: 'x', status: 'active' })).entity.id;

  test('is absorbed by a step that has it in its input, without other records', async () => {
    await writeManyRecords();
    await continueAt(writtenAt + minuteMs);
    const { entity, key } = await commitLate(writtenAt + 1_000);
    processMemory.clear();
    expect(await listedIds()).not.toContain(entity.id);
    expect(await continueAt(writtenAt + minuteMs + 1, { late: [key] })).toMatchObject({ late: [] });
    expect(await listedIds()).toContain(entity.id);
    expect(metrics()).toEqual([1]);
  });

  test('is kept until it is settled: a step at the same time may pass it', async () => {
    const { key } = await commitLate(writtenAt);
    const late = [key];
    expect(await continueAt(writtenAt + 4_500, { late })).toMatchObject({ late, dueAt: writtenAt + 9_500 });
    expect(await continueAt(writtenAt + 9_500, { late })).toMatchObject({ late: [] });
    expect(await compactedRows()).toBe(1);
  });

  test('is found when nobody notes it, at the first look after an hour', async () => {
    await writeManyRecords();
    await continueAt(writtenAt + minuteMs);
    const { entity } = await commitLate(writtenAt + 1_000);
    const compared = { upTo: writtenAt - hourMs, at: writtenAt };
    const early = await continueAt(writtenAt + 30 * minuteMs, { compared });
    expect(early?.compared.upTo).toBe(writtenAt - 30 * minuteMs);
    processMemory.clear();
    expect(await listedIds()).not.toContain(entity.id);
    const found = await continueAt(writtenAt + 12 * hourMs, { compared: early?.compared ?? compared });
    expect(found?.compared.upTo).toBe(writtenAt + 11 * hourMs);
    expect(await listedIds()).toContain(entity.id);
    expect(metrics()).toEqual([1]);
    // The columns have it, so nothing is repaired again.
    await continueAt(writtenAt + 24 * hourMs, { compared });
    expect(metrics()).toEqual([1]);
  });

  test('loses no row and leaves no dangling reference for more than a day, without a comparison of all rows', async () => {
    const organizationId = await createOrganization();
    await writeManyRecords();
    await continueAt(writtenAt + minuteMs);
    // The process ends after the late commit, and the stream reports nothing.
    const { entity } = await commitLate(writtenAt + 1_000, { organizationId });
    processMemory.clear();
    await deleteEntity(session, 'organization', organizationId);
    await runJobsUntil(writtenAt + hourMs);
    const at = writtenAt;
    await continueAt(writtenAt + 12 * hourMs, { compared: { upTo: writtenAt - hourMs, at } });
    expect((await storedReminder())?.compared).toEqual({ upTo: writtenAt + 11 * hourMs, at });
    await runJobsUntil(writtenAt + dayMs);
    expect(await listedIds()).toContain(entity.id);
    expect((await readEntity(session, 'tag', entity.id)).entity['organizationId']).toBeNull();
    expect(metrics()).toEqual([2]);
  });

  test('is swept again although a deletion is in progress, which can end before lists have its row', async () => {
    const id = await createOrganization();
    await writeManyRecords();
    await continueAt(writtenAt + minuteMs);
    const { key } = await commitLate(writtenAt + 1_000, { organizationId: id });
    await deleteEntity(session, 'organization', id);
    await continueAt(writtenAt + minuteMs + 1_000, { late: [key] });
    const { items } = await session.database.query(jobsOfTenant(session.tenant));
    const works = items.map((item) => decodeJob(item).work);
    expect(works).toHaveLength(2);
    expect(works).toContainEqual({ type: 'sweep', kind: 'organization', id, final: false, relation: 0 });
  });

  test('stays noted when it is reported while a worker looks', async () => {
    await writeRecords(1);
    await reportLateRecords(session, 'tag', ['r#1']);
    const read = (await storedReminder()) as Reminder;
    await reportLateRecords(session, 'tag', ['r#2']);
    clock.mockReturnValue(writtenAt + minuteMs);
    await continueReminder(session.database, read);
    expect(await storedReminder()).toMatchObject({ late: ['r#1', 'r#2'] });
  });
});

test('a watermark ahead of the time is set back and reported, and no list is read meanwhile', async () => {
  await writeManyRecords();
  await continueAt(writtenAt + hourMs);
  clock.mockReturnValue(writtenAt + minuteMs);
  await writeRecords(1);
  await expect(list()).rejects.toThrow(StoreUnavailable);
  await continueAt(writtenAt + 2 * minuteMs);
  expect((await list()).total).toBe(129);
  expect(metrics()).toEqual([1]);
});

describe('the comparison with the entities', () => {
  /** Takes the step in which the comparison is due. */
  const compareAt = (nowMs: number) =>
    continueAt(nowMs, { compared: { upTo: nowMs - hourMs, at: nowMs - 30 * dayMs } });

  beforeEach(async () => {
    await writeManyRecords();
    await continueAt(writtenAt + minuteMs);
  });

  test('is due thirty days after the last one, and finds nothing in a log without a defect', async () => {
    expect(await compareAt(writtenAt + dayMs)).toMatchObject({ compared: { at: writtenAt + dayMs } });
    const compared = { upTo: writtenAt, at: writtenAt - 29 * dayMs };
    expect(await continueAt(writtenAt + dayMs - 1, { compared })).toMatchObject({
      compared: { at: compared.at },
    });
    expect((await manifest())?.version).toBe(1);
    expect(metrics()).toEqual([]);
  });

  test('removes the row of an entity that does not exist', async () => {
    const [, id = ''] = await listedIds();
    await store.database().deleteItem(entityKey(session.tenant, 'tag', id));
    await compareAt(writtenAt + dayMs);
    expect((await list()).total).toBe(127);
    expect(metrics()).toEqual([1]);
  });

  test('begins a sweep of an entity that does not exist, and to which others refer', async () => {
    const organizationId = newId(writtenAt).id;
    clock.mockReturnValue(writtenAt + hourMs);
    await applyChangeSet(session, { changes: creations(1, { organizationId }) });
    // Ids of one process keep their order, so an earlier test can have moved the time of this one's on.
    await compareAt(writtenAt + 20 * dayMs);
    const id = `sweep-organization-${organizationId}`;
    const item = await store.database().get(jobKey({ tenant: session.tenant, id }));
    expect(item && decodeJob(item).work).toMatchObject({ type: 'sweep', id: organizationId });
    expect(metrics()).toEqual([1]);
  });
});

test.each([
  ['each of its own stamp', Array.from({ length: 40 }, (_, number) => number + 1)],
  ['many of one stamp', [...Array(5).fill(3), ...Array(40).fill(7), 8, 8, 9]],
])('records are read again in portions, each once at least: %s', async (_, offsets) => {
  const { tenant, database } = session;
  for (const offset of offsets)
    for (const { put } of recordWrites(tenant, creations(1), writtenAt + offset)) await database.putItem(put);
  const pages = database.pages.bind(database);
  jest.spyOn(database, 'pages').mockImplementation(async function* (query): AsyncGenerator<QueryPage, void> {
    yield* pages({ ...query, Limit: 2 });
  });
  const upTo = writtenAt + 60;
  const read = new Set<string>();
  let above = writtenAt;
  let portions = 0;
  for (let isComplete = false; !isComplete; portions += 1) {
    const passed = await readPassed(session, 'tag', above, upTo);
    expect(passed.upTo).toBeGreaterThan(above);
    for (const { key } of passed.records) read.add(key);
    ({ upTo: above, isComplete } = passed);
  }
  expect(above).toBe(upTo);
  expect(portions).toBeGreaterThan(1);
  expect(read.size).toBe(offsets.length);
});
