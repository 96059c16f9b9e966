import { logDone, logFailure, type Subject } from '../shared/log.ts';
import type { Job } from '../shared/store/cascades/job.ts';
import type { Database } from '../shared/store/dynamodb/database.ts';
import { openDatabase } from '../shared/store/dynamodb/open-database.ts';

/** Milliseconds kept of the function's time to report what was not done. */
const timeToReport = 500;

/**
 * The database, for as long as this invocation may take.
 * @param most milliseconds, if it is to be less.
 */
export const jobDatabase = (context: { getRemainingTimeInMillis(): number }, most?: number): Database =>
  openDatabase(context, timeToReport, most);

/** What the log says of an invocation of a job's function. */
export interface Invocation {
  readonly operation: string;
  readonly requestId: string;
  /** When it began, by `performance.now()`. */
  readonly started: number;
}

/** What a line of the log is about. @param tenant whose job it is, where it is about one. */
export const subjectOf = ({ operation, requestId, started }: Invocation, tenant = ''): Subject => ({
  requestId,
  operation,
  tenant,
  duration: Math.round(performance.now() - started),
});

/** Works on a job, and says in the log that a step was done or failed: then it will be tried again. */
export async function loggedStep(
  invocation: Invocation,
  job: Pick<Job, 'tenant' | 'id'> | undefined,
  work: () => Promise<void>,
): Promise<boolean> {
  const subject = (): Subject => subjectOf(invocation, job?.tenant);
  try {
    await work();
    logDone('A step of a job is done.', subject(), { job: job?.id });
    return true;
  } catch (error) {
    logFailure('A step of a job failed.', subject(), error, { job: job?.id });
    return false;
  }
}
