/** Goes on with jobs that wait for a time, and with those that the stream gave up on: every minute. */
import type { Context, ScheduledEvent } from 'aws-lambda';
import type { Database } from '../shared/store/database.ts';
import { decodeJob, type Job, jobsQuery } from '../shared/store/jobs.ts';
import { jobDatabase, logFailure } from './job-session.ts';
import { timeForOneTurn, workJob } from './work-job.ts';

/** Jobs worked on side by side. */
const atOnce = 8;

export async function handler(_event: ScheduledEvent, context: Context): Promise<void> {
  const database = jobDatabase(context);
  const now = new Date().toISOString();
  for await (const items of database.pages(jobsQuery)) {
    const due = items.map(decodeJob).filter(({ dueAt }) => dueAt <= now);
    for (let start = 0; start < due.length; start += atOnce) {
      // What is left is due the next time as well.
      if (database.deadline.remaining() < timeForOneTurn) return;
      await Promise.all(due.slice(start, start + atOnce).map((job) => tryJob(database, job)));
    }
  }
}

/** Goes on with one job; that it fails must not keep the others waiting. */
async function tryJob(database: Database, { tenant, id }: Job): Promise<void> {
  try {
    await workJob(database, tenant, id);
  } catch (error) {
    logFailure(tenant, id, error);
  }
}
