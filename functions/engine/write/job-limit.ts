/**
 * Limits the unfinished jobs of a tenant. Jobs that jobs begin are exempt: they must make progress. So are those that are due later: each deletion has one,
 * a minute later, even of an entity without children.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { TooManyJobs } from '../model/errors.ts';
import { beginsDueJob, dueJobsOf } from '../model/job.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../table/session.ts';

/** Unfinished jobs of a tenant that are due, at most, about: requests at the same time count the same jobs, and the index lags. */
export const maxJobs = 1_000;

/**
 * Checks that a tenant may begin the jobs of a change set. The count of many due jobs costs 50 read units: less than a request that needs a job.
 * @throws TooManyJobs when it has too many that are due.
 */
export async function requireJobCapacity({ tenant, database }: Session, writes: readonly Write[] = []) {
  const nowMs = now();
  let count = writes.filter((write) => beginsDueJob(write, nowMs)).length;
  if (count === 0) return;
  for await (const { items } of database.pages({ ...dueJobsOf(tenant, nowMs), ProjectionExpression: 'pk' })) {
    count += items.length;
    if (count > maxJobs) throw new TooManyJobs(maxJobs);
  }
}
