/** Continues jobs that wait for a time, and jobs that the stream gave up. Runs every minute. */

import type { Context, ScheduledEvent } from 'aws-lambda';
import { logError, logMetrics } from '../shared/log.ts';
import { continueJob, minStepMs } from '../shared/store/cascades/continue-job.ts';
import type { Database } from '../shared/store/dynamodb/database.ts';
import { decodeJob, isReady, type Job, jobsQuery } from '../shared/store/model/job.ts';
import { measureCompaction } from './compaction-metrics.ts';
import { jobDatabase, logContextOf, runLogged } from './job-session.ts';

/** Jobs in progress at the same time. */
const concurrency = 8;

/**
 * The share of the time that one job gets. A job that makes progress continues by the stream; a job that never does must not use
 * the time of the jobs after it, minute after minute.
 */
const shareOfOneJob = 1 / 6;

/** There is one schedule: the next call continues what the previous one left. */
const owner = 'schedule';

async function* dueJobs(database: Database, functionName: string): AsyncGenerator<Job, void, undefined> {
  for await (const items of database.pages(jobsQuery)) {
    const jobs = items.map(decodeJob);
    logMetrics(functionName, measureCompaction(jobs, Date.now()));
    yield* jobs.filter((job) => isReady(job, owner));
  }
}

export async function handler(_event: ScheduledEvent, context: Context): Promise<void> {
  const database = jobDatabase(context);
  const invocation = { operation: 'onSchedule', requestId: context.awsRequestId, started: performance.now() };
  const due = dueJobs(database, context.functionName);
  // A worker without the time for a step would never begin one.
  const maxJobMs = Math.max(2 * minStepMs, shareOfOneJob * database.deadline.remaining());
  const work = async (): Promise<void> => {
    for await (const job of due) {
      // The rest is due at the next call as well.
      if (database.deadline.remaining() < minStepMs) return;
      // The failure of one job must not delay the others.
      await runLogged(invocation, job, () => continueJob(jobDatabase(context, maxJobMs), job, { owner }));
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } catch (error) {
    const message = 'The jobs that are due could not be read.';
    logError(message, logContextOf(invocation), error);
    // Lambda counts the invocation as failed and logs the error as it is: it must not contain the cause.
    throw new Error(message);
  }
}
