/** Looks for jobs of a tenant that have not ended. The index that has them can lag by a moment. */
import { dayMs, now } from '../../runtime/time-and-chance.ts';
import { decodeJob, dueJobsOf, type JobWork } from '../model/job.ts';
import type { Session } from '../table/session.ts';

export async function hasUnfinishedJob(
  { tenant, database }: Session,
  isSuch: (work: JobWork) => boolean,
): Promise<boolean> {
  // Jobs wait for minutes at most.
  for await (const { items } of database.pages(dueJobsOf(tenant, now() + dayMs)))
    if (items.some((item) => isSuch(decodeJob(item).work))) return true;
  return false;
}
