import { measureCompaction } from '../../../../functions/jobs/compaction-metrics.ts';
import type { Job, JobWork } from '../../../../functions/shared/store/model/job.ts';

const nowMs = Date.parse('2026-01-01T01:00:00.000Z');

const job = (work: JobWork, dueAt: string): Job => ({ id: '1', tenant: 'acme', version: 1, dueAt, work });

const compaction = (requestedAt: string, pending: number) => ({
  type: 'compact' as const,
  kind: 'task' as const,
  requestedAt: Date.parse(requestedAt),
  steppedAt: 0,
  pending,
});

test('returns zeros without jobs', () => {
  expect(measureCompaction([], nowMs)).toEqual({ CompactionDelayMs: 0, PendingRecords: 0 });
});

test('returns the longest delay and the most pending records of all compactions', () => {
  const jobs = [
    job(compaction('2026-01-01T00:00:00.000Z', 7), '2026-01-01T00:59:58.000Z'),
    job(compaction('2026-01-01T00:00:00.000Z', 900), '2026-01-01T00:59:00.000Z'),
    job(compaction('2026-01-01T00:00:00.000Z', 3), '2026-01-01T01:05:00.000Z'),
  ];
  expect(measureCompaction(jobs, nowMs)).toEqual({ CompactionDelayMs: 60_000, PendingRecords: 900 });
});

test('counts the delay of a new job, which is due since 1970, from its request', () => {
  const jobs = [job(compaction('2026-01-01T00:59:55.000Z', 0), '1970-01-01T00:00:00.000Z')];
  expect(measureCompaction(jobs, nowMs)).toEqual({ CompactionDelayMs: 5_000, PendingRecords: 0 });
});

test('ignores other jobs', () => {
  const jobs = [job({ type: 'archive', id: '2', after: '' }, '2025-01-01T00:00:00.000Z')];
  expect(measureCompaction(jobs, nowMs)).toEqual({ CompactionDelayMs: 0, PendingRecords: 0 });
});
