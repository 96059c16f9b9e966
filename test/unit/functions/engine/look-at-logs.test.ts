import { randomUUID } from 'node:crypto';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { emptyManifest } from '#functions/engine/columns/format/manifest.ts';
import { compactBusyLog, continueReminder } from '#functions/engine/due-work/compact-log.ts';
import { remindBy } from '#functions/engine/due-work/reminders.ts';
import { visitLog, visitLogs } from '#functions/engine/due-work/visit-logs.ts';
import { readPage } from '#functions/engine/lists/read-page.ts';
import { Positions } from '#functions/engine/log/positions.ts';
import type { LogIdentity } from '#functions/engine/model/change-log.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { entryKey } from '#functions/engine/model/registry.ts';
import {
  decodeReminder,
  dueRemindersQuery,
  encodeReminder,
  type Reminder,
  reminderKey,
  reminderPartitions,
} from '#functions/engine/model/reminder.ts';
import { countOf } from '#functions/engine/table/database.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { absorbedRows } from '#test/support/compaction.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { allRows } from '#test/support/log-builder.ts';
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

/** Creates tags. By default, each has a transaction of its own: each writes one record. */
const writeRecords = (count: number, batchSize = 1): Promise<void> =>
  applyInBatches(
    session,
    Array.from({ length: count }, () => ({
      changes: [buildCreate('tag', { name: 'x', status: 'active' }, time.now())],
    })),
    batchSize,
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
    ['of too few records needs no other one', 3, false, 0, undefined],
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

  test.each([
    [1_000, undefined, { hasMore: false, isComplete: true }, 700],
    [999, undefined, { hasMore: true, isComplete: false }, 600],
    [1_000, 0, { hasMore: true, isComplete: false }, 600],
    [1_000, 1, { hasMore: false, isComplete: true }, 700],
  ])(
    'a look with %i ms that may begin steps for %s ms takes another step only if a second is left',
    async (...row) => {
      const [timeMs, forMs, expected, rows] = row;
      await writeRecords(700, 50);
      const look = await compactBusyLog({ ...session, database: store.database(timeMs) }, 'tag', forMs);
      expect(look).toMatchObject(expected);
      // In a second, a step absorbs 625 changes.
      expect(await compactedRows()).toBe(rows);
    },
  );
});

describe('visitLog', () => {
  const dayMs = 86_400_000;

  test.each([
    ['of two days', 2 * dayMs, undefined, false],
    ['of more', 2 * dayMs + 1, 0, false],
    ['of four days', 4 * dayMs, 0, false],
    ['of more than four', 4 * dayMs + 1, 0, true],
  ])(
    'with a record %s asks for a look, and reports a log that earlier ones have not compacted',
    async (...row) => {
      const [, ageMs, dueMs, isLate] = row;
      await writeRecords(3);
      await time.delay(ageMs);
      expect([await visitLog(store.database(), log(), 0), await remindedIn()]).toEqual([isLate, dueMs]);
      expect(countOf(await store.database().get(entryKey(log())))).toBe(3);
    },
  );

  test('costs reads of the sequencer and the manifest, and more only of a log that has changed', async () => {
    await writeRecords(64);
    await compactBusyLog(session, 'tag');
    const first = store.database();
    await visitLog(first, log(), 0);
    const second = store.database();
    await visitLog(second, log(), 64);
    expect(first.consumption).toMatchObject({ calls: 3, readUnits: 1.5, writeUnits: 1 });
    expect(second.consumption).toMatchObject({ calls: 2, readUnits: 1.5, writeUnits: 0 });
  });
});

/** The schedule visits logs in virtual time: each visit takes 20 ms. */
describe('visitLogs', () => {
  const minuteMs = 60_000;

  async function register(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1)
      await store.table.putItem({
        TableName: store.tableName,
        Item: { ...entryKey({ tenant: `@${number}`, kind: 'tag' }), count: 0 },
      });
  }

  /** Runs the schedule each minute. Returns the number of visits of each run. */
  async function run(minutes: number, visited: string[], hasTime = () => true): Promise<number[]> {
    const runs: number[] = [];
    for (let minute = 0; minute < minutes; minute += 1) {
      const before = visited.length;
      const visit = async ({ tenant }: LogIdentity): Promise<void> => {
        visited.push(tenant);
        await time.delay(20);
      };
      await visitLogs(store.database(), { hasTime, visit });
      runs.push(visited.length - before);
      await time.delay(minuteMs);
    }
    return runs;
  }

  test('visits 100,000 logs within a day, each once, and at most 200 in a run', async () => {
    const count = 100_000;
    await register(count);
    const visited: string[] = [];
    const runs = await run(510, visited);
    expect([visited.length, new Set(visited).size, Math.max(...runs)]).toEqual([count, count, 200]);
  });

  test('goes on where a run has ended, and begins again a day later', async () => {
    await register(50);
    const visited: string[] = [];
    let left = 0;
    const hasTime = (): boolean => left-- > 0;
    for (let minute = 0; minute < 6; minute += 1) {
      left = 10;
      await run(1, visited, hasTime);
    }
    expect([visited.length, new Set(visited).size]).toEqual([50, 50]);
    expect(Math.max(...(await run(1_430, visited)))).toBe(0);
    expect((await run(10, visited)).filter((visits) => visits > 0)).toEqual([50]);
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

test('a list that meets more than 5,000 pending records logs their number: nothing else counts them while nothing compacts', async () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const reported = () =>
    write.mock.calls.map(([line]) => JSON.parse(String(line))).filter(({ pendingRecords }) => pendingRecords);
  const list = () => readPage(session, 'tag', { ...allRows, limit: 1 });
  try {
    await writeRecords(5_000);
    await list();
    expect(reported()).toEqual([]);
    await writeRecords(1);
    await list();
    expect(reported()).toEqual([
      expect.objectContaining({ level: 'WARN', tenant: session.tenant, kind: 'tag', pendingRecords: 5_001 }),
    ]);
  } finally {
    write.mockRestore();
  }
});
