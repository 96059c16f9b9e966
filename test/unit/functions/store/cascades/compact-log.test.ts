import { randomUUID } from 'node:crypto';
import { compactStep } from '#functions/store/cascades/compact-log.ts';
import { continueJob } from '#functions/store/cascades/continue-job.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, buildWrite, type Change } from '#functions/store/model/changes.ts';
import { ConditionFailed } from '#functions/store/model/errors.ts';
import {
  type CompactWork,
  compactionJobId,
  decodeJob,
  type Job,
  jobKey,
} from '#functions/store/model/job.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** When the records of a test are written. */
const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let store: TestStore;
let session: Session;
let clock: jest.SpyInstance<number>;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
  clock = jest.spyOn(Date, 'now').mockReturnValue(writtenAt);
});

afterEach(() => {
  jest.restoreAllMocks();
});

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
