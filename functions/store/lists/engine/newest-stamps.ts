/**
 * Which records a log had that can have expired. Records live as many days as the setting `historyDays` said when they were written, so a manifest
 * has the newest record of each length of life.
 */
import { defaultHistoryDays, type LogRecord, recordLifeMs } from '../../model/change-log.ts';

/** By the days of their life: the greatest stamp of the records that the columns contain. Milliseconds since 1970. */
export type NewestStamps = Readonly<Record<string, number>>;

type NewestStamp = readonly [days: number, stamp: number];

const pairsOf = (newest: NewestStamps): NewestStamp[] =>
  Object.entries(newest).map(([days, stamp]) => [Number(days), stamp]);

/** Returns whether another record tells as much: it is not older, and expires not later. */
const isCovered = ([days, stamp]: NewestStamp, others: readonly NewestStamp[]): boolean =>
  others.some(([otherDays, other]) => otherDays < days && other >= stamp);

/** Adds the records that a step absorbs. */
export function addNewestStamps(newest: NewestStamps, records: readonly LogRecord[]): NewestStamps {
  const all = new Map(pairsOf(newest));
  for (const { stamp, lifeDays = defaultHistoryDays } of records)
    all.set(lifeDays, Math.max(stamp, all.get(lifeDays) ?? 0));
  const pairs = [...all];
  return Object.fromEntries(pairs.filter((pair) => !isCovered(pair, pairs)));
}

/**
 * Returns whether a record with a greater stamp than one can have expired.
 * @param given the stamp up to which the reader has all records that were not settled, if it is greater.
 */
export const canHaveExpired = (
  newest: NewestStamps,
  { above, given, nowMs }: { readonly above: number; readonly given: number; readonly nowMs: number },
): boolean => pairsOf(newest).some(([days, stamp]) => stamp > given && above < nowMs - recordLifeMs(days));
