import { environment } from '../shared/environment.ts';
import { logDone, logFailure, type Subject } from '../shared/log.ts';
import { sharedClient } from '../shared/store/client.ts';
import { Database } from '../shared/store/database.ts';
import { Deadline } from '../shared/store/deadline.ts';
import { type Job, longestRequest } from '../shared/store/jobs.ts';

/** Milliseconds kept of the function's time to report what was not done. */
const timeToReport = 500;

/**
 * The database, for as long as this invocation may take.
 * @param most milliseconds, if it is to be less.
 */
export function jobDatabase(
  context: { getRemainingTimeInMillis(): number },
  most: number = longestRequest,
): Database {
  const time = Math.min(context.getRemainingTimeInMillis() - timeToReport, most);
  return new Database(sharedClient(), environment.tableName(), new Deadline(time));
}

/** What the log says of an invocation of a job's function. */
export interface Invocation {
  readonly operation: string;
  readonly requestId: string;
  /** When it began, by `performance.now()`. */
  readonly started: number;
}

/** Works on a job, and says in the log that a step was done or failed: then it will be tried again. */
export async function loggedStep(
  { operation, requestId, started }: Invocation,
  job: Pick<Job, 'tenant' | 'id'> | undefined,
  work: () => Promise<void>,
): Promise<boolean> {
  const subject = (): Subject => ({
    requestId,
    operation,
    tenant: job?.tenant ?? '',
    duration: Math.round(performance.now() - started),
  });
  try {
    await work();
    logDone('A step of a job is done.', subject(), { job: job?.id });
    return true;
  } catch (error) {
    logFailure('A step of a job failed.', subject(), error, { job: job?.id });
    return false;
  }
}
