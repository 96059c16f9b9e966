import { v7 as uuidv7 } from 'uuid';
import { ageOf, delayOf, isMissed } from '#functions/jobs/job-metrics.ts';
import type { Job } from '#functions/store/model/job.ts';

const nowMs = Date.parse('2026-01-01T01:00:00.000Z');

const idOf = (msecs: number): string => uuidv7({ msecs });

const job: Job = {
  id: idOf(nowMs - 60_000),
  tenant: 'acme',
  version: 1,
  dueAt: '1970-01-01T00:00:00.000Z',
  work: { type: 'archive', id: '2', asOf: 0, after: '' },
};

test.each([
  ['before its time', nowMs + 1, 0],
  ['at its time', nowMs, 0],
  ['after its time', nowMs - 5_000, 5_000],
])('a reminder has a delay %s', (_, dueAt, delay) => {
  expect(
    delayOf(
      { tenant: 'acme', kind: 'task', keptUntil: 0, dueAt, late: [], compared: { upTo: 0, at: 0 } },
      nowMs,
    ),
  ).toBe(delay);
});

test.each([
  ['that nobody has started', {}, true],
  ['that was started', { version: 2 }, false],
  ['that began with a later time', { dueAt: '2026-01-01T00:59:59.000Z' }, false],
  ['that began a moment ago', { id: idOf(nowMs - 5_000) }, false],
  ['whose id has no time', { id: 'job' }, false],
])('a job %s', (_, more, missed) => {
  expect(isMissed({ ...job, ...more }, nowMs)).toBe(missed);
});

test.each([
  ['a job', idOf(nowMs - 90_000), 90_000],
  ['a job of a writer whose clock is ahead', idOf(nowMs + 5_000), 0],
  ['a job whose id has no time', 'job', 0],
])('the age of %s', (_, id, age) => {
  expect(ageOf({ ...job, id }, nowMs)).toBe(age);
});
