import { randomUUID } from 'node:crypto';
import { compactBusyLog, continueReminder } from '#functions/engine/care/compact-log.ts';
import { remindBy } from '#functions/engine/care/reminders.ts';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { emptyManifest } from '#functions/engine/columns/format/manifest.ts';
import { Positions } from '#functions/engine/log/positions.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import {
  decodeReminder,
  dueRemindersQuery,
  encodeReminder,
  type Reminder,
  reminderIntervalMs,
  reminderKey,
  reminderPartitions,
} from '#functions/engine/model/reminder.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { absorbedRows } from '#test/support/compaction.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { conditionFailed } from '#test/support/table/errors.ts';
import { nth, touches } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

/** When the records of a test are written. */
const writtenAt = Date.parse('2026-02-03T04:00:00.000Z');

let store: ReturnType<typeof startTestStore>;
let session: Session;
let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime(1, writtenAt);
  setTimeAndChance(time);
  store = startTestStore();
  session = store.session(randomUUID());
});

afterEach(() => setTimeAndChance());

const log = () => ({ tenant: session.tenant, kind: 'tag' }) as const;

/** Creates tags, each in a transaction of its own: each writes one record. */
const writeRecords = (count: number): Promise<void> =>
  applyInBatches(
    session,
    Array.from({ length: count }, () => ({
      changes: [buildCreate('tag', { name: 'x', status: 'active' }, time.now())],
    })),
    1,
  );

/** Takes a position for a process that ends before it writes. */
const leaveHole = (): Promise<unknown> =>
  new Positions(session).forChanges([buildCreate('tag', { name: 'x', status: 'active' }, time.now())]);

const manifest = () => openLog(store.database(), session.tenant, 'tag').readManifest();

const compactedRows = async (): Promise<number> => absorbedRows((await manifest()) ?? emptyManifest);

async function storedReminder(): Promise<Reminder | undefined> {
  const item = await store.database().get(reminderKey(log()));
  return item && decodeReminder(item);
}

/** Returns the milliseconds until the schedule looks at the log. */
const remindedIn = async (): Promise<number | undefined> => {
  const reminder = await storedReminder();
  return reminder && reminder.dueAt - time.now();
};

describe('compactBusyLog', () => {
  test.each([
    ['of too few records makes sure of a later one', 3, false, 0, reminderIntervalMs],
    ['of enough records needs no other look', 64, false, 64, undefined],
    ['of enough records before a hole needs one when the hole is old', 64, true, 64, 5_000],
  ])('a look at a log %s', async (_, count, hasHole, rows, dueMs) => {
    await writeRecords(count);
    if (hasHole) {
      await leaveHole();
      await writeRecords(1);
    }
    await compactBusyLog(session, 'tag');
    expect([await compactedRows(), await remindedIn()]).toEqual([rows, dueMs]);
  });

  test('a look while another process is faster needs another one', async () => {
    await writeRecords(64);
    store.table.intercept = (call) =>
      call.operation === 'PutItem' && touches(call, ({ sk }) => sk === '~')
        ? { refusal: conditionFailed() }
        : undefined;
    await compactBusyLog(session, 'tag');
    expect(await remindedIn()).toBe(5_000);
  });
});

describe('remindBy', () => {
  test.each([
    ['none', undefined, 5_000, 5_000],
    ['a later one', 60_000, 5_000, 5_000],
    ['an earlier one', 1_000, 5_000, 1_000],
    // The worker that handles it can have looked already, and deletes it.
    ['one that is due', 0, 5_000, 5_000],
  ])('with %s', async (_, before, wanted, expected) => {
    if (before !== undefined)
      await store.database().putItem(encodeReminder({ ...log(), dueAt: writtenAt + before }));
    await remindBy(session, 'tag', writtenAt + wanted);
    expect(await remindedIn()).toBe(expected);
  });

  test('a reminder that another process writes meanwhile stays when it is earlier', async () => {
    store.table.intercept = nth(1, 'PutItem', { requestMs: 100 });
    const reminding = remindBy(session, 'tag', writtenAt + 5_000);
    await time.delay(50);
    await remindBy(session, 'tag', writtenAt + 1_000);
    await reminding;
    expect((await storedReminder())?.dueAt).toBe(writtenAt + 1_000);
  });

  test('a reminder is found when it is due, in the partition of its log', async () => {
    await remindBy(session, 'tag', writtenAt + 5_000);
    const find = async (nowMs: number) => {
      const queries = Array.from({ length: reminderPartitions }, (_, partition) =>
        store.database().query(dueRemindersQuery(partition, nowMs)),
      );
      return (await Promise.all(queries)).flatMap(({ items }) => items.map(decodeReminder));
    };
    const reminder = { ...log(), dueAt: writtenAt + 5_000 };
    expect([await find(writtenAt + 5_000), await find(writtenAt + 5_001)]).toEqual([[], [reminder]]);
  });
});

describe('continueReminder', () => {
  test('leaves the reminder due while a hole is young', async () => {
    await writeRecords(1);
    await remindBy(session, 'tag', writtenAt + 60_000);
    const before = (await storedReminder()) as Reminder;
    await time.delay(60_001);
    await leaveHole();
    await writeRecords(1);
    await continueReminder(store.database(), before);
    expect([await compactedRows(), await storedReminder()]).toEqual([1, before]);
  });

  test('does not delete a reminder that was replaced meanwhile', async () => {
    await remindBy(session, 'tag', writtenAt + 1_000);
    const due = (await storedReminder()) as Reminder;
    await time.delay(1_001);
    await remindBy(session, 'tag', writtenAt + 60_000);
    await continueReminder(store.database(), due);
    expect(await storedReminder()).toEqual({ ...log(), dueAt: writtenAt + 60_000 });
  });
});
