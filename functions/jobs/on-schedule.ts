/** Continues jobs that wait for a time, and jobs that the stream gave up. Runs every minute. */

import type { Context, ScheduledEvent } from 'aws-lambda';
import { logError, logMetrics } from '../runtime/logger.ts';
import { continueJob, minStepMs } from '../store/cascades/continue-job.ts';
import { readJobs } from '../store/cascades/read-jobs.ts';
import type { Database } from '../store/dynamodb/database.ts';
import { isReady, type Job, jobKey } from '../store/model/job.ts';
import { measureJobs } from './job-metrics.ts';
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

/**
 * Returns the due jobs in queues. The jobs of a tenant are in one queue: they share a pace, and would wait for each other. Compaction keeps
 * no pace, so it does not wait behind them.
 */
function queuesOf(jobs: readonly Job[], nowMs: number): Job[][] {
  const queues = new Map<string, Job[]>();
  for (const job of jobs.filter((one) => isReady(one, owner, nowMs))) {
    const name = job.work.type === 'compact' ? jobKey(job).pk : job.tenant;
    queues.set(name, [...(queues.get(name) ?? []), job]);
  }
  return [...queues.values()];
}

async function readQueues(database: Database, functionName: string): Promise<Job[][]> {
  const jobs = await readJobs(database);
  const nowMs = await database.time();
  logMetrics(['FunctionName', functionName], measureJobs(jobs, nowMs));
  return queuesOf(jobs, nowMs);
}

export async function handler(_event: ScheduledEvent, context: Context): Promise<void> {
  const database = jobDatabase(context);
  const invocation = { operation: 'onSchedule', requestId: context.awsRequestId, started: performance.now() };
  // A worker without the time for a step would never begin one.
  const maxJobMs = Math.max(2 * minStepMs, shareOfOneJob * database.deadline.remaining());
  const work = async (queues: Job[][]): Promise<void> => {
    // A tenant with many jobs goes to the end after each: the jobs of others must not wait for all of them.
    for (let queue = queues.shift(); queue; queue = queues.shift()) {
      const [job, ...rest] = queue;
      // The rest is due at the next call as well.
      if (!job || database.deadline.remaining() < minStepMs) return;
      // The failure of one job must not delay the others.
      await runLogged(invocation, job, () => continueJob(jobDatabase(context, maxJobMs), job, { owner }));
      if (rest.length > 0) queues.push(rest);
    }
  };
  try {
    const queues = await readQueues(database, context.functionName);
    await Promise.all(Array.from({ length: concurrency }, () => work(queues)));
  } catch (error) {
    const message = 'The jobs that are due could not be read.';
    logError(message, logContextOf(invocation), error);
    // Lambda counts the invocation as failed and logs the error as it is: it must not contain the cause.
    throw new Error(message);
  }
}
