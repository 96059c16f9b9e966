/** Metrics of compaction: how far it is behind, over all logs. */
import type { Job } from '../shared/store/model/job.ts';

/** Names of the metrics, as alarms use them. */
export const compactionMetrics = { delay: 'CompactionDelayMs', pending: 'PendingRecords' } as const;

/** Returns the milliseconds for which a job has been due; 0 while it waits. */
function delayOf({ dueAt, work }: Job, nowMs: number): number {
  if (work.type !== 'compact') return 0;
  // A new job is due since 1970.
  return Math.max(0, nowMs - Math.max(Date.parse(dueAt), work.requestedAt));
}

/** Returns the metrics of some jobs. */
export function measureCompaction(jobs: readonly Job[], nowMs: number): Record<string, number> {
  const pending = jobs.map(({ work }) => (work.type === 'compact' ? work.pending : 0));
  return {
    [compactionMetrics.delay]: Math.max(0, ...jobs.map((job) => delayOf(job, nowMs))),
    [compactionMetrics.pending]: Math.max(0, ...pending),
  };
}
