/** Opens the session of a request. The documentation has none: its bundle does not contain the client of DynamoDB. */

import { allProjectsScope } from '../contract/scopes.ts';
import { maxRequestMs } from '../engine/table/deadline.ts';
import type { Session } from '../engine/table/session.ts';
import { Sight } from '../engine/table/sight.ts';
import { openDatabase } from '../open-database.ts';
import { callerOf, hasScope } from './caller.ts';
import type { Caller, Middleware, PipelineEvent } from './middleware.ts';

/**
 * Read units of one request: 16 times what the most expensive list of a million entities costs in a new process. It protects the other tenants
 * from a request that nobody has thought of.
 */
const maxReadUnits = 20_000;

/** Attempts of a call that DynamoDB refuses because of its keys. With the waits between them, they take a second or less in most cases. */
const maxKeyThrottles = 3;

export type SessionEvent = PipelineEvent & { session: Session; caller: Caller };

/** Characters of a subject (OpenID Connect Core, section 2). A longer one is not recorded: each change would cost more. */
const maxSubjectLength = 255;

const actorOf = ({ subject }: Caller): string | undefined =>
  subject !== undefined && subject.length <= maxSubjectLength && subject.isWellFormed() ? subject : undefined;

export const openSession = (needsToken: boolean): Middleware => ({
  before: ({ event, context }) => {
    const caller = callerOf(event, needsToken);
    event.caller = caller;
    const { tenant, user } = caller;
    const limits = { maxReadUnits, maxKeyThrottles };
    const whole = openDatabase(context, maxRequestMs, limits);
    const sight = hasScope(caller, allProjectsScope) ? undefined : new Sight(tenant, user, whole);
    const database = sight ? whole.restricted((items) => sight.filter(items)) : whole;
    event.session = { tenant, actor: actorOf(caller), database, sight };
  },
});
