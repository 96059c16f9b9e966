import { environment } from '../../environment.ts';
import { longestRequest } from '../cascades/job.ts';
import { sharedClient } from './client.ts';
import { Database } from './database.ts';
import { Deadline } from './deadline.ts';

/**
 * The database, for as long as an invocation may take.
 * @param context of the invocation.
 * @param kept milliseconds of its time to say how it ended.
 * @param most milliseconds, if it is to be less.
 */
export function openDatabase(
  context: { getRemainingTimeInMillis(): number },
  kept: number,
  most: number = longestRequest,
): Database {
  const time = Math.min(context.getRemainingTimeInMillis() - kept, most);
  return new Database(sharedClient(), environment.tableName(), new Deadline(time));
}
