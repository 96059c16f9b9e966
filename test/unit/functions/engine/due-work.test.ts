import { randomUUID } from 'node:crypto';
import { beginSweep, sweep } from '#functions/engine/deletions/sweep.ts';
import { continueJob, maxSteps } from '#functions/engine/due-work/continue-job.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { newId } from '#functions/engine/model/ids.ts';
import { buildJobWrite, decodeJob, dueJobsOf, type Job } from '#functions/engine/model/job.ts';
import { decodePace, encodePace, newPace, type Pace, paceKey } from '#functions/engine/model/pace.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import type { JobHandlers } from '#functions/engine/write/job-handler.ts';
import { now, setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { refused, throttled } from '#test/support/table/faults.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

/** Jobs with the pace of a deployment, in virtual time. The local service sets none, so its jobs do not wait. */

let store: ReturnType<typeof startTestStore>;
let session: Session;

beforeAll(async () => {
  setTimeAndChance(new VirtualTime(1, Date.now()));
  store = startTestStore();
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

beforeEach(() => {
  session = { tenant: randomUUID(), database: store.database(120_000) };
  process.env['JOB_CHANGES_PER_SECOND'] = '100';
});

afterEach(() => {
  store.table.intercept = undefined;
});

afterAll(() => {
  delete process.env['JOB_CHANGES_PER_SECOND'];
  jest.restoreAllMocks();
  setTimeAndChance();
});

/** Creates tasks of a project that does not exist, and the job that takes them out of it. Returns the id of the project. */
async function beginDeletion(tasks: number): Promise<string> {
  const { id } = newId(now());
  const fields = { name: 'x', status: 'active', projectId: id, userId: null, tagIds: [] };
  const created = Array.from({ length: tasks }, () => ({ changes: [buildCreate('task', fields, now())] }));
  await applyInBatches(session, created, 90);
  await session.database.transact([beginSweep(session, 'project', [id], { id: newId(now()).id })]);
  return id;
}

async function tasksOf(project: string): Promise<number> {
  const query = listQuery({ filters: [isValue('projectId', project)], limit: 1 });
  return (await listEntities(session, 'task', query)).total;
}

async function theJobs(): Promise<[Job, ...Job[]]> {
  const { items } = await session.database.query(dueJobsOf(session.tenant, Date.parse('3000-01-01')));
  return items.map(decodeJob) as [Job, ...Job[]];
}

const paceOf = async (): Promise<Pace> =>
  decodePace((await session.database.get(paceKey(session.tenant))) as Item);

const reserveUntil = (freeAt: number, tenant = session.tenant) =>
  session.database.putItem(encodePace({ ...newPace(tenant), freeAt }));

const proceed = ({ id, tenant }: Job): Promise<boolean> =>
  continueJob(store.database(30_000), { tenant, id }, { owner: randomUUID() });

test('jobs of a tenant reserve the time of their changes, one after the other', async () => {
  const projects = [await beginDeletion(150), await beginDeletion(150)];
  const began = now();
  await Promise.all((await theJobs()).map(proceed));
  // 300 changes take 3 s. The last reservation, of 50 or 100 changes, may end after the jobs.
  expect((await paceOf()).freeAt).toBeGreaterThanOrEqual(began + 3_000);
  expect(now()).toBeGreaterThanOrEqual(began + 2_000);
  for (const project of projects) expect(await tasksOf(project)).toBe(0);
});

test('the reservation of a process whose clock was wrong stops no job', async () => {
  const project = await beginDeletion(20);
  await reserveUntil(now() + 3_600_000);
  await proceed((await theJobs())[0]);
  expect(await tasksOf(project)).toBe(0);
});

test('a change that a job makes once is not made without its progress', async () => {
  await beginDeletion(1);
  const [job] = await theJobs();
  const { after } = buildCreate('tag', { name: 'copy', status: 'active' }, now());
  let steps = 0;
  const step = async (own: Session, leased: Job) => {
    steps += 1;
    // Another worker has taken over.
    await own.database.transact([buildJobWrite(leased, { ...leased, version: leased.version + 1 })]);
    return { once: { changes: [{ after }] }, left: undefined };
  };
  const handlers = { sweep: { ...sweep, step } } as unknown as JobHandlers;
  const own = { owner: randomUUID(), handlers };
  await continueJob(store.database(30_000), { tenant: session.tenant, id: job.id }, own);
  expect([steps, (await listEntities(session, 'tag', listQuery())).total]).toEqual([1, 0]);
});

test('jobs of another tenant do not wait', async () => {
  const project = await beginDeletion(20);
  await reserveUntil(now() + 60_000, randomUUID());
  await proceed((await theJobs())[0]);
  expect(await tasksOf(project)).toBe(0);
});

test('a job whose turn is far away is postponed, and continues later', async () => {
  const project = await beginDeletion(20);
  await reserveUntil(now() + 60_000);
  const began = now();
  await proceed((await theJobs())[0]);
  const [postponed] = await theJobs();
  expect(await tasksOf(project)).toBe(20);
  expect(Date.parse(postponed.dueAt)).toBeGreaterThanOrEqual(began + 30_000);
  expect(postponed.lease).toBeUndefined();
  // A repeated stream record does not continue it.
  expect(await proceed(postponed)).toBe(false);
});

test.each([
  ['ThrottlingException', () => refused('ThrottlingException')],
  ['a transaction that is cancelled for throttling', throttled],
])('jobs are slower after %s', async (_, course) => {
  const project = await beginDeletion(250);
  process.env['JOB_CHANGES_PER_SECOND'] = '1000';
  let isThrottled = false;
  store.table.intercept = (call) => {
    // The first transaction that changes tasks.
    if (isThrottled || call.operation !== 'TransactWriteItems') return undefined;
    if (!JSON.stringify(call.input).includes('"projectId":null')) return undefined;
    isThrottled = true;
    return course(call);
  };
  await proceed((await theJobs())[0]);
  // The first step is throttled, the second one doubles the time, and the third one is faster again.
  expect((await paceOf()).slowdown).toBe(1.5);
  expect(await tasksOf(project)).toBe(0);
});

test('a job that has taken too many steps is reported and not continued', async () => {
  const project = await beginDeletion(1);
  const [job] = await theJobs();
  const stuck = { ...job, version: job.version + 1, steps: maxSteps };
  await session.database.transact([buildJobWrite(job, stuck)]);
  await expect(proceed(stuck)).rejects.toThrow(`The job is not complete after ${maxSteps} steps.`);
  expect(await theJobs()).toEqual([stuck]);
  expect(await tasksOf(project)).toBe(1);
});
