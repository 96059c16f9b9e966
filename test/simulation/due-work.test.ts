import { readFirstJobs } from '#functions/engine/due-work/read-jobs.ts';
import { buildJobWrite, type Job } from '#functions/engine/model/job.ts';
import { encodeReminder, type Reminder } from '#functions/engine/model/reminder.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import type { Query, QueryPage, Values } from '#functions/engine/table/query.ts';
import { handleDueWork } from '#functions/jobs/due-work.ts';
import { runs } from '../support/runs.ts';
import { seededRandom } from '../support/virtual-time.ts';

/**
 * The schedule in virtual time, with very many due jobs and logs. The code of the schedule is the real one; the index is in memory, and each call of it, each job
 * and each log takes a time.
 */

/** Milliseconds of a query, of a job, and of the compaction of a log. */
const queryMs = 8;
const jobMs = 200;
const logMs = 150;

/** Milliseconds of an invocation, and between two of them. */
const invocationMs = 29_500;
const intervalMs = 60_000;

const started = Date.parse('2026-02-03T04:00:00.000Z');

/** The index `by-status` in memory. */
class Index {
  readonly #partitions = new Map<string, { keys: string[]; items: Map<string, Item> }>();
  #isSorted = false;

  #partition(name: string) {
    const found = this.#partitions.get(name) ?? { keys: [], items: new Map<string, Item>() };
    this.#partitions.set(name, found);
    return found;
  }

  add(item: Item): void {
    const { keys, items } = this.#partition(String(item['ofKind']));
    keys.push(String(item['byStatus']));
    items.set(String(item['byStatus']), item);
    this.#isSorted = false;
  }

  remove(item: Item): void {
    this.#partition(String(item['ofKind'])).items.delete(String(item['byStatus']));
  }

  /** Returns the position of the first key that is not less than a text. */
  static #position(keys: readonly string[], text: string): number {
    let [from, to] = [0, keys.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((keys[middle] as string) < text) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Runs a query of `read-jobs.ts`: its keys are above or from one text, and below or up to another one. */
  query({ ExpressionAttributeValues: values, Limit = 1_000 }: Query, start?: Values): QueryPage {
    if (!this.#isSorted) for (const { keys } of this.#partitions.values()) keys.sort();
    this.#isSorted = true;
    const { keys, items } = this.#partition(String(values[':partition'] ?? values[':reminders']));
    const from = String(start?.['byStatus'] ?? values[':first'] ?? '');
    const to = String(values[':last'] ?? values[':now']);
    const found: Item[] = [];
    for (let position = Index.#position(keys, from); position < keys.length; position += 1) {
      const key = keys[position] as string;
      if (key > to) break;
      if (key === from) continue;
      const item = items.get(key);
      if (item) found.push(item);
      if (found.length === Limit) return { items: found, next: { byStatus: key } };
    }
    return { items: found, next: undefined };
  }
}

const itemOf = (job: Job): Item => (buildJobWrite(undefined, job) as { put: Item }).put;

const jobDueAt = (tenant: string, id: string, dueAtMs: number): Job => ({
  id,
  tenant,
  version: 2,
  dueAt: new Date(dueAtMs).toISOString(),
  work: { type: 'archive' },
});

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Looks at the log of the tenant `@large`, which needs five. */
let looksAtLarge = 0;

/** Runs the schedule each minute. Calls back for each job and each reminder when it begins. */
async function runSchedule(
  index: Index,
  minutes: number,
  began: (one: Job | Reminder) => void,
): Promise<Readonly<Record<string, number>>[]> {
  const metrics: Readonly<Record<string, number>>[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    const deadline = new Deadline(invocationMs);
    const invocation = handleDueWork({
      database: {
        query: async (query, start) => {
          const page = index.query(query, start);
          await wait(queryMs);
          return page;
        },
      },
      owner: 'schedule',
      hasTime: () => deadline.remaining() >= 1_000,
      continueJob: async (job) => {
        began(job);
        await wait(jobMs);
        if (job.id !== 'stuck') index.remove(itemOf(job));
      },
      continueReminder: async (reminder) => {
        began(reminder);
        await wait(logMs);
        if (reminder.tenant === '@large' && ++looksAtLarge < 5) return true;
        index.remove(encodeReminder(reminder));
        return false;
      },
    });
    const end = wait(intervalMs);
    await jest.advanceTimersByTimeAsync(intervalMs);
    await end;
    metrics.push(await invocation);
  }
  return metrics;
}

beforeEach(() => {
  looksAtLarge = 0;
  jest.useFakeTimers({ now: started, doNotFake: ['nextTick', 'queueMicrotask'] });
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const percentile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(share * (numbers.length - 1))] as number;

test('with very many due jobs of one tenant and due logs, 99 % of the jobs of others begin within 70 seconds', async () => {
  const minutes = 10;
  const index = new Index();
  for (let number = 0; number < runs(30_000, 300_000); number += 1)
    index.add(itemOf(jobDueAt('@busy', String(number), started - 3_600_000 + number)));
  // Written within an hour, half a day ago.
  for (let number = 0; number < runs(10_000, 100_000); number += 1)
    index.add(
      encodeReminder({
        tenant: `@log-${number}`,
        kind: 'task',
        dueAt: started - 3_000_000 + number * 36,
      }),
    );
  // 2,000 tenants, with a job each that becomes due within the time of the test.
  const dueAt = new Map<string, number>();
  for (let number = 0; number < 2_000; number += 1) {
    const time = started + Math.floor((number / 2_000) * (minutes - 2) * intervalMs);
    dueAt.set(`@tenant-${number}`, time);
    index.add(itemOf(jobDueAt(`@tenant-${number}`, 'job', time)));
  }
  const delays: number[] = [];
  let [busy, logs] = [0, 0];
  const metrics = await runSchedule(index, minutes, (one) => {
    if ('kind' in one) logs += 1;
    else if (one.tenant === '@busy') busy += 1;
    else delays.push(Date.now() - (dueAt.get(one.tenant) as number));
  });
  expect(delays).toHaveLength(dueAt.size);
  // In virtual time, so it does not depend on the machine: 63 seconds.
  expect(percentile(delays, 0.99)).toBeLessThan(70_000);
  // Neither the tenant nor the logs starve.
  expect(busy).toBeGreaterThan(minutes * 50);
  expect(logs).toBeGreaterThan(minutes * 500);
  expect(metrics.at(-1)).toMatchObject({ DueWorkLeft: expect.any(Number) });
  expect(metrics.at(-1)?.['DueWorkLeft']).toBeGreaterThan(0);
});

test('the first jobs of a tenant are read although a page ends among them', async () => {
  const index = new Index();
  const names = Array.from({ length: 100 }, (_, number) => `@tenant-${number}`);
  const partitionOf = (tenant: string) => itemOf(jobDueAt(tenant, 'job', started))['ofKind'];
  const [one, other] = names.filter((name) => partitionOf(name) === partitionOf('@tenant-0')).sort();
  for (let number = 0; number < 1_400; number += 1)
    index.add(itemOf(jobDueAt((number < 995 ? one : other) as string, String(number), started + number)));
  const { items } = await readFirstJobs({
    query: (query, start) => Promise.resolve(index.query(query, start)),
  });
  const read = (tenant: string | undefined) => items.filter((job) => job.tenant === tenant).length;
  expect([read(one), read(other)]).toEqual([995, 405]);
});

test('under more work than there is time for, no tenant starves', async () => {
  const random = seededRandom(1);
  jest.spyOn(Math, 'random').mockImplementation(random);
  const index = new Index();
  // The jobs of most tenants never end. There is time for a third of them in a minute.
  for (let number = 0; number < 3_000; number += 1) {
    const job = jobDueAt(`@tenant-${number}`, number % 30 === 0 ? 'job' : 'stuck', started - 1_000);
    index.add(itemOf(job));
  }
  const begun = new Set<string>();
  await runSchedule(index, 30, ({ tenant }) => begun.add(tenant));
  expect(begun.size).toBe(3_000);
});

test('jobs begin before logs, and the oldest jobs of a tenant before its later ones', async () => {
  const index = new Index();
  const begun: string[] = [];
  for (let number = 0; number < 400; number += 1)
    index.add(
      encodeReminder({
        tenant: `@log-${number}`,
        kind: 'task',
        dueAt: started - 1,
      }),
    );
  for (let number = 0; number < 120; number += 1)
    index.add(itemOf(jobDueAt('@busy', String(1_000 - number), started - 1_000 + number)));
  for (let number = 0; number < 40; number += 1)
    index.add(itemOf(jobDueAt(`@tenant-${number}`, 'job', started - 1)));
  index.add(itemOf(jobDueAt('@later', 'job', started + intervalMs)));
  await runSchedule(index, 1, (one) => begun.push('kind' in one ? 'log' : `${one.tenant} ${one.id}`));
  const firstLog = begun.indexOf('log');
  expect(begun.findLastIndex((one) => one.startsWith('@tenant'))).toBeLessThan(firstLog);
  const ofBusy = begun.filter((one) => one.startsWith('@busy'));
  expect(ofBusy).toEqual(Array.from({ length: 120 }, (_, number) => `@busy ${1_000 - number}`));
  expect(begun).toHaveLength(400 + 120 + 40);
});

test('a log that needs more time gets it in the same minute, after all others', async () => {
  const index = new Index();
  const begun: string[] = [];
  const reminder = {
    kind: 'task',
    dueAt: started - 1,
  } as const;
  for (const tenant of ['@large', ...Array.from({ length: 300 }, (_, number) => `@log-${number}`)])
    index.add(encodeReminder({ tenant, ...reminder }));
  await runSchedule(index, 1, ({ tenant }) => begun.push(tenant));
  expect(begun).toHaveLength(305);
  expect(begun.slice(-4)).toEqual(Array(4).fill('@large'));
});
