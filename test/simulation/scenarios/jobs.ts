/** Jobs, with what can happen to their deliveries and workers: each is done once, and none stops another. */
import type { DynamoDBRecord } from 'aws-lambda';
import { jobSortKey } from '#functions/engine/model/job.ts';
import { encodeReminder } from '#functions/engine/model/reminder.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { jobTimeoutMs } from '#lib/hosting/functions.ts';
import { conflicting, refused, touches } from '../../support/table/faults.ts';
import { type Process, tableName } from '../process.ts';
import {
  create,
  createProject,
  inWorld,
  isTransaction,
  jobsOf,
  scenario,
  send,
  succeed,
  takeLog,
  totalOf,
} from '../scenario.ts';
import type { World } from '../world.ts';

/** Tasks that a project with a job has: more than one transaction deletes. */
const tasks = 130;

/** Begins the deletion of a project with tasks. @returns its id, and the record that begins the job. */
async function beginDeletion(
  world: World,
): Promise<{ readonly left: () => Promise<number>; readonly record: DynamoDBRecord }> {
  const id = await createProject(world, tasks);
  world.table.takeRecords();
  await succeed(world, 'DELETE', `/v1/projects/${id}`);
  const record = world.table.takeRecords().find(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === jobSortKey);
  if (!record) throw new Error('The deletion has begun no job.');
  return { left: async () => (await succeed(world, 'GET', `/v1/tasks?projectId=${id}`)).total, record };
}

const numbered = (record: DynamoDBRecord, number: number): DynamoDBRecord => ({
  ...record,
  dynamodb: { ...record.dynamodb, SequenceNumber: String(number) },
});

/** Counts the transactions that concern a job, and delays all transactions. */
function countSteps({ table }: World, { dynamodb }: DynamoDBRecord, requestMs: number): () => number {
  const job = dynamodb?.Keys?.['pk']?.S;
  let count = 0;
  table.intercept = (call) => {
    if (!isTransaction(call)) return undefined;
    if (touches(call, ({ pk }) => pk === job)) count += 1;
    return { requestMs };
  };
  return () => count;
}

const processesOf = ({ processes }: World): [Process, Process] => processes as [Process, Process];

scenario('ten records of one job in a batch start one worker', async (world) => {
  const [one] = processesOf(world);
  const stepsOf = async (copies: number): Promise<number> => {
    const { left, record } = await beginDeletion(world);
    const steps = countSteps(world, record, 5);
    await one.onStream(Array.from({ length: copies }, (_, number) => numbered(record, number)));
    world.table.intercept = undefined;
    expect(await left()).toBe(0);
    return steps();
  };
  expect(await stepsOf(10)).toBe(await stepsOf(1));
});

scenario('other deliveries and the schedule leave a job that a worker holds', async (world) => {
  const [one, other] = processesOf(world);
  const { left, record } = await beginDeletion(world);
  const steps = countSteps(world, record, 1_000);
  const working = one.onStream([numbered(record, 1)]);
  await world.wait(1_500);
  const before = steps();
  await Promise.all([other.onStream([numbered(record, 2), numbered(record, 3)]), other.onSchedule()]);
  expect(steps()).toBe(before);
  await working;
  world.table.intercept = undefined;
  expect(await left()).toBe(0);
});

scenario('a job whose worker has crashed is continued when its lease is over', async (world) => {
  const [one, other] = processesOf(world);
  const { left, record } = await beginDeletion(world);
  one.callsLeft = 12;
  await one.onStream([record]);
  expect(one.crashes).toBe(1);
  const before = await left();
  expect(before).toBeGreaterThan(0);
  await other.onStream([numbered(record, 1)]);
  expect(await left()).toBe(before);
  await world.settle(3);
  expect(await left()).toBe(0);
});

test.each([
  ['twice and in another order', {}],
  ['while batches are processed in part', { unprocessedKeys: 0.7 }],
  [
    'while calls are slow, lost and in conflict',
    { latencyMs: [5, 50] as const, lostResponses: 0.05, conflicts: 0.1 },
  ],
])('jobs are done once when their records are delivered %s', async (_, faults) => {
  await inWorld(async (world) => {
    const [one, other] = processesOf(world);
    const from = await createProject(world, tasks);
    const to = (await succeed(world, 'POST', `/v1/projects/${from}/clone`)).id;
    const gone = await createProject(world, tasks);
    await succeed(world, 'DELETE', `/v1/projects/${gone}`);
    world.table.faults = faults;
    const records = world.table
      .takeRecords()
      .filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === jobSortKey);
    expect(records.length).toBeGreaterThanOrEqual(2);
    await Promise.all([one.onStream(records), other.onStream(records.toReversed())]);
    await one.onStream(records.toReversed());
    await world.settle();
    const totals = [from, to, gone].map((id) => succeed(world, 'GET', `/v1/tasks?projectId=${id}`));
    expect((await Promise.all(totals)).map(({ total }) => total)).toEqual([tasks, tasks, 0]);
  });
});

describe('while indexes and replicas lag,', () => {
  const lag = { latencyMs: 5, lagMs: 2_000, staleReads: 1 };

  scenario('a deletion finds what was written a moment ago', async (world) => {
    world.table.faults = lag;
    const tag = await create(world, 'tags');
    const ids = [await create(world, 'tasks', { tagIds: [tag] }), await create(world, 'tasks')];
    await succeed(world, 'PATCH', `/v1/tasks/${ids[1]}`, { tagIds: [tag] });
    await succeed(world, 'DELETE', `/v1/tags/${tag}`);
    for (const id of ids) expect((await succeed(world, 'GET', `/v1/tasks/${id}`))['tagIds']).toEqual([]);
  });

  scenario('an archive finds what was written a moment ago', async (world) => {
    world.table.faults = lag;
    const organizationId = await create(world, 'organizations');
    const id = await create(world, 'projects', { organizationId });
    await succeed(world, 'POST', `/v1/organizations/${organizationId}/archive`);
    expect((await succeed(world, 'GET', `/v1/projects/${id}`))['status']).toBe('archived');
  });

  test.each([3, 110])('a clone of %i tasks copies them as they are', async (count) => {
    await inWorld(async (world) => {
      world.table.faults = lag;
      const project = await createProject(world, count);
      const [first, second] = (await succeed(world, 'GET', `/v1/projects/${project}/tasks`)).data;
      await succeed(world, 'DELETE', `/v1/tasks/${first?.id}`);
      await succeed(world, 'PATCH', `/v1/tasks/${second?.id}`, { name: 'changed' });
      const clone = (await succeed(world, 'POST', `/v1/projects/${project}/clone`)).id;
      await world.settle();
      const names = async (id: string): Promise<unknown[]> => {
        const pages = [1, 2].map((page) =>
          succeed(world, 'GET', `/v1/projects/${id}/tasks?sortBy=name&limit=100&page=${page}`),
        );
        return (await Promise.all(pages)).flatMap(({ data }) => data).map(({ name }) => name);
      };
      expect(await names(clone)).toEqual(await names(project));
      expect(await names(clone)).toHaveLength(count - 1);
    });
  });
});

scenario(
  'the job of a clone copies no task that came after it began, also one with an earlier id',
  async (world) => {
    const project = await createProject(world, tasks);
    const [first] = (await succeed(world, 'GET', `/v1/projects/${project}/tasks?limit=1`)).data;
    const clone = (await succeed(world, 'POST', `/v1/projects/${project}/clone`)).id;
    const body = { name: 'later', projectId: project };
    const own = await send(world, 'PUT', `/v1/tasks/${world.newId(60_000)}`, body, { 'if-none-match': '*' });
    expect(own.status).toBe(201);
    await succeed(world, 'PATCH', `/v1/tasks/${first?.id}`, { status: 'later' });
    await world.settle();
    expect(await totalOf(world, `projects/${clone}/tasks`)).toBe(tasks);
    expect(await totalOf(world, `projects/${project}/tasks`)).toBe(tasks + 1);
  },
);

scenario(
  'a large deletion is complete, and no call of a function takes longer than it may',
  async (world) => {
    const organizationId = await create(world, 'organizations');
    for (let number = 0; number < 30; number += 1) {
      const projectId = await create(world, 'projects', { organizationId });
      const operations = Array.from({ length: 10 }, (_, place) => ({
        operation: 'create',
        // Half of the descriptions are stored beside their tasks.
        body: { name: 'x', projectId, description: 'x'.repeat(place % 2 === 0 ? 700 : 50) },
      }));
      await succeed(world, 'POST', '/v1/tasks/batch', { operations });
    }
    await succeed(world, 'DELETE', `/v1/organizations/${organizationId}`);
    world.table.faults = { latencyMs: [50, 250] };
    let calls = 0;
    const left = async () => (await totalOf(world, 'projects')) + (await totalOf(world, 'tasks'));
    for (; (await left()) > 0; calls += 1) {
      await world.wait(60_000);
      const startedMs = world.time.now();
      await world.processes[0]?.onSchedule();
      expect(world.time.now() - startedMs).toBeLessThan(jobTimeoutMs);
    }
    expect(calls).toBeGreaterThan(1);
  },
);

/** Deletes projects, so that each has a job that is due later. @returns the keys of the items of their jobs. */
async function deleteProjects(world: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await createProject(world, 1));
  for (const id of ids) await succeed(world, 'DELETE', `/v1/projects/${id}`);
  const keys = ids.map((id) => jobsOf(world).find((job) => JSON.stringify(job).includes(id))?.pk ?? '');
  expect(keys).not.toContain('');
  return keys;
}

const put = ({ table }: World, Item: Item) => table.putItem({ TableName: tableName, Item });

const remove = ({ table }: World, { pk, sk }: Item) =>
  table.deleteItem({ TableName: tableName, Key: { pk, sk } });

describe('work that cannot be done', () => {
  scenario('as jobs that always conflict, does not stop the job of another tenant', async (world) => {
    // More than the schedule continues at once. All are due before the one that can be completed.
    const stuck = await deleteProjects(world, 10);
    const [job] = jobsOf(world);
    const other = JSON.parse(JSON.stringify(job).replaceAll('@public', 'other')) as Item;
    await put(world, other);
    world.table.intercept = (call) =>
      isTransaction(call) && touches(call, ({ pk }) => stuck.includes(pk)) ? conflicting(call) : undefined;
    for (let minute = 0; minute < 5; minute += 1) {
      await world.wait(60_000);
      await world.processes[0]?.onSchedule();
    }
    expect(
      jobsOf(world)
        .map(({ pk }) => pk)
        .sort(),
    ).toEqual(stuck.toSorted());
    world.table.intercept = undefined;
  });

  test.each<[string, (job: Item) => Item]>([
    ['is no job', ({ work: _, ...others }) => ({ ...others }) as Item],
    ['is a job of another release', (job) => ({ ...job, work: { type: 'unknown' } })],
  ])('as an item that %s, does not stop other jobs, and is reported', async (_, change) => {
    await inWorld(async (world) => {
      const [key = ''] = await deleteProjects(world, 1);
      const whole = jobsOf(world).find(({ pk }) => pk === key) as Item;
      const malformed = { ...change(whole), pk: key.replace(/[^#]*$/, 'malformed'), id: 'malformed' };
      await put(world, malformed);
      takeLog();
      for (let minute = 0; minute < 5; minute += 1) {
        await world.wait(60_000);
        await world.processes[0]?.onSchedule();
      }
      expect(jobsOf(world).map(({ pk }) => pk)).toEqual([malformed.pk]);
      expect(takeLog()).toContainEqual(
        expect.objectContaining({
          level: 'ERROR',
          error: expect.objectContaining({ name: 'UnknownFormat' }),
        }),
      );
      await remove(world, malformed);
    });
  });

  scenario('as a reminder of another release, does not stop the schedule, and is reported', async (world) => {
    const unknown = { ...encodeReminder({ tenant: 'other', kind: 'organization', dueAt: 0 }), format: 99 };
    const [job] = await deleteProjects(world, 1);
    await put(world, unknown);
    process.env['LOG_LEVEL'] = 'WARN';
    for (let minute = 0; minute < 5; minute += 1) {
      await world.wait(60_000);
      await world.processes[0]?.onSchedule();
    }
    process.env['LOG_LEVEL'] = 'ERROR';
    const error = expect.stringContaining('(reminder) is 99');
    expect(takeLog()).toContainEqual(
      expect.objectContaining({ level: 'WARN', log: 'other#reminder', error }),
    );
    expect(jobsOf(world).filter(({ pk }) => pk === job)).toEqual([]);
    await remove(world, unknown);
  });

  scenario('as jobs that cannot be read, fails the schedule, and its error has no cause', async (world) => {
    await deleteProjects(world, 1);
    const partition = `"${jobsOf(world)[0]?.['ofKind']}"`;
    world.table.intercept = ({ operation, input }) => {
      const values = JSON.stringify(input);
      const isOther = values.includes('"#job#') && !values.includes(partition);
      return operation === 'Query' && isOther ? refused('AccessDeniedException') : undefined;
    };
    await world.wait(120_000);
    for (const _ of [1, 2, 3]) await expect(world.processes[0]?.onSchedule()).rejects.toThrow();
    // The jobs of the other partitions are done.
    expect(jobsOf(world)).toEqual([]);
    takeLog();
    world.table.intercept = ({ operation }) =>
      operation === 'Query' ? refused('AccessDeniedException', 'of arn:secret') : undefined;
    // Lambda logs the message of this error.
    await expect(world.processes[0]?.onSchedule()).rejects.toThrow(
      /^The jobs that are due could not be read\.$/,
    );
    expect(takeLog()).toMatchObject([
      { level: 'ERROR', operation: 'onSchedule', error: { name: 'AccessDeniedException' } },
    ]);
    world.table.intercept = undefined;
    expect((await send(world, 'GET', '/v1/tags')).status).toBe(200);
  });
});
