/** Goes on with jobs that wait for a time, and with those that the stream gave up on: every minute. */
import type { Context, ScheduledEvent } from 'aws-lambda';
import { logFailure } from '../shared/log.ts';
import { decodeJob, isReady, type Job, jobsQuery } from '../shared/store/cascades/job.ts';
import { timeForOneTurn, workJob } from '../shared/store/cascades/work-job.ts';
import type { Database } from '../shared/store/dynamodb/database.ts';
import { jobDatabase, loggedStep, subjectOf } from './job-session.ts';

/** Jobs worked on side by side. */
const atOnce = 8;

/**
 * The part of the time that one job gets. One that makes progress goes on by the stream; one that never does must not take
 * the time of all that come behind it, minute after minute.
 */
const share = 1 / 6;

/** There is one schedule: the next call continues what the one before it left. */
const owner = 'schedule';

async function* dueJobs(database: Database): AsyncGenerator<Job, void, undefined> {
  for await (const items of database.pages(jobsQuery))
    yield* items.map(decodeJob).filter((job) => isReady(job, owner));
}

export async function handler(_event: ScheduledEvent, context: Context): Promise<void> {
  const database = jobDatabase(context);
  const invocation = { operation: 'onSchedule', requestId: context.awsRequestId, started: performance.now() };
  const due = dueJobs(database);
  // A step without the time for a turn would never begin.
  const longestStep = Math.max(2 * timeForOneTurn, share * database.deadline.remaining());
  const workUntilTimeIsOver = async (): Promise<void> => {
    for await (const job of due) {
      // What is left is due the next time as well.
      if (database.deadline.remaining() < timeForOneTurn) return;
      // That one fails must not keep the others waiting.
      await loggedStep(invocation, job, () =>
        workJob(jobDatabase(context, longestStep), job.tenant, job.id, owner),
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, workUntilTimeIsOver));
  } catch (error) {
    const message = 'The jobs that are due could not be read.';
    logFailure(message, subjectOf(invocation), error);
    // Lambda counts the invocation as failed, and logs what is thrown as it is: nothing of the inside goes along.
    throw new Error(message);
  }
}
