/** The jobs and reminders of all tenants, from the partitions of the index that hold them. The index may lag. */

import { UnknownFormat } from '../model/errors.ts';
import { decodeJob, type Job, jobPartitions, jobsAfterTenant } from '../model/job.ts';
import { decodeReminder, dueRemindersQuery, type Reminder, reminderPartitions } from '../model/reminder.ts';
import { settingsInUse } from '../model/schema.ts';
import type { Item } from '../model/writes.ts';
import type { Database } from '../table/database.ts';

type Reader = Pick<Database, 'query'>;

/** Jobs of a tenant, and reminders of a partition, at most: more than one call of the schedule handles. */
const pageSize = 1_000;

/** Reads partitions at the same time. One that cannot be read does not hold up the others: its error is returned. */
async function readPartitions<Element>(
  partitions: number,
  read: (partition: number) => Promise<readonly Element[]>,
) {
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  const results = await Promise.allSettled(numbers.map(read));
  return {
    items: results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
    errors: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  };
}

/** Reads the first jobs of each tenant, those that are due first come first. */
export const readFirstJobs = (database: Reader) =>
  readPartitions(jobPartitions, async (partition) => {
    const jobs: Job[] = [];
    for (let tenant: string | undefined = ''; tenant !== undefined; ) {
      const { items, next } = await database.query({
        ...jobsAfterTenant(partition, tenant),
        Limit: pageSize,
      });
      const page = items.map(decodeJob);
      const last = page.at(-1)?.tenant;
      // Of a tenant with a whole page, the rest is not read, however many there are. Another one that the page ends within begins the next one.
      const isCut = next !== undefined && page[0]?.tenant !== last;
      jobs.push(...(isCut ? page.filter((job) => job.tenant !== last) : page));
      tenant = next && jobs.at(-1)?.tenant;
    }
    return jobs;
  });

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

export const readDueReminders = (database: Reader, nowMs: number) =>
  readPartitions(reminderPartitions, async (partition) => {
    const query = { ...dueRemindersQuery(partition, nowMs), Limit: pageSize };
    return readableReminders((await database.query(query)).items);
  });

export async function readJobs(database: Database): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let partition = 0; partition < jobPartitions; partition += 1)
    for await (const { items } of database.pages(jobsAfterTenant(partition)))
      jobs.push(...items.map(decodeJob));
  return jobs;
}
