import { environment } from '../../runtime/environment.ts';
import type { Limits } from './calls.ts';
import { sharedClient } from './client.ts';
import { Database } from './database.ts';
import { Deadline, maxRequestMs } from './deadline.ts';

/**
 * Returns the database for the time of one invocation.
 * @param context.cancelled aborts when nobody waits for the response any more. Only the local gateway knows: API Gateway does not tell.
 * @param reserveMs milliseconds of the invocation that are kept for its response.
 * @param maxMs milliseconds, if less than the invocation has.
 * @param limits of a request.
 */
export function openDatabase(
  context: { getRemainingTimeInMillis(): number; readonly cancelled?: AbortSignal },
  reserveMs: number,
  maxMs = maxRequestMs,
  limits?: Limits,
): Database {
  const timeMs = Math.min(context.getRemainingTimeInMillis() - reserveMs, maxMs);
  return new Database(
    sharedClient(),
    environment.tableName(),
    new Deadline(timeMs, context.cancelled),
    limits,
  );
}
