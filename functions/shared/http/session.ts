/** What a request works with, before anything of it is read. Pages have none, and leave the database's client out. */
import { environment } from '../environment.ts';
import { sharedClient } from '../store/client.ts';
import { Database } from '../store/database.ts';
import { Deadline } from '../store/deadline.ts';
import { longestRequest } from '../store/jobs.ts';
import type { Session } from '../store/session.ts';
import type { Middleware, PipelineEvent } from './middleware.ts';
import { tenantOf } from './tenant.ts';

/** Milliseconds kept of the function's time to say that there was too little of it. */
const timeToAnswer = 500;

export type SessionEvent = PipelineEvent & { session: Session };

/**
 * Opens the session of a request.
 * @param needsToken whether the gateway asks for a token.
 */
export const opensSession = (needsToken: boolean): Middleware => ({
  before: ({ event, context }) => {
    const tenant = tenantOf(event, needsToken);
    const time = Math.min(context.getRemainingTimeInMillis(), longestRequest) - timeToAnswer;
    event.session = {
      tenant,
      database: new Database(sharedClient(), environment.tableName(), new Deadline(time)),
    };
  },
});
