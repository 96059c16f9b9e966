import { environment } from '../shared/environment.ts';
import { sharedClient } from '../shared/store/client.ts';
import { Database } from '../shared/store/database.ts';
import { Deadline } from '../shared/store/deadline.ts';
import { longestRequest } from '../shared/store/jobs.ts';

/** Milliseconds kept of the function's time to report what was not done. */
const timeToReport = 500;

/** The database, for as long as this invocation may take. */
export function jobDatabase(context: { getRemainingTimeInMillis(): number }): Database {
  const time = Math.min(context.getRemainingTimeInMillis(), longestRequest) - timeToReport;
  return new Database(sharedClient(), environment.tableName(), new Deadline(time));
}

/** Says in the log that a job's step failed; it will be tried again. */
export function logFailure(tenant: string, id: string, error: unknown): void {
  const cause =
    error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : String(error);
  console.error(
    JSON.stringify({ level: 'ERROR', message: 'A step of a job failed.', tenant, job: id, error: cause }),
  );
}
