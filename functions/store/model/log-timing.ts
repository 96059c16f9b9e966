/** The times that the rules of the log depend on. docs/list-engine.md gives the reasons. */

/**
 * Milliseconds from the stamp of a transaction to the last moment at which it may be sent. After that, its change set is sent under a
 * new stamp. One attempt that hangs ends after 2,000 ms, so there is time for a second one.
 */
export const maxCommitMs = 3_000;

/** Milliseconds by which a clock may be wrong. Two clocks differ by at most twice as much. */
export const maxClockSkewMs = 3_500;

/**
 * Milliseconds after which compaction takes a record for settled: no record with an earlier stamp appears any more. A writer whose
 * clock is behind commits late, and a compaction whose clock is ahead looks early, so the skew counts twice. Every list reads all
 * records that are younger.
 */
export const marginMs = maxCommitMs + 2 * maxClockSkewMs;

/** Milliseconds below the watermark in which compaction looks for records that appeared later than the margin. */
export const healingWindowMs = 600_000;

/** Milliseconds between two looks for late records. */
export const healingIntervalMs = 60_000;

/** Milliseconds for which items stay that no manifest refers to any more: longer than any read. */
export const garbageMs = 3_600_000;
