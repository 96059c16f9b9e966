import { randomUUID } from 'node:crypto';
import { buildCreate, type Change } from '#functions/store/model/changes.ts';
import { buildJobWrite, type CompactWork, decodeJob, type Job } from '#functions/store/model/job.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { requestCompaction } from '#functions/store/unit-of-work/compaction-request.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const now = Date.parse('2026-02-03T04:05:06.789Z');
const minuteMs = 60_000;

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
  jest.spyOn(Date, 'now').mockReturnValue(now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const creation = (kind: Kind): Change => buildCreate(kind, { name: 'x', status: 'active' }, Date.now());

async function jobOf(kind: Kind): Promise<Job | undefined> {
  const item = await store.database().get({ pk: `${session.tenant}#job#compact-${kind}`, sk: 'job' });
  return item && decodeJob(item);
}

/** Returns the job that compacts the log of tags. */
const tagJob = (version: number, requestedAt: number, more: Partial<Job> = {}): Job => ({
  id: 'compact-tag',
  tenant: session.tenant,
  version,
  dueAt: '2026-02-03T04:05:30.000Z',
  work: { type: 'compact', kind: 'tag', requestedAt, steppedAt: now - 5_000, pending: 7 },
  ...more,
});

/** Writes a state of a job, as a worker does. */
const writeJob = (before: Job | undefined, after: Job | undefined): Promise<void> =>
  store.database().transact([buildJobWrite(before, after)]);

/** Runs something once, between the first time that a job is read and the response. */
function afterFirstRead(run: () => Promise<void>): void {
  const { database } = session;
  const get = database.get.bind(database);
  jest.spyOn(database, 'get').mockImplementationOnce(async (key) => {
    const item = await get(key);
    await run();
    return item;
  });
}

test('the first request writes the job, due at once', async () => {
  await requestCompaction(session, [creation('tag')]);
  expect(await jobOf('tag')).toEqual({
    id: 'compact-tag',
    tenant: session.tenant,
    version: 1,
    dueAt: '1970-01-01T00:00:00.000Z',
    work: { type: 'compact', kind: 'tag', requestedAt: now, steppedAt: 0, pending: 0 },
  });
});

test('writes one job for each kind that changes, whatever the change is', async () => {
  const { after } = buildCreate('task', { name: 'x', status: 'active' }, Date.now());
  const changes = [creation('tag'), creation('tag'), { before: after }, { before: after, after }];
  await requestCompaction(session, changes);
  const kinds = ['organization', 'project', 'user', 'task', 'tag'] as const;
  expect((await Promise.all(kinds.map(jobOf))).map((job) => job?.id)).toEqual([
    undefined,
    undefined,
    undefined,
    'compact-task',
    'compact-tag',
  ]);
  expect(session.database.consumption.calls).toBe(4);
});

test('makes no call for no change', async () => {
  await requestCompaction(session, []);
  expect(session.database.consumption.calls).toBe(0);
});

test.each([
  ['a moment ago', now],
  ['almost an hour ago', now - 60 * minuteMs + 1],
  ['by a process whose clock is ahead', now + minuteMs],
])('writes nothing when compaction was requested %s', async (_, requestedAt) => {
  await writeJob(undefined, tagJob(1, requestedAt));
  await requestCompaction(session, [creation('tag')]);
  expect(await jobOf('tag')).toEqual(tagJob(1, requestedAt));
  expect(session.database.consumption).toMatchObject({ calls: 1, writeUnits: 0 });
});

test('a process reads the job once in an hour', async () => {
  await writeJob(undefined, tagJob(1, now - 10 * minuteMs));
  await requestCompaction(session, [creation('tag')]);
  const next = store.session(session.tenant);
  jest.spyOn(Date, 'now').mockReturnValue(now + 50 * minuteMs - 1);
  await requestCompaction(next, [creation('tag')]);
  expect(next.database.consumption.calls).toBe(0);
  jest.spyOn(Date, 'now').mockReturnValue(now + 50 * minuteMs);
  await requestCompaction(next, [creation('tag')]);
  expect(await jobOf('tag')).toMatchObject({ version: 2, work: { requestedAt: now + 50 * minuteMs } });
});

test('the job of one table says nothing about that of another', async () => {
  await requestCompaction(session, [creation('tag')]);
  const other = await startTestStore();
  const elsewhere = other.session(session.tenant);
  await requestCompaction(elsewhere, [creation('tag')]);
  expect(elsewhere.database.consumption.calls).toBe(2);
  await other.stop();
});

test('renews a request of an hour ago: the job is due at once, and keeps its progress', async () => {
  const progress = { late: ['r#1'], compared: { at: now - minuteMs } };
  const jobWith = (...job: Parameters<typeof tagJob>): Job => {
    const { work, ...others } = tagJob(...job);
    return { ...others, work: { ...(work as CompactWork), ...progress } };
  };
  await writeJob(undefined, jobWith(7, now - 60 * minuteMs));
  await requestCompaction(session, [creation('tag')]);
  expect(await jobOf('tag')).toEqual(jobWith(8, now, { dueAt: '1970-01-01T00:00:00.000Z' }));
});

test('takes the lease of a renewed job back: its worker ends at the new version', async () => {
  const lease = { owner: 'delivery-1', until: '2026-02-03T04:06:00.000Z' };
  await writeJob(undefined, tagJob(7, now - 60 * minuteMs, { lease }));
  await requestCompaction(session, [creation('tag')]);
  const job = await jobOf('tag');
  expect(job?.version).toBe(8);
  expect(job?.lease).toBeUndefined();
});

test('many requests at the same time all succeed, and one writes the job', async () => {
  const { tenant } = session;
  const sessions = Array.from({ length: 20 }, () => store.session(tenant));
  await Promise.all(sessions.map((one) => requestCompaction(one, [creation('tag')])));
  expect(await jobOf('tag')).toMatchObject({ version: 1, work: { requestedAt: now } });
});

test('many renewals at the same time all succeed, and one writes the job', async () => {
  const { tenant } = session;
  await writeJob(undefined, tagJob(7, now - 90 * minuteMs));
  const sessions = Array.from({ length: 20 }, () => store.session(tenant));
  await Promise.all(sessions.map((one) => requestCompaction(one, [creation('tag')])));
  expect(await jobOf('tag')).toMatchObject({ version: 8, work: { requestedAt: now } });
});

test('keeps the progress of a step that a worker takes meanwhile', async () => {
  const before = tagJob(7, now - 90 * minuteMs);
  const steppedAt = now - 1_000;
  await writeJob(undefined, before);
  afterFirstRead(() =>
    writeJob(before, { ...before, version: 8, work: { ...(before.work as CompactWork), steppedAt } }),
  );
  await requestCompaction(session, [creation('tag')]);
  expect(await jobOf('tag')).toEqual({
    ...before,
    version: 9,
    dueAt: '1970-01-01T00:00:00.000Z',
    work: { type: 'compact', kind: 'tag', requestedAt: now, steppedAt, pending: 7 },
  });
});

test('begins the job again when a worker ends it meanwhile', async () => {
  const before = tagJob(7, now - 180 * minuteMs);
  await writeJob(undefined, before);
  afterFirstRead(() => writeJob(before, undefined));
  await requestCompaction(session, [creation('tag')]);
  expect(await jobOf('tag')).toMatchObject({ version: 1, work: { requestedAt: now, steppedAt: 0 } });
});
