/** Goes on with jobs that wait for a time, and with those that the stream gave up on: every minute. */
import type { Context, ScheduledEvent } from 'aws-lambda';
import { decodeJob, jobsQuery } from '../shared/store/jobs.ts';
import { jobDatabase, loggedStep } from './job-session.ts';
import { timeForOneTurn, workJob } from './work-job.ts';

/** Jobs worked on side by side. */
const atOnce = 8;

export async function handler(_event: ScheduledEvent, context: Context): Promise<void> {
  const database = jobDatabase(context);
  const invocation = { operation: 'onSchedule', requestId: context.awsRequestId, started: performance.now() };
  const now = new Date().toISOString();
  for await (const items of database.pages(jobsQuery)) {
    const due = items.map(decodeJob).filter(({ dueAt }) => dueAt <= now);
    for (let start = 0; start < due.length; start += atOnce) {
      // What is left is due the next time as well.
      if (database.deadline.remaining() < timeForOneTurn) return;
      // That one fails must not keep the others waiting.
      const steps = due
        .slice(start, start + atOnce)
        .map((job) => loggedStep(invocation, job, () => workJob(database, job.tenant, job.id)));
      await Promise.all(steps);
    }
  }
}
