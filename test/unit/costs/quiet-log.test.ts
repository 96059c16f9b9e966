/** What the background work of a quiet log costs: of one that is written once a day, or once. Units are counted, not time. */
import { continueReminder } from '#functions/store/cascades/compact-log.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { buildCreate, buildUpdate, type Change } from '#functions/store/model/changes.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import { decodeReminder, type Reminder, reminderKey } from '#functions/store/model/reminder.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { requireReminders } from '#functions/store/unit-of-work/reminders.ts';
import { compactAll } from '#test/support/compaction.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const tenant = 'quiet';
const hourMs = 3_600_000;
const rows = 2_000;
const days = 60;

/** In sixty days, all rows are compared twice. An entity costs an eighth of a read unit. */
const readUnitsOfComparisons = (2 * rows) / 8 / days;

let store: TestStore;
const ids: string[] = [];
let now = Date.parse('2026-02-03T04:00:00.000Z');

beforeAll(async () => {
  store = await startTestStore();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  for (let row = 0; row < rows; row += 50) {
    const changes = Array.from({ length: 50 }, (_, number) =>
      buildCreate('tag', { name: `Tag ${row + number}`, status: 'active' }, now),
    );
    ids.push(...changes.map(({ after }) => after.entity.id));
    await applyChangeSet(store.session(tenant), { changes });
    now += 1_000;
  }
  await compactAll(store.database(), tenant, 'tag');
  now += hourMs;
});

afterAll(async () => {
  jest.restoreAllMocks();
  await store.stop();
});

const create = async (): Promise<Change> => buildCreate('tag', { name: 'Another', status: 'active' }, now);

async function change(day: number): Promise<Change> {
  const key = entityKey(tenant, 'tag', ids[(day * 37) % rows] as string);
  const before = decodeEntity((await store.database().get(key)) as Item);
  return buildUpdate(before, { name: `Changed on day ${day}` }, now);
}

/** Nothing else changes it between two looks. */
async function readReminder(): Promise<Reminder | undefined> {
  const item = await store.database().get(reminderKey({ tenant, kind: 'tag' }));
  return item && decodeReminder(item);
}

/** Lets time pass, and looks at the log as the schedule does: each hour, by a process that has read no columns yet. */
async function passHours(database: ReturnType<TestStore['database']>, hours: number): Promise<void> {
  let reminder = await readReminder();
  for (let hour = 0; hour < hours; hour += 1) {
    now += hourMs;
    if (!reminder || reminder.dueAt > now) continue;
    processMemory.clear();
    await continueReminder(database, reminder);
    reminder = await readReminder();
  }
}

const atOneHour = (): number => 0;

/** The hour of a working day of eight hours, in no order. */
const atAnyHour = (day: number): number => (day * 5) % 8;

test.each([
  ['a change a day', change, atOneHour, 9],
  ['a change a day at any hour of eight', change, atAnyHour, 9],
  ['a change a day at any hour', change, (day: number) => (day * 7) % 24, 10],
  ['a create a day', create, atOneHour, 9],
])('%s costs few write units and read units', async (_, build, hourOf, maxWriteUnits) => {
  const background = store.database(600_000);
  for (let day = 0; day < days; day += 1) {
    await passHours(background, hourOf(day));
    const one = await build(day);
    await requireReminders({ tenant, database: background }, [one]);
    await applyChangeSet(store.session(tenant), { changes: [one] });
    await passHours(background, 24 - hourOf(day));
  }
  const { writeUnits, readUnits } = background.consumption;
  expect(writeUnits / days).toBeLessThanOrEqual(maxWriteUnits);
  expect(readUnits / days).toBeLessThanOrEqual(10 + readUnitsOfComparisons);
});

test('the reminder of a lone write is written, moved to the comparison of the log, and deleted after it', async () => {
  await passHours(store.database(600_000), 40 * 24);
  expect(await readReminder()).toBeUndefined();
  const writer = store.database();
  const one = await create();
  await requireReminders({ tenant, database: writer }, [one]);
  await applyChangeSet(store.session(tenant), { changes: [one] });
  const background = store.database(600_000);
  const { dueAt } = (await readReminder()) as Reminder;
  await passHours(background, 24);
  expect((await readReminder())?.dueAt).toBeGreaterThan(dueAt + 10 * 24 * hourMs);
  await passHours(background, 40 * 24);
  expect(await readReminder()).toBeUndefined();
  expect(writer.consumption.writeUnits).toBe(2);
  expect(background.consumption.writeUnits).toBeLessThanOrEqual(12);
});
