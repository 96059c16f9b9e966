/** What can happen to a call between its caller and the table. */
import type { IndexName } from '#functions/engine/model/table.ts';

export type Operation =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'TransactWriteItems';

export interface Call {
  readonly operation: Operation;
  readonly input: object;
  /** The number of the call. The first one is 1. */
  readonly number: number;
}

/** What receives the writes of the table later: an index, or the replica that eventually consistent reads can read. */
export type View = IndexName | 'replica';

/**
 * The course of a call, in the order in which things happen. A property that is absent does not happen, and no time passes. Durations are
 * milliseconds.
 */
export interface Course {
  /** Until the request arrives. */
  readonly requestMs?: number;
  /** Whether the request does not arrive, or the response. Without `patienceMs`, the caller waits until its signal aborts. */
  readonly lost?: 'request' | 'response';
  /** The error with which DynamoDB refuses the call. */
  readonly refusal?: Error;
  /** Whether an eventually consistent read of the table reads the replica. */
  readonly isStale?: boolean;
  /** The keys of a batch that are processed, at most. */
  readonly maxKeys?: number;
  /** For which a transaction holds its items, before it writes them. Other writes of these items conflict with it. */
  readonly holdMs?: number;
  /** From the first write of a transaction to its last one. Reads can see some of them. */
  readonly spreadMs?: number;
  /** From a write to its arrival in a view. */
  readonly lagMs?: (view: View) => number;
  /** Makes what arrives instead of the response. */
  readonly respond?: (output: object) => object;
  /** Until the response arrives. */
  readonly responseMs?: number;
  /** For which the caller waits for the response. With `Infinity` it never continues, as in a process that has crashed. */
  readonly patienceMs?: number;
  /** The error that the caller then gets. By default, the SDK's for a connection without a response. */
  readonly error?: Error;
}

/** Returns the course of a call; `undefined` when nothing happens to it. */
export type Intercept = (call: Call) => Course | undefined;
