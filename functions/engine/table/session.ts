import type { Database } from './database.ts';
import type { Sight } from './sight.ts';

/** Requests of one caller with one `Idempotency-Key`. */
export interface Idempotency {
  /** Unique among the keys of the tenant for this caller, operation and path. */
  readonly scope: string;
  /** Digest of the body. The same scope with another fingerprint is a mistake. */
  readonly fingerprint: string;
}

/** What one request, or one step of a job, works with. */
export interface Session {
  /** Whose data this is. Every key begins with it, so no request can name an item of another tenant. */
  readonly tenant: string;
  /** The subject of the caller's token, which records of changes have; absent where requests need no token. Of a job: that of its request. */
  readonly actor?: string | undefined;
  readonly database: Database;
  /** What the caller sees; absent where it sees all of the tenant. The database leaves out the rest. */
  readonly sight?: Sight | undefined;
  readonly idempotency?: Idempotency | undefined;
  /** Set when the response repeats an earlier one. */
  replayed?: boolean;
}

/** Returns a session that sees all: for what an operation changes in consequence, besides what its caller names. */
export const withoutSight = (session: Session): Session =>
  session.sight ? { ...session, database: session.database.whole, sight: undefined } : session;
