import { randomUUID } from 'node:crypto';
import { continueJob } from '#functions/store/cascades/continue-job.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { readJobs } from '#functions/store/cascades/read-jobs.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { buildJobWrite, type Job } from '#functions/store/model/job.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { applyChangeSet, applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** Jobs without the stream. The tests call each step directly: with a short timeout, twice or late. */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

/** Returns a session with a timeout for a whole test, because DynamoDB Local writes slowly. */
const newSession = (): Session => ({ tenant: randomUUID(), database: store.database(120_000) });
const fields = (more: Record<string, unknown> = {}) => ({ name: 'x', status: 'active', ...more });

async function count(session: Session, kind: Kind, field: string, value: string): Promise<number> {
  const query = listQuery({ filters: [isValue(field, value)], limit: 1 });
  return (await listEntities(session, kind, query)).total;
}

/** Returns the jobs of a tenant. */
async function pendingJobs({ tenant }: Session): Promise<Job[]> {
  const jobs = await readJobs(store.database());
  return jobs.filter((job) => job.tenant === tenant);
}

/** Runs all due jobs until none is due. Repeats steps that time out. @returns the number of steps. */
async function workAll(session: Session, milliseconds?: number): Promise<number> {
  for (let steps = 0; ; ) {
    const due = (await pendingJobs(session)).filter(({ dueAt }) => dueAt <= new Date().toISOString());
    if (due.length === 0) return steps;
    for (const { id } of due) {
      try {
        await continueJob(
          store.database(milliseconds),
          { tenant: session.tenant, id },
          { owner: randomUUID() },
        );
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      steps += 1;
    }
  }
}

/** Makes the jobs that wait for their second sweep due. */
async function bringForward(session: Session): Promise<void> {
  for (const job of await pendingJobs(session)) {
    await store
      .database()
      .transact([buildJobWrite(job, { ...job, version: job.version + 1, dueAt: new Date(0).toISOString() })]);
  }
}

async function projectWithTasks(session: Session, tasks: number): Promise<string> {
  const organization = await createEntity(session, 'organization', fields());
  const project = await createEntity(session, 'project', fields({ organizationId: organization.entity.id }));
  const pieces = Array.from({ length: tasks }, (_, number) => {
    const task = fields({ name: String(number), projectId: project.entity.id, userId: null, tagIds: [] });
    return { changes: [buildCreate('task', task, Date.now())] };
  });
  await applyInBatches(session, pieces, 90);
  return project.entity.id;
}

/** Records a job that clones the tasks of one project into another and is due now. */
const recordCloneJob = async (session: Session, from: string, to: string): Promise<Job> => {
  const job: Job = {
    id: (await createEntity(session, 'tag', fields())).entity.id,
    tenant: session.tenant,
    version: 1,
    dueAt: new Date(0).toISOString(),
    work: { type: 'clone', from, to, asOf: Date.now(), after: '' },
  };
  await session.database.transact([buildJobWrite(undefined, job)]);
  return job;
};

test('a deletion that outgrows a transaction completes in steps that time out', async () => {
  const session = newSession();
  const project = await projectWithTasks(session, 260);
  await deleteEntity(session, 'project', project);
  expect(await count(session, 'task', 'projectId', project)).toBe(260);
  // A little more than the minimum time of a turn, so that each step makes one or two turns.
  const steps = await workAll(session, 1_015);
  expect(steps).toBeGreaterThan(1);
  expect(await count(session, 'task', 'projectId', project)).toBe(0);
});

test('the second sweep deletes a child of a request that still saw its parent', async () => {
  const session = newSession();
  const project = await projectWithTasks(session, 1);
  await deleteEntity(session, 'project', project);
  await workAll(session);
  const late = buildCreate('task', fields({ projectId: project, userId: null, tagIds: [] }), Date.now());
  await applyChangeSet(session, { changes: [late] });
  const [waiting] = await pendingJobs(session);
  expect(Date.parse(waiting?.dueAt ?? '')).toBeGreaterThan(Date.now() + 20_000);
  await workAll(session);
  expect(await count(session, 'task', 'projectId', project)).toBe(1);
  await bringForward(session);
  await workAll(session);
  expect(await count(session, 'task', 'projectId', project)).toBe(0);
  expect(await pendingJobs(session)).toEqual([]);
});

test('a job that is delivered several times concurrently is done once', async () => {
  const session = newSession();
  const from = await projectWithTasks(session, 120);
  const to = await projectWithTasks(session, 0);
  const job = await recordCloneJob(session, from, to);
  await Promise.all(
    Array.from({ length: 4 }, () =>
      continueJob(store.database(), { tenant: session.tenant, id: job.id }, { owner: randomUUID() }),
    ),
  );
  expect(await count(session, 'task', 'projectId', to)).toBe(120);
  expect(await pendingJobs(session)).toEqual([]);
});

test('a clone stops when the new project is deleted', async () => {
  const session = newSession();
  const from = await projectWithTasks(session, 3);
  const to = await projectWithTasks(session, 0);
  await deleteEntity(session, 'project', to);
  const job = await recordCloneJob(session, from, to);
  await continueJob(store.database(), { tenant: session.tenant, id: job.id }, { owner: randomUUID() });
  expect(await count(session, 'task', 'projectId', to)).toBe(0);
});

test('a deleted tag is removed from tasks that were tagged after the first sweep', async () => {
  const session = newSession();
  const tag = (await createEntity(session, 'tag', fields())).entity.id;
  const other = (await createEntity(session, 'tag', fields())).entity.id;
  await deleteEntity(session, 'tag', tag);
  await workAll(session);
  const late = buildCreate(
    'task',
    fields({ projectId: null, userId: null, tagIds: [other, tag] }),
    Date.now(),
  );
  await applyChangeSet(session, { changes: [late] });
  await bringForward(session);
  await workAll(session);
  expect(await count(session, 'task', 'tagIds', tag)).toBe(0);
  expect(await count(session, 'task', 'tagIds', other)).toBe(1);
});

test('deleting an organization deletes its projects and their tasks in several jobs', async () => {
  const session = newSession();
  const organization = (await createEntity(session, 'organization', fields())).entity.id;
  const tasks: string[] = [];
  for (let number = 0; number < 60; number += 1) {
    const project = await createEntity(session, 'project', fields({ organizationId: organization }));
    tasks.push(project.entity.id);
    await createEntity(session, 'task', fields({ projectId: project.entity.id, userId: null, tagIds: [] }));
  }
  await deleteEntity(session, 'organization', organization);
  await workAll(session);
  expect(await count(session, 'project', 'organizationId', organization)).toBe(0);
  const remaining = await Promise.all(tasks.map((project) => count(session, 'task', 'projectId', project)));
  expect(remaining.every((number) => number === 0)).toBe(true);
});
