/** What the background work of a quiet log costs: of one that is written once a day. Units are counted, not time. */
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

/** Looks at the log as the schedule does: each hour, by a process that has read no columns yet. */
async function lookEachHour(database: ReturnType<TestStore['database']>): Promise<void> {
  let reminder = await readReminder();
  for (let hour = 0; hour < 24; hour += 1) {
    now += hourMs;
    if (!reminder || reminder.dueAt > now) continue;
    processMemory.clear();
    await continueReminder(database, reminder);
    reminder = await readReminder();
  }
}

test.each([
  ['a change', change, 12],
  ['a create', create, 30],
])('%s a day costs few write units and read units', async (_, build, maxWriteUnits) => {
  const background = store.database(600_000);
  for (let day = 0; day < days; day += 1) {
    const one = await build(day);
    await requireReminders({ tenant, database: background }, [one]);
    await applyChangeSet(store.session(tenant), { changes: [one] });
    await lookEachHour(background);
  }
  const { writeUnits, readUnits } = background.consumption;
  expect(writeUnits / days).toBeLessThanOrEqual(maxWriteUnits);
  expect(readUnits / days).toBeLessThanOrEqual(10 + readUnitsOfComparisons);
});
