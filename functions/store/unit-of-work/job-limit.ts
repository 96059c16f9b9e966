/**
 * Limits the unfinished jobs of a tenant. Jobs that jobs begin are exempt: they must make progress. So are those that are due later: each deletion has one,
 * a minute later, even of an entity without children.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { TooManyJobs } from '../model/errors.ts';
import { beginsDueJob, dueJobsOf } from '../model/job.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from './session.ts';

/** Unfinished jobs of a tenant that are due, at most, about: requests at the same time count the same jobs, and the index lags. */
export const maxJobs = 1_000;

/** Milliseconds for which a process relies on a count, as long as it is below half of the limit. */
const countedMs = 5_000;

/** Tenants of which a process remembers the count. It forgets all when there are more. */
const maxKnownTenants = 10_000;

interface JobCount {
  readonly countedAt: number;
  count: number;
}

/** Due jobs by table and tenant, with those that this process has begun since. */
const counts = new Map<string, JobCount>();

/** Counts the due jobs of a tenant. */
async function countJobs({ tenant, database }: Session): Promise<JobCount> {
  const name = `${database.tableName}#${tenant}`;
  const nowMs = now();
  const remembered = counts.get(name);
  if (remembered && remembered.count < maxJobs / 2 && Math.abs(nowMs - remembered.countedAt) < countedMs)
    return remembered;
  let count = 0;
  for await (const { items } of database.pages({ ...dueJobsOf(tenant, nowMs), ProjectionExpression: 'pk' })) {
    count += items.length;
    if (count > maxJobs) break;
  }
  const counted = { countedAt: nowMs, count };
  if (counts.size >= maxKnownTenants) counts.clear();
  counts.set(name, counted);
  return counted;
}

/**
 * Checks that a tenant may begin the jobs of a change set.
 * @throws TooManyJobs when it has too many that are due.
 */
export async function requireJobCapacity(session: Session, writes: readonly Write[] = []): Promise<void> {
  const begun = writes.filter((write) => beginsDueJob(write, now())).length;
  if (begun === 0) return;
  const jobs = await countJobs(session);
  if (jobs.count + begun > maxJobs) throw new TooManyJobs(maxJobs);
  jobs.count += begun;
}
