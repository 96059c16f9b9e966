import { v7 as uuidv7 } from 'uuid';
import { measureJobs } from '#functions/jobs/job-metrics.ts';
import { alwaysDue, type Job, type JobWork } from '#functions/store/model/job.ts';

const nowMs = Date.parse('2026-01-01T01:00:00.000Z');

const idOf = (msecs: number): string => uuidv7({ msecs });

const job = (work: JobWork, dueAt: string): Job => ({ id: '1', tenant: 'acme', version: 1, dueAt, work });

const compaction = (requestedAt: string, pending: number) => ({
  type: 'compact' as const,
  kind: 'task' as const,
  requestedAt: Date.parse(requestedAt),
  steppedAt: 0,
  pending,
});

test('returns zeros without jobs', () => {
  expect(measureJobs([], nowMs)).toEqual({
    CompactionDelayMs: 0,
    PendingRecords: 0,
    MissedJobs: 0,
    JobAgeMs: 0,
  });
});

test('returns the longest delay and the most pending records of all compactions', () => {
  const jobs = [
    job(compaction('2026-01-01T00:00:00.000Z', 7), '2026-01-01T00:59:58.000Z'),
    job(compaction('2026-01-01T00:00:00.000Z', 900), '2026-01-01T00:59:00.000Z'),
    job(compaction('2026-01-01T00:00:00.000Z', 3), '2026-01-01T01:05:00.000Z'),
  ];
  expect(measureJobs(jobs, nowMs)).toMatchObject({
    CompactionDelayMs: 60_000,
    PendingRecords: 900,
    MissedJobs: 0,
  });
});

test('counts the delay of a new job, which is due since 1970, from its request', () => {
  const jobs = [job(compaction('2026-01-01T00:59:55.000Z', 0), '1970-01-01T00:00:00.000Z')];
  expect(measureJobs(jobs, nowMs)).toMatchObject({
    CompactionDelayMs: 5_000,
    PendingRecords: 0,
    MissedJobs: 0,
  });
});

test('has no delay for other jobs', () => {
  const jobs = [job({ type: 'archive', id: '2', after: '' }, '2025-01-01T00:00:00.000Z')];
  expect(measureJobs(jobs, nowMs)).toMatchObject({ CompactionDelayMs: 0, PendingRecords: 0, MissedJobs: 0 });
});

test.each([
  ['a job that nobody has started', {}, 1],
  ['a job that was started', { version: 2 }, 0],
  ['a job that waits for a time', { dueAt: '2026-01-01T02:00:00.000Z' }, 0],
  ['a job that began a moment ago', { id: idOf(nowMs - 5_000) }, 0],
  ['a job whose id has no time', { id: 'compact-task' }, 0],
])('counts %s', (_, more, count) => {
  const started = job({ type: 'archive', id: '2', after: '' }, alwaysDue);
  const given = { ...started, id: idOf(nowMs - 60_000), ...more };
  expect(measureJobs([given], nowMs)).toMatchObject({ MissedJobs: count });
});

test('returns the age of the oldest job, without those that compact logs', () => {
  const archive = job({ type: 'archive', id: '2', after: '' }, alwaysDue);
  const jobs = [
    { ...archive, id: idOf(nowMs - 5_000) },
    { ...archive, id: idOf(nowMs - 90_000) },
    { ...job(compaction('2026-01-01T00:00:00.000Z', 0), alwaysDue), id: idOf(0) },
    // The clock of the writer is ahead.
    { ...archive, id: idOf(nowMs + 5_000) },
  ];
  expect(measureJobs(jobs, nowMs)).toMatchObject({ JobAgeMs: 90_000 });
});
