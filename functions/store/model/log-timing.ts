/** The times that the rules of the log depend on. docs/list-engine.md gives the reasons. */

/**
 * Milliseconds from the stamp of a transaction to the last moment at which it may be sent. After that, its change set is sent under a
 * new stamp. One attempt that hangs ends after 2,000 ms, so there is time for a second one.
 */
export const maxCommitMs = 3_000;

/** Milliseconds by which the corrected time of a process differs from DynamoDB's, at most. Two processes differ by at most twice as much. */
export const maxClockErrorMs = 1_000;

/**
 * Milliseconds after which compaction takes a record for settled: no record with an earlier stamp appears any more. A writer whose
 * clock is behind commits late, and a compaction whose clock is ahead looks early, so the error counts twice. Every list reads all
 * records that are younger.
 */
export const marginMs = maxCommitMs + 2 * maxClockErrorMs;

/**
 * Milliseconds after its stamp from which a record can be late by DynamoDB's time: a compaction whose clock is ahead may have passed it.
 */
export const lateAfterMs = marginMs - maxClockErrorMs;

/**
 * Milliseconds after its stamp within which a record appears, if it does. AWS denies requests that were signed more than some minutes before.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 */
export const maxLatenessMs = 3_600_000;

/** Milliseconds for which items stay that no manifest refers to any more: longer than any read. */
export const garbageMs = 3_600_000;
