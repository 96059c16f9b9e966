/** Metrics of what is due: how late it is, whether the stream starts jobs, and what a call of the schedule left. */
import { isId, timestampMs } from '../engine/model/ids.ts';
import { alwaysDue, type Job } from '../engine/model/job.ts';

/** Names of the metrics, as alarms use them. */
export const jobMetrics = {
  delay: 'CompactionDelayMs',
  pending: 'PendingRecords',
  missed: 'MissedJobs',
  age: 'JobAgeMs',
  left: 'DueWorkLeft',
  uncompacted: 'UncompactedLogs',
} as const;

/** The stream starts a job within a second. After this time, in milliseconds, it has missed the job. */
const maxStartMs = 30_000;

/** Returns whether the stream should have started a job and did not. The id of a job has the time when the job began. */
export const isMissed = ({ id, version, dueAt }: Job, nowMs: number): boolean =>
  // A job that begins with a time is for the schedule.
  version === 1 && dueAt === alwaysDue && isId(id) && nowMs - timestampMs(id) > maxStartMs;

export const ageOf = ({ id }: Job, nowMs: number): number =>
  isId(id) ? Math.max(0, nowMs - timestampMs(id)) : 0;
