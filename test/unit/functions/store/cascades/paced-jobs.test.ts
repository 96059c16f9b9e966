import { randomUUID } from 'node:crypto';
import { handler as onSchedule } from '#functions/jobs/on-schedule.ts';
import { now, setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { continueJob, maxSteps } from '#functions/store/cascades/continue-job.ts';
import { readJobs } from '#functions/store/cascades/read-jobs.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { newId } from '#functions/store/model/ids.ts';
import { beginJob, buildJobWrite, type Job } from '#functions/store/model/job.ts';
import { decodePace, encodePace, newPace, type Pace, paceKey } from '#functions/store/model/pace.ts';
import { applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import type { Call, Course } from '#test/support/table/course.ts';
import { refused, throttled } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

/** Jobs with the pace of a deployment, in virtual time. The local service sets none, so its jobs do not wait. */

let store: Awaited<ReturnType<typeof startTestStore>>;

beforeAll(async () => {
  setTimeAndChance(new VirtualTime(1, Date.now()));
  store = await startTestStore();
  process.env['TABLE_NAME'] = store.tableName;
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => {
  delete process.env['JOB_CHANGES_PER_SECOND'];
  store.table.intercept = undefined;
});

afterAll(() => {
  jest.restoreAllMocks();
  setTimeAndChance();
});

const newSession = (): Session => ({ tenant: randomUUID(), database: store.database(120_000) });

/** Creates tasks of a project that does not exist, and the job that deletes them. */
async function beginSweep(session: Session, tasks: number): Promise<string> {
  const { id } = buildCreate('project', { name: 'x', status: 'active' }, now()).after.entity;
  const fields = { name: 'x', status: 'active', projectId: id, userId: null, tagIds: [] };
  const created = Array.from({ length: tasks }, () => ({
    changes: [buildCreate('task', fields, now())],
  }));
  await applyInBatches(session, created, 90);
  const sweep = { type: 'sweep', kind: 'project', id, final: true, relation: 0 } as const;
  await session.database.transact([beginJob(session, sweep, { id: newId(now()).id })]);
  return id;
}

async function tasksOf(session: Session, project: string): Promise<number> {
  const query = listQuery({ filters: [isValue('projectId', project)], limit: 1 });
  return (await listEntities(session, 'task', query)).total;
}

const jobsOf = async ({ tenant, database }: Session): Promise<Job[]> =>
  (await readJobs(database)).filter((job) => job.tenant === tenant);

async function theJob(session: Session): Promise<Job> {
  const [job] = await jobsOf(session);
  if (!job) throw new Error('There is no job.');
  return job;
}

async function paceOf({ tenant, database }: Session): Promise<Pace | undefined> {
  const item = await database.get(paceKey(tenant));
  return item && decodePace(item);
}

const proceed = (session: Session, { id }: Job): Promise<boolean> =>
  continueJob(store.database(30_000), { tenant: session.tenant, id }, { owner: randomUUID() });

async function complete(session: Session): Promise<void> {
  for (let [job] = await jobsOf(session); job; [job] = await jobsOf(session)) await proceed(session, job);
}

test('jobs of a tenant reserve the time of their changes, one after the other', async () => {
  const session = newSession();
  const projects = [await beginSweep(session, 150), await beginSweep(session, 150)];
  process.env['JOB_CHANGES_PER_SECOND'] = '100';
  const began = now();
  await Promise.all((await jobsOf(session)).map((job) => proceed(session, job)));
  // 300 changes take 3 s. The last reservation, of 50 or 100 changes, may end after the jobs.
  expect((await paceOf(session))?.freeAt).toBeGreaterThanOrEqual(began + 3_000);
  expect(now()).toBeGreaterThanOrEqual(began + 2_000);
  for (const project of projects) expect(await tasksOf(session, project)).toBe(0);
});

test('jobs of another tenant do not wait', async () => {
  const [one, other] = [newSession(), newSession()];
  await beginSweep(one, 1);
  const project = await beginSweep(other, 20);
  await one.database.putItem(encodePace({ ...newPace(one.tenant), freeAt: now() + 60_000 }));
  process.env['JOB_CHANGES_PER_SECOND'] = '100';
  await proceed(other, await theJob(other));
  expect(await tasksOf(other, project)).toBe(0);
});

test('without the setting, jobs do not read or write a pace', async () => {
  const session = newSession();
  const project = await beginSweep(session, 150);
  await complete(session);
  expect([await paceOf(session), await tasksOf(session, project)]).toEqual([undefined, 0]);
});

test('a job whose turn is far away is postponed, and continues later', async () => {
  const session = newSession();
  const project = await beginSweep(session, 20);
  process.env['JOB_CHANGES_PER_SECOND'] = '100';
  await session.database.putItem(encodePace({ ...newPace(session.tenant), freeAt: now() + 60_000 }));
  const job = await theJob(session);
  const began = now();
  await proceed(session, job);
  const postponed = await theJob(session);
  expect(await tasksOf(session, project)).toBe(20);
  expect(Date.parse(postponed.dueAt)).toBeGreaterThanOrEqual(began + 30_000);
  expect(postponed.lease).toBeUndefined();
  // A repeated stream record does not continue it.
  expect(await proceed(session, postponed)).toBe(false);
  await session.database.putItem(encodePace(newPace(session.tenant)));
  const due = { ...postponed, version: postponed.version + 1, dueAt: new Date(0).toISOString() };
  await session.database.transact([buildJobWrite(postponed, due)]);
  await proceed(session, due);
  expect(await tasksOf(session, project)).toBe(0);
});

test('a worker without the time to wait gives the job back at once', async () => {
  const session = newSession();
  await beginSweep(session, 20);
  process.env['JOB_CHANGES_PER_SECOND'] = '100';
  await session.database.putItem(encodePace({ ...newPace(session.tenant), freeAt: now() + 4_900 }));
  const { id } = await theJob(session);
  await continueJob(store.database(3_000), { tenant: session.tenant, id }, { owner: randomUUID() });
  const { dueAt, lease } = await theJob(session);
  expect(Date.parse(dueAt)).toBeLessThanOrEqual(now());
  expect(lease).toBeUndefined();
});

test.each<[string, (call: Call) => Course]>([
  ['ThrottlingException', () => refused('ThrottlingException')],
  ['ProvisionedThroughputExceededException', () => refused('ProvisionedThroughputExceededException')],
  ['a transaction that is cancelled for throttling', throttled],
])('jobs are slower after %s', async (_, course) => {
  const session = newSession();
  const project = await beginSweep(session, 250);
  process.env['JOB_CHANGES_PER_SECOND'] = '1000';
  const job = await theJob(session);
  let isThrottled = false;
  store.table.intercept = (call) => {
    // The first transaction that deletes tasks.
    if (
      isThrottled ||
      call.operation !== 'TransactWriteItems' ||
      !JSON.stringify(call.input).includes('"deletedAt"')
    )
      return undefined;
    isThrottled = true;
    return course(call);
  };
  await proceed(session, job);
  // The first step is throttled, the second one doubles the time, and the third one is faster again.
  expect((await paceOf(session))?.slowdown).toBe(1.5);
  expect(await tasksOf(session, project)).toBe(0);
});

test('the schedule runs the jobs of other tenants before the second job of one tenant', async () => {
  const [busy, other] = [newSession(), newSession()];
  for (let number = 0; number < 12; number += 1) await beginSweep(busy, 1);
  const project = await beginSweep(other, 1);
  process.env['JOB_CHANGES_PER_SECOND'] = '100';
  await busy.database.putItem(encodePace({ ...newPace(busy.tenant), freeAt: now() + 60_000 }));
  await onSchedule(scheduledEvent(), functionContext(randomUUID(), 20_000));
  expect(await tasksOf(other, project)).toBe(0);
  expect(await jobsOf(other)).toEqual([]);
});

test('a job that has taken too many steps is reported and not continued', async () => {
  const session = newSession();
  const project = await beginSweep(session, 1);
  const job = await theJob(session);
  const stuck = { ...job, version: job.version + 1, steps: maxSteps };
  await session.database.transact([buildJobWrite(job, stuck)]);
  await expect(proceed(session, stuck)).rejects.toThrow(`The job is not complete after ${maxSteps} steps.`);
  expect(await theJob(session)).toEqual(stuck);
  expect(await tasksOf(session, project)).toBe(1);
});

test('each step of a job is counted', async () => {
  const session = newSession();
  const { id } = buildCreate('organization', { name: 'x', status: 'active' }, now()).after.entity;
  for (const kind of ['project', 'user'] as const) {
    const child = buildCreate(kind, { name: 'x', status: 'active', organizationId: id }, now());
    await applyInBatches(session, [{ changes: [child] }], 1);
  }
  const sweep = { type: 'sweep', kind: 'organization', id, final: false, relation: 0 } as const;
  await session.database.transact([beginJob(session, sweep, { id: 'sweep' })]);
  await proceed(session, { ...(await theJob(session)), id: 'sweep' });
  const sweeps = await jobsOf(session);
  // One step for the projects, one for the users, and one that ends the first sweep.
  expect(sweeps.find((job) => job.id === 'sweep')?.steps).toBe(3);
});
