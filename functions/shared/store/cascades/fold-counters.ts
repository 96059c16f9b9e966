/** Merges the shards of counters of the counted index. */

import { fold } from '../lists/counted-index/fold.ts';
import type { FoldWork, Job, Step } from '../model/job.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Returns the only step of a job that merges shards. */
export async function foldStep({ database }: Session, { work }: Job<FoldWork>): Promise<Step> {
  await fold(database, work.partition, work.from, work.to);
  return { left: undefined };
}
