import { randomUUID } from 'node:crypto';
import { handler } from '#functions/jobs/on-schedule.ts';
import { forEach } from '#functions/runtime/for-each.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { readJobs } from '#functions/store/cascades/read-jobs.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { buildJobWrite, type Job } from '#functions/store/model/job.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { listQuery } from '../support/list-queries.ts';
import { startTestStore, type TestStore } from '../support/local-store.ts';
import { runs } from '../support/runs.ts';
import { measureWaiting } from './waiting-time.ts';

/**
 * The deletion of an organization with all its descendants, by calls of a function with a timeout of three seconds.
 * docs/reliability.md reports results with `PROJECTS=1000`. Fewer projects also need several pages of children.
 */

/** Milliseconds that a call of the function may take. */
const timeout = 3_000;

/** Additional milliseconds for what a call does after its last one to the database. */
const slack = 1_000;

const projects = Number(process.env['PROJECTS'] ?? runs(30, 150));
const tasksEach = 10;

let store: TestStore;
let logged: jest.SpyInstance;

beforeAll(async () => {
  // The schedule runs the jobs. A stream would only slow the engine down.
  store = await startTestStore();
  process.env['TABLE_NAME'] = store.tableName;
  // The expected log lines of interrupted steps would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterAll(async () => {
  logged.mockRestore();
  await store.stop();
});

const session: Session = {
  tenant: randomUUID(),
  get database() {
    return store.database(60_000);
  },
};

const total = async (kind: Kind): Promise<number> => {
  return (await listEntities(session, kind, listQuery({ limit: 1 }))).total;
};

async function createOrganization(): Promise<string> {
  const { entity } = await createEntity(session, 'organization', { name: 'Large', status: 'active' });
  const created = Array.from({ length: projects }, (_, number) =>
    buildCreate(
      'project',
      { name: `Project ${number}`, status: 'active', organizationId: entity.id },
      Date.now(),
    ),
  );
  const tasks = created.flatMap(({ after }) =>
    Array.from({ length: tasksEach }, (_, number) => {
      const references = { projectId: after.entity.id, userId: null, tagIds: [] };
      // Half of the descriptions are stored beside their tasks.
      const description = 'x'.repeat(number % 2 === 0 ? 500 : 50);
      return buildCreate(
        'task',
        { name: `Task ${number}`, status: 'active', description, ...references },
        Date.now(),
      );
    }),
  );
  const pieces = [...created, ...tasks].map((change) => ({ changes: [change] }));
  await applyInBatches(session, pieces, 40);
  return entity.id;
}

/** Returns the jobs of the deletion. */
const jobs = (): Promise<Job[]> => readJobs(store.database());

/** Calls the function until no job is due. @returns the number of calls. */
async function work(): Promise<number> {
  for (let calls = 0; ; calls += 1) {
    const now = new Date().toISOString();
    if (!(await jobs()).some(({ dueAt }) => dueAt <= now)) return calls;
    const { waitedMs } = await measureWaiting(() =>
      handler(scheduledEvent(), functionContext(randomUUID(), timeout)),
    );
    expect(waitedMs).toBeLessThan(timeout + slack);
  }
}

test(`deleting an organization deletes ${projects} projects with ${tasksEach} tasks each in steps of 3 seconds`, async () => {
  const organization = await createOrganization();
  expect([await total('project'), await total('task')]).toEqual([projects, projects * tasksEach]);
  const started = performance.now();
  await deleteEntity(session, 'organization', organization);
  const calls = await work();
  expect(calls).toBeGreaterThan(0);
  expect([await total('project'), await total('task')]).toEqual([0, 0]);
  // Each job runs a second time for children of concurrent requests. The test makes it due at once.
  let more = 0;
  for (let waiting = await jobs(); waiting.length > 0; waiting = await jobs()) {
    await forEach(waiting, 8, async (job) => {
      const due = { ...job, version: job.version + 1, dueAt: new Date(0).toISOString() };
      await store.database().transact([buildJobWrite(job, due)]);
    });
    more += await work();
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  expect(more).toBeGreaterThan(0);
  const report = await auditTable(store.client, store.tableName, { pauseMs: 50 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
  logged.mockRestore();
  process.stdout.write(`${projects} projects: ${calls} + ${more} calls, ${seconds} s\n`);
});
