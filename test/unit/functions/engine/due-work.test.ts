import { randomUUID } from 'node:crypto';
import { beginSweep, sweep } from '#functions/engine/deletions/sweep.ts';
import { continueJob, maxSteps } from '#functions/engine/due-work/continue-job.ts';
import { readDueReminders, readFirstJobs } from '#functions/engine/due-work/read-jobs.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { newId } from '#functions/engine/model/ids.ts';
import { beginJob, buildJobWrite, decodeJob, dueJobsOf, type Job } from '#functions/engine/model/job.ts';
import { decodePace, encodePace, newPace, type Pace, paceKey } from '#functions/engine/model/pace.ts';
import { encodeReminder } from '#functions/engine/model/reminder.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import type { JobHandlers } from '#functions/engine/write/job-handler.ts';
import { delay, now, setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
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

/** Creates tasks of a user who does not exist, and the job that takes the user from them. Returns the id of the user. */
async function beginDeletion(tasks: number): Promise<string> {
  const { id } = newId(now());
  const fields = { name: 'x', status: 'active', projectId: null, userId: id, tagIds: [] };
  const created = Array.from({ length: tasks }, () => ({ changes: [buildCreate('task', fields, now())] }));
  await applyInBatches(session, created, 90);
  await session.database.transact([beginSweep(session, 'user', [id], { id: newId(now()).id })]);
  return id;
}

async function tasksOf(user: string): Promise<number> {
  const query = listQuery({ filters: [isValue('userId', user)], limit: 1 });
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
  const users = [await beginDeletion(150), await beginDeletion(150)];
  const began = now();
  await Promise.all((await theJobs()).map(proceed));
  // 300 changes take 3 s. The last reservation, of 50 or 100 changes, may end after the jobs.
  expect((await paceOf()).freeAt).toBeGreaterThanOrEqual(began + 3_000);
  expect(now()).toBeGreaterThanOrEqual(began + 2_000);
  for (const user of users) expect(await tasksOf(user)).toBe(0);
});

test('the reservation of a process whose clock was wrong stops no job', async () => {
  const user = await beginDeletion(20);
  await reserveUntil(now() + 3_600_000);
  await proceed((await theJobs())[0]);
  expect(await tasksOf(user)).toBe(0);
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
  const user = await beginDeletion(20);
  await reserveUntil(now() + 60_000, randomUUID());
  await proceed((await theJobs())[0]);
  expect(await tasksOf(user)).toBe(0);
});

test('a job whose turn is far away is postponed, and continues later', async () => {
  const user = await beginDeletion(20);
  await reserveUntil(now() + 60_000);
  const began = now();
  await proceed((await theJobs())[0]);
  const [postponed] = await theJobs();
  expect(await tasksOf(user)).toBe(20);
  expect(Date.parse(postponed.dueAt)).toBeGreaterThanOrEqual(began + 30_000);
  expect(postponed.lease).toBeUndefined();
  // A repeated stream record does not continue it.
  expect(await proceed(postponed)).toBe(false);
});

test.each([
  ['ThrottlingException', () => refused('ThrottlingException')],
  ['a transaction that is cancelled for throttling', throttled],
])('jobs are slower after %s', async (_, course) => {
  const user = await beginDeletion(250);
  process.env['JOB_CHANGES_PER_SECOND'] = '1000';
  let isThrottled = false;
  store.table.intercept = (call) => {
    // The first transaction that changes tasks.
    if (isThrottled || call.operation !== 'TransactWriteItems') return undefined;
    if (!JSON.stringify(call.input).includes('"userId":null')) return undefined;
    isThrottled = true;
    return course(call);
  };
  await proceed((await theJobs())[0]);
  // The first step is throttled, the second one doubles the time, and the third one is faster again.
  expect((await paceOf()).slowdown).toBe(1.5);
  expect(await tasksOf(user)).toBe(0);
});

test('a job that has taken too many steps is reported and not continued', async () => {
  const user = await beginDeletion(1);
  const [job] = await theJobs();
  const stuck = { ...job, version: job.version + 1, steps: maxSteps };
  await session.database.transact([buildJobWrite(job, stuck)]);
  await expect(proceed(stuck)).rejects.toThrow(`The job is not complete after ${maxSteps} steps.`);
  expect(await theJobs()).toEqual([stuck]);
  expect(await tasksOf(user)).toBe(1);
});

test.each([
  [1_000, 0],
  [1_001, 1],
  [2_000, 1],
  [2_001, 2],
])(
  'a worker with %i ms begins %i steps of a second: it keeps a second to give the job back',
  async (timeMs, expected) => {
    await beginDeletion(0);
    const [{ id }] = await theJobs();
    let steps = 0;
    const step = async (_: Session, { work }: Job) => {
      steps += 1;
      await delay(1_000);
      return { left: work };
    };
    const handlers = { sweep: { ...sweep, step } } as unknown as JobHandlers;
    const own = { owner: randomUUID(), handlers };
    const isTaken = await continueJob(store.database(timeMs), { tenant: session.tenant, id }, own);
    expect([isTaken, steps, (await theJobs())[0].lease]).toEqual([expected > 0, expected, undefined]);
  },
);

test.each([
  [1_499, 20],
  [1_500, 0],
])(
  'a worker with %i ms that would wait half a second for its turn leaves %i of 20 tasks',
  async (timeMs, left) => {
    const user = await beginDeletion(20);
    await reserveUntil(now() + 500);
    const [{ id, tenant }] = await theJobs();
    await continueJob(store.database(timeMs), { tenant, id }, { owner: randomUUID() });
    expect(await tasksOf(user)).toBe(left);
  },
);

test('reads 1,000 jobs of a tenant, and as many due reminders of a partition: those that are due first', async () => {
  const { tenant } = session;
  const dueAt = (number: number) => now() - 2_000 + number;
  for (let number = 0; number <= 1_000; number += 1) {
    const beginning = { id: String(number), dueAt: new Date(dueAt(number)).toISOString() };
    const job = beginJob({ tenant }, { type: 'sweep' }, beginning) as { readonly put: Item };
    const reminder = encodeReminder({ tenant: `@${number}`, kind: 'tag', dueAt: dueAt(number) });
    for (const Item of [job.put, { ...reminder, ofKind: '#reminder#0' }])
      await store.table.putItem({ TableName: store.tableName, Item });
  }
  const jobs = (await readFirstJobs(store.database())).items.filter((job) => job.tenant === tenant);
  const reminders = (await readDueReminders(store.database(), now())).items;
  expect([jobs.length, jobs.at(-1)?.id]).toEqual([1_000, '999']);
  expect([reminders.length, reminders.at(-1)?.tenant]).toEqual([1_000, '@999']);
});
