/** What a request works with, before anything of it is read. Pages have none, and leave the database's client out. */
import { openDatabase } from '../store/dynamodb/open-database.ts';
import type { Session } from '../store/unit-of-work/session.ts';
import { type Caller, callerOf } from './caller.ts';
import type { Middleware, PipelineEvent } from './middleware.ts';

/** Milliseconds kept of the function's time to say that there was too little of it. */
const timeToAnswer = 500;

export type SessionEvent = PipelineEvent & { session: Session; caller: Caller };

/**
 * Opens the session of a request.
 * @param needsToken whether the gateway asks for a token.
 */
export const opensSession = (needsToken: boolean): Middleware => ({
  before: ({ event, context }) => {
    const caller = callerOf(event, needsToken);
    event.caller = caller;
    event.session = { tenant: caller.tenant, database: openDatabase(context, timeToAnswer) };
  },
});
