import { randomUUID } from 'node:crypto';
import { remindBy } from '#functions/engine/care/reminders.ts';
import { readDueReminders } from '#functions/engine/due-work/read-jobs.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { manifestSortKey } from '#functions/engine/model/change-log.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { reminderIntervalMs } from '#functions/engine/model/reminder.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { handler as onSchedule } from '#functions/jobs/on-schedule.ts';
import { forEach } from '#functions/runtime/for-each.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { isValue, listQuery } from '../support/list-queries.ts';
import { startTestStore } from '../support/local-store.ts';
import { runs } from '../support/runs.ts';

/** `TENANTS=20000` for a longer run. */
const tenants = Number(process.env['TENANTS'] ?? runs(50, 1_000));

/** Tags of the one large tenant. */
const large = runs(500, 5_000);

/** Milliseconds of one run of the schedule: less than all logs take, so that runs continue what the earlier ones left. */
const runMs = 6_000;

/** Runs after which all logs are compacted, also on a machine that is busy with other things. */
const maxRuns = 200;

/** Milliseconds by which the clock goes forward: all reminders are due. */
const laterMs = reminderIntervalMs + 3_600_000;

let store: Awaited<ReturnType<typeof startTestStore>>;

beforeAll(async () => {
  store = await startTestStore();
  process.env['TABLE_NAME'] = store.tableName;
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(() => jest.restoreAllMocks());

const session = (tenant: string) => ({ tenant, database: store.database(600_000) });

/** Returns the tenants whose logs have a manifest. */
const compactedTenants = (): Set<string | undefined> =>
  new Set(
    store.table
      .snapshot()
      .filter(({ sk }) => sk === manifestSortKey)
      .map(({ pk }) => pk.split('#')[0]),
  );

const dueReminders = async (): Promise<number> =>
  (await readDueReminders(store.database(runMs), Date.now())).items.length;

test(`the schedule compacts the logs of ${tenants} tenants beside a large one, and each sees its own entities`, async () => {
  const names = Array.from({ length: tenants }, (_, number) => `tenant-${number}`);
  const tag = (name: string) => ({ name, status: 'active', color: '#808080', description: '' });
  const pieces = Array.from({ length: large }, (_, number) => ({
    changes: [buildCreate('tag', tag(String(number)), Date.now())],
  }));
  await applyInBatches(session('large'), pieces, 90);
  await forEach(names, 16, async (tenant) => {
    await createEntity(session(tenant), 'tag', tag(tenant));
  });
  // As the stream does when a log has too few records for a step.
  await forEach(['large', ...names], 16, (tenant) =>
    remindBy(session(tenant), 'tag', Date.now() + reminderIntervalMs),
  );
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + laterMs);
  expect(await dueReminders()).toBe(tenants + 1);
  for (let run = 1; (await dueReminders()) > 0; run += 1) {
    expect(run).toBeLessThan(maxRuns);
    await onSchedule(scheduledEvent(), functionContext(randomUUID(), runMs));
  }
  expect(compactedTenants().size).toBe(tenants + 1);
  for (const tenant of ['tenant-0', `tenant-${Math.floor(tenants / 2)}`, `tenant-${tenants - 1}`]) {
    const query = listQuery({ filters: [isValue('name', tenant)] });
    expect((await listEntities(session(tenant), 'tag', query)).total).toBe(1);
    expect((await listEntities(session(tenant), 'tag', listQuery())).total).toBe(1);
  }
  const { total } = await listEntities(session('large'), 'tag', listQuery());
  expect(total).toBe(large);
});
