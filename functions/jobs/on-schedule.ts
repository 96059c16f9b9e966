/** Continues jobs that wait for a time, and jobs that the stream gave up, compacts quiet logs, and visits all logs once a day. Runs every minute. */

import type { Context, ScheduledEvent } from 'aws-lambda';
import { continueReminder } from '../engine/due-work/compact-log.ts';
import { minStepMs } from '../engine/due-work/continue-job.ts';
import { visitLog, visitLogs } from '../engine/due-work/visit-logs.ts';
import { openDatabase } from '../open-database.ts';
import { logError, logMetrics } from '../runtime/logger.ts';
import { monotonic } from '../runtime/time-and-chance.ts';
import { continueJob } from './continue-job.ts';
import { handleDueWork } from './due-work.ts';
import { jobMetrics } from './job-metrics.ts';
import { logContextOf, runLogged } from './job-session.ts';

/**
 * The share of the time that one job gets. A job that makes progress continues by the stream; a job that never does must not use
 * the time of the jobs after it, minute after minute.
 */
const shareOfOneJob = 1 / 6;

/** The share of the time that one log gets before the others. A step of compaction must end within it. */
const shareOfOneLog = 1 / 2;

/** The share of the time in which all reads must end: a partition that does not respond must not keep the others from being handled. */
const shareOfReads = 1 / 3;

/** The share of the time after which no visit of a log begins, and the share that one visit gets at most. */
const shareOfVisits = 1 / 2;
const shareOfOneVisit = 1 / 3;

/** There is one schedule: the next call continues what the previous one left. */
const owner = 'schedule';

export async function handler(_event: ScheduledEvent, context: Context): Promise<void> {
  const database = openDatabase(context);
  const invocation = { operation: 'onSchedule', requestId: context.awsRequestId, started: monotonic() };
  const timeMs = database.deadline.remaining();
  // A worker without the time for a step would never begin one.
  const databaseFor = (share: number) => openDatabase(context, Math.max(2 * minStepMs, share * timeMs));
  let pending = 0;
  let uncompacted = 0;
  const visits = visitLogs(database, {
    hasTime: () => database.deadline.remaining() >= shareOfVisits * timeMs,
    visit: async (log, position) => {
      let isLate = false;
      const isDone = await runLogged(invocation, log, async () => {
        isLate = await visitLog(databaseFor(shareOfOneVisit), log, position);
        return false;
      });
      if (isLate || !isDone) uncompacted += 1;
    },
  });
  try {
    const work = handleDueWork({
      database: databaseFor(shareOfReads),
      hasTime: () => database.deadline.remaining() >= minStepMs,
      owner,
      // The failure of one must not delay the others.
      continueJob: (job) =>
        runLogged(invocation, job, () => continueJob(databaseFor(shareOfOneJob), job, { owner })),
      continueReminder: async (reminder) => {
        let isUnfinished = false;
        await runLogged(invocation, reminder, async () => {
          const look = await continueReminder(databaseFor(shareOfOneLog), reminder);
          // A hole that is too young to be filled is looked at in a minute.
          isUnfinished = look.hasMore;
          pending = Math.max(pending, look.pending);
          return look.hasStepped;
        });
        return isUnfinished;
      },
    });
    // None is left to a process that Lambda freezes.
    await Promise.allSettled([work, visits]);
    const metrics = (await Promise.all([work, visits]))[0];
    const own = {
      [jobMetrics.pending]: pending,
      ...(uncompacted > 0 && { [jobMetrics.uncompacted]: uncompacted }),
    };
    logMetrics(['FunctionName', context.functionName], { ...metrics, ...own });
  } catch (error) {
    const message = 'The jobs that are due could not be read.';
    logError(message, logContextOf(invocation), error);
    // Lambda counts the invocation as failed and logs the error as it is: it must not contain the cause.
    throw new Error(message);
  }
}
