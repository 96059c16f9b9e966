import type { Database } from '../dynamodb/database.ts';

/** A caller's promise that requests with this key are one request. */
export interface Idempotency {
  /** Unique among the tenant's keys for this operation and path. */
  readonly scope: string;
  /** Digest of what was asked for; the same key with another is a mistake. */
  readonly fingerprint: string;
}

/** What one request, or one step of a job, works with. */
export interface Session {
  /** Whose data this is. Every key starts with it, so that nothing else can be named. */
  readonly tenant: string;
  readonly database: Database;
  readonly idempotency?: Idempotency | undefined;
  /** Set when the answer is one that was given before. */
  replayed?: boolean;
}
