/** Metrics of jobs, over all that are not complete: their age, how far compaction is behind, and whether the stream starts jobs. */
import { isId, timestampMs } from '../store/model/ids.ts';
import { alwaysDue, type Job } from '../store/model/job.ts';

/** Names of the metrics, as alarms use them. */
export const jobMetrics = {
  delay: 'CompactionDelayMs',
  pending: 'PendingRecords',
  missed: 'MissedJobs',
  age: 'JobAgeMs',
} as const;

/** The stream starts a job within a second. After this time, in milliseconds, it has missed the job. */
const maxStartMs = 30_000;

/** Returns the milliseconds for which a compaction has been due; 0 while it waits. */
function delayOf({ dueAt, work }: Job, nowMs: number): number {
  if (work.type !== 'compact') return 0;
  // A new job is due since 1970.
  return Math.max(0, nowMs - Math.max(Date.parse(dueAt), work.requestedAt));
}

/** Returns whether the stream should have started a job and did not. The id of a job has the time when the job began. */
const isMissed = ({ id, version, dueAt }: Job, nowMs: number): boolean =>
  version === 1 && dueAt === alwaysDue && isId(id) && nowMs - timestampMs(id) > maxStartMs;

/** Returns the milliseconds since a job began; 0 for one that compacts a log, which never ends. */
const ageOf = ({ id, work }: Job, nowMs: number): number =>
  work.type !== 'compact' && isId(id) ? Math.max(0, nowMs - timestampMs(id)) : 0;

const highest = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other), 0);

export function measureJobs(jobs: readonly Job[], nowMs: number): Record<string, number> {
  const pending = jobs.map(({ work }) => (work.type === 'compact' ? work.pending : 0));
  return {
    [jobMetrics.delay]: highest(jobs.map((job) => delayOf(job, nowMs))),
    [jobMetrics.pending]: highest(pending),
    [jobMetrics.age]: highest(jobs.map((job) => ageOf(job, nowMs))),
    [jobMetrics.missed]: jobs.filter((job) => isMissed(job, nowMs)).length,
  };
}
