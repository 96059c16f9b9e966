import { randomUUID } from 'node:crypto';
import { handler } from '../../functions/jobs/on-schedule.ts';
import { deleteEntity } from '../../functions/shared/store/cascades/delete-entity.ts';
import { buildJobWrite, decodeJob, type Job, jobsQuery } from '../../functions/shared/store/cascades/job.ts';
import { createEntity } from '../../functions/shared/store/entities/create-entity.ts';
import { listEntities } from '../../functions/shared/store/lists/list-entities.ts';
import { buildCreate } from '../../functions/shared/store/model/changes.ts';
import type { Kind } from '../../functions/shared/store/model/relations.ts';
import { applyInBatches } from '../../functions/shared/store/unit-of-work/commit.ts';
import type { Session } from '../../functions/shared/store/unit-of-work/session.ts';
import { auditTable } from '../../lib/audit/audit-table.ts';
import { functionContext, scheduledEvent } from '../../lib/local/lambda-context.ts';
import { startTestStore, type TestStore } from '../support/local-store.ts';
import { runs } from '../support/runs.ts';
import { forEach } from './for-each.ts';

/**
 * An organization that is deleted with all that hangs on it, job by job, by a function that has three seconds at a time.
 * `PROJECTS=1000` is what docs/reliability.md speaks of; fewer make several pages of the index as well.
 */

/** Milliseconds that a call of the function may take. */
const timeout = 3_000;

/** Milliseconds that this machine may take beyond that. */
const slack = 1_000;

const projects = Number(process.env['PROJECTS'] ?? runs(30, 150));
const tasksEach = 10;

let store: TestStore;
let logged: jest.SpyInstance;

beforeAll(async () => {
  // The jobs are the schedule's to do: the stream would only make the engine slow.
  store = await startTestStore({ stream: false });
  process.env['TABLE_NAME'] = store.tableName;
  // Steps that their time cuts off are logged, as they should be.
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
  const query = { filters: [], sortBy: 'createdAt', sortOrder: 'desc', page: 1, limit: 1 } as const;
  return (await listEntities(session, kind, query)).total;
};

/** An organization with projects, and tasks in each. */
async function load(): Promise<string> {
  const { entity } = await createEntity(session, 'organization', { name: 'Large', status: 'active' });
  const made = Array.from({ length: projects }, (_, number) =>
    buildCreate('project', { name: `Project ${number}`, status: 'active', organizationId: entity.id }),
  );
  const tasks = made.flatMap(({ after }) =>
    Array.from({ length: tasksEach }, (_, number) => {
      const references = { projectId: after.entity.id, userId: null, tagIds: [] };
      return buildCreate('task', { name: `Task ${number}`, status: 'active', ...references });
    }),
  );
  const pieces = [...made, ...tasks].map((change) => ({ changes: [change] }));
  await applyInBatches(session, pieces, 40);
  return entity.id;
}

async function jobs(): Promise<Job[]> {
  const found: Job[] = [];
  for await (const items of store.database().pages(jobsQuery)) found.push(...items.map(decodeJob));
  return found;
}

/** Calls the function until nothing is due. @returns how often. */
async function work(): Promise<number> {
  for (let calls = 0; ; calls += 1) {
    const now = new Date().toISOString();
    if (!(await jobs()).some(({ dueAt }) => dueAt <= now)) return calls;
    const started = performance.now();
    await handler(scheduledEvent(), functionContext(randomUUID(), timeout));
    expect(performance.now() - started).toBeLessThan(timeout + slack);
  }
}

test(`${projects} projects with ${tasksEach} tasks each go with their organization, in steps of 3 seconds`, async () => {
  const organization = await load();
  expect([await total('project'), await total('task')]).toEqual([projects, projects * tasksEach]);
  const started = performance.now();
  await deleteEntity(session, 'organization', organization);
  const calls = await work();
  expect(calls).toBeGreaterThan(0);
  expect([await total('project'), await total('task')]).toEqual([0, 0]);
  // Each comes back once, for what a request wrote that still saw its parent: that is not waited for here.
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
  const report = await auditTable(store.client, store.tableName, { pause: 50 });
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], unsettled: [] });
  logged.mockRestore();
  process.stdout.write(`${projects} projects: ${calls} + ${more} calls, ${seconds} s\n`);
}, 600_000);
