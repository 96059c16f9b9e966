import { randomUUID } from 'node:crypto';
import { compactBusyLog, continueReminder } from '#functions/store/cascades/compact-log.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate, buildWrite, type Change } from '#functions/store/model/changes.ts';
import { ConditionFailed } from '#functions/store/model/errors.ts';
import {
  decodeReminder,
  encodeReminder,
  type Reminder,
  reminderKey,
} from '#functions/store/model/reminder.ts';
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
  Array.from({ length: number }, () => buildCreate('tag', { name: 'x', status: 'active' }));

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

const head = () => openLog(store.database(), session.tenant, 'tag').readHead(0);

/** Returns how many rows the columns have; `undefined` when the log has never been compacted. */
const compactedRows = async (): Promise<number | undefined> =>
  (await head()).manifest?.segments.reduce((sum, { rows }) => sum + rows, 0);

async function storedReminder(): Promise<Reminder | undefined> {
  const item = await store.database().get(reminderKey({ tenant: session.tenant, kind: 'tag' }));
  return item && decodeReminder(item);
}

/** Makes a replacement of the manifest fail, as when another process is faster. */
function loseRace(): void {
  const { database } = session;
  const put = database.putItem.bind(database);
  jest.spyOn(database, 'putItem').mockImplementation(async (item, condition) => {
    if (item.sk === '~') throw new ConditionFailed([0], new Error('replaced'));
    await put(item, condition);
  });
}

describe('compactBusyLog', () => {
  const lookAt = (nowMs: number, stamps: readonly number[] = []) => {
    clock.mockReturnValue(nowMs);
    return compactBusyLog(session, 'tag', stamps);
  };

  test('writes nothing while there are few records', async () => {
    await writeRecords(3);
    const before = session.database.consumption.writeUnits;
    expect(await lookAt(writtenAt + minuteMs)).toMatchObject({ found: 3, waiting: 3, hasStepped: false });
    expect(session.database.consumption.writeUnits).toBe(before);
    expect(await compactedRows()).toBeUndefined();
  });

  describe('with 128 records', () => {
    beforeEach(() => writeManyRecords());

    test('absorbs them', async () => {
      expect(await lookAt(writtenAt + minuteMs)).toMatchObject({ found: 128, waiting: 0, hasStepped: true });
      expect(await compactedRows()).toBe(128);
    });

    test('absorbs none that are not settled, and lets the schedule look when they are', async () => {
      expect(await lookAt(writtenAt + 2_000, Array(128).fill(writtenAt))).toMatchObject({ found: 0 });
      expect(await compactedRows()).toBeUndefined();
      expect((await storedReminder())?.dueAt).toBe(writtenAt + 12_000);
    });

    test('lets the schedule look again when another process replaced the manifest meanwhile', async () => {
      loseRace();
      expect(await lookAt(writtenAt + minuteMs)).toMatchObject({ isComplete: false });
      expect(await compactedRows()).toBeUndefined();
      expect((await storedReminder())?.dueAt).toBe(writtenAt + minuteMs + 10_000);
    });

    test('leaves lists as they are', async () => {
      const query = listQuery({ sort: sortedBy('name'), page: 3, limit: 50 });
      const before = await listEntities(session, 'tag', query);
      await lookAt(writtenAt + minuteMs);
      expect(await listEntities(store.session(session.tenant), 'tag', query)).toEqual(before);
      expect([before.entities.length, before.total]).toEqual([28, 128]);
    });
  });
});

describe('continueReminder', () => {
  const due = async (nowMs: number, reminder?: Reminder) => {
    clock.mockReturnValue(nowMs);
    return continueReminder(session.database, reminder ?? ((await storedReminder()) as Reminder));
  };

  test('absorbs also a few records, and deletes the reminder when no writer relies on it any more', async () => {
    await writeRecords(3);
    expect(await due(writtenAt + 12 * hourMs)).toMatchObject({ found: 3, hasStepped: true });
    expect(await compactedRows()).toBe(3);
    expect(await storedReminder()).toBeUndefined();
  });

  test('moves the reminder while writers rely on it', async () => {
    await writeRecords(1);
    await due(writtenAt + 9 * hourMs);
    expect(await compactedRows()).toBe(1);
    expect(await storedReminder()).toMatchObject({ requestedAt: writtenAt, dueAt: writtenAt + 21 * hourMs });
  });

  test('leaves a reminder due that a writer requests meanwhile', async () => {
    await writeRecords(1);
    const read = (await storedReminder()) as Reminder;
    const requested = { ...read, requestedAt: writtenAt + 12 * hourMs };
    await store.database().putItem(encodeReminder(requested));
    await due(writtenAt + 12 * hourMs, read);
    expect(await storedReminder()).toEqual(requested);
  });

  test('leaves the reminder of another life alone', async () => {
    await writeRecords(1);
    const read = (await storedReminder()) as Reminder;
    await due(writtenAt + 12 * hourMs, read);
    // The index has the deleted one for a moment. A writer has written another one meanwhile.
    await writeRecords(1);
    await due(writtenAt + 12 * hourMs + 1, read);
    expect(await storedReminder()).toMatchObject({ dueAt: writtenAt + 24 * hourMs });
  });

  test('leaves the reminder due when another process is faster', async () => {
    await writeRecords(1);
    const before = await storedReminder();
    loseRace();
    await due(writtenAt + 12 * hourMs);
    expect(await storedReminder()).toEqual(before);
  });

  test('each record is absorbed, whenever writers write and the schedule looks', async () => {
    // The schedule runs each hour. Writers write in bursts, with pauses of all lengths.
    const pauses = [1, 7, 8, 9, 11, 12, 13, 30, 3, 8, 8, 8, 20];
    let written = 0;
    let nextMs = writtenAt;
    for (let nowMs = writtenAt; pauses.length > 0 || (await storedReminder()); nowMs += hourMs) {
      clock.mockReturnValue(nowMs);
      const reminder = await storedReminder();
      if (reminder && reminder.dueAt <= nowMs) await due(nowMs, reminder);
      if (nowMs < nextMs || pauses.length === 0) continue;
      await writeRecords(1);
      written += 1;
      nextMs = nowMs + (pauses.shift() as number) * hourMs;
    }
    expect(await compactedRows()).toBe(written);
  });
});
