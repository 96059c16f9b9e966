import { environment } from './runtime/environment.ts';
// Whatever reads or writes the table needs the schema.
import './schema.ts';
import type { Limits } from './engine/table/calls.ts';
import { sharedClient, warmSharedClient } from './engine/table/client.ts';
import { Database } from './engine/table/database.ts';
import { Deadline, maxRequestMs } from './engine/table/deadline.ts';

// Other hosts set the environment variables, or share a client of their own, after they have loaded this module.
if (environment.isOnLambda()) warmSharedClient(environment.databaseEndpoint());

/** Milliseconds of an invocation that are kept for its log and its response. */
const responseReserveMs = 500;

/**
 * Returns the database for the time of one invocation.
 * @param context.cancelled aborts when nobody waits for the response any more. Only the local gateway knows: API Gateway does not tell.
 * @param maxMs milliseconds, if less than the invocation has.
 */
export function openDatabase(
  context: { getRemainingTimeInMillis(): number; readonly cancelled?: AbortSignal },
  maxMs = maxRequestMs,
  limits?: Limits,
): Database {
  const timeMs = Math.min(context.getRemainingTimeInMillis() - responseReserveMs, maxMs);
  return new Database(
    sharedClient(),
    environment.tableName(),
    new Deadline(timeMs, context.cancelled),
    limits,
  );
}
