/**
 * Limits the unfinished jobs of a tenant. Jobs that jobs begin are exempt: they must make progress. So are those that begin later: each deletion has one,
 * a minute later, even of an entity without children.
 */
import { dayMs, now } from '../../runtime/time-and-chance.ts';
import { TooManyJobs } from '../model/errors.ts';
import { alwaysDue, beginsDueJob, decodeJob, dueJobsOf, type JobWork } from '../model/job.ts';
import type { Write } from '../model/writes.ts';
import type { Session } from '../table/session.ts';

/** Unfinished jobs of a tenant that are due, at most, about: requests at the same time count the same jobs, and the index lags. */
export const maxJobs = 1_000;

/** Jobs that a count reads, at most, with those that are exempt. */
const maxRead = 10 * maxJobs;

const attributes = {
  ProjectionExpression: 'dueAt, #version',
  ExpressionAttributeNames: { '#version': 'version' },
};

/** Checks that a tenant may begin the jobs of a change set. The count costs 50 read units for each 1,000 jobs that it reads. */
export async function requireJobCapacity({ tenant, database }: Session, writes: readonly Write[] = []) {
  const nowMs = now();
  let count = writes.filter((write) => beginsDueJob(write, nowMs)).length;
  if (count === 0) return;
  let read = 0;
  for await (const { items } of database.pages({ ...dueJobsOf(tenant, nowMs), ...attributes })) {
    // A job that begins later has version 1 until its first step. The query has those that were due at once before them.
    count += items.filter(({ dueAt, version }) => dueAt === alwaysDue || version !== 1).length;
    if (count > maxJobs)
      throw new TooManyJobs(
        `About ${maxJobs} jobs of this tenant, such as deletions of many entities, are not finished yet, the maximum.`,
      );
    read += items.length;
    if (read >= maxRead) return;
  }
}

/** The index that has jobs can lag by a moment. */
export async function hasUnfinishedJob(
  { tenant, database }: Session,
  isSuch: (work: JobWork) => boolean,
): Promise<boolean> {
  // Jobs wait for minutes at most.
  for await (const { items } of database.pages(dueJobsOf(tenant, now() + dayMs)))
    if (items.some((item) => isSuch(decodeJob(item).work))) return true;
  return false;
}
