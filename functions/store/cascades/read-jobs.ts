/** The jobs and reminders of all tenants, from the partitions of the index that hold them. The index may lag. */

import { random } from '../../runtime/time-and-chance.ts';
import type { Database } from '../dynamodb/database.ts';
import { UnknownFormat } from '../model/errors.ts';
import { decodeJob, dueJobsAfter, type Job, jobPartitions, jobsAfterTenant } from '../model/job.ts';
import { decodeReminder, dueRemindersQuery, type Reminder, reminderPartitions } from '../model/reminder.ts';
import { settingsInUse } from '../model/schema.ts';
import type { Item } from '../model/writes.ts';

type Reader = Pick<Database, 'query'>;

/** Jobs, or reminders, in one page: a few are enough to begin with. */
const pageSize = 100;

/** The first jobs of a tenant, those that are due first come first. */
export interface TenantJobs {
  readonly jobs: readonly Job[];
  /** Whether the tenant may have further jobs. */
  readonly hasMore: boolean;
}

/** Returns the partitions in random order, so that no partition is the last one each time. */
function shuffled(partitions: number): number[] {
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  return numbers
    .map((number) => ({ number, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ number }) => number);
}

function groupByTenant(jobs: readonly Job[]): Job[][] {
  const groups = new Map<string, Job[]>();
  for (const job of jobs) groups.set(job.tenant, [...(groups.get(job.tenant) ?? []), job]);
  return [...groups.values()];
}

async function* walkPartition(database: Reader, partition: number): AsyncGenerator<TenantJobs> {
  for (let tenant: string | undefined; ; ) {
    const query = { ...jobsAfterTenant(partition, tenant), Limit: pageSize };
    const { items, next } = await database.query(query);
    const groups = groupByTenant(items.map(decodeJob));
    for (const jobs of groups) yield { jobs, hasMore: next !== undefined && jobs === groups.at(-1) };
    if (!next) return;
    // The rest of its jobs is not read, however many there are.
    tenant = groups.at(-1)?.[0]?.tenant;
  }
}

/** Reads the first jobs of each tenant, from all partitions at the same time. @param onTenant is called for each tenant. */
export async function readFirstJobs(database: Reader, onTenant: (found: TenantJobs) => void): Promise<void> {
  const walks = shuffled(jobPartitions).map(async (partition) => {
    for await (const found of walkPartition(database, partition)) onTenant(found);
  });
  const failed = (await Promise.allSettled(walks)).find(({ status }) => status === 'rejected');
  // The other partitions are read all the same.
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Reads the next due jobs of the tenant of a job. */
export async function readDueJobsAfter(database: Reader, job: Job, nowMs: number): Promise<TenantJobs> {
  const { items, next } = await database.query({ ...dueJobsAfter(job, nowMs), Limit: pageSize });
  return { jobs: items.map(decodeJob), hasMore: next !== undefined };
}

/** Returns the reminders that this release knows. The others are left to the release that has written them. */
function readableReminders(items: readonly Item[]): Reminder[] {
  return items.flatMap((item) => {
    try {
      return [decodeReminder(item)];
    } catch (error) {
      if (!(error instanceof UnknownFormat)) throw error;
      settingsInUse().logWarning('A reminder cannot be read.', {
        log: item.pk,
        kind: item.sk,
        error: error.message,
      });
      return [];
    }
  });
}

/** Reads the reminders that are due, page by page: first those of all partitions that are due for the longest time. */
export async function* readDueReminders(database: Reader, nowMs: number): AsyncGenerator<Reminder[]> {
  const first = await Promise.all(
    shuffled(reminderPartitions).map(async (partition) => {
      const query = { ...dueRemindersQuery(partition, nowMs), Limit: pageSize };
      return { query, page: await database.query(query) };
    }),
  );
  yield first.flatMap(({ page }) => readableReminders(page.items));
  for (const { query, page } of first) {
    for (let start = page.next; start; ) {
      const { items, next } = await database.query(query, start);
      yield readableReminders(items);
      start = next;
    }
  }
}

/** Reads all jobs that are not complete. */
export async function readJobs(database: Database): Promise<Job[]> {
  const partitions = Array.from({ length: jobPartitions }, async (_, partition) => {
    const found: Job[] = [];
    for await (const { items } of database.pages(jobsAfterTenant(partition)))
      found.push(...items.map(decodeJob));
    return found;
  });
  return (await Promise.all(partitions)).flat();
}
