/**
 * Reminders: one item for each change log that was written since its last comparison with the entities. The stream drives the compaction of busy
 * logs. The schedule looks at a log when its reminder is due, so no record waits for more than half a day, however few there are.
 */
import { recordPrefix } from './change-log.ts';
import { notExists } from './condition-expressions.ts';
import { UnknownFormat } from './errors.ts';
import { partitionNumber } from './index-partitions.ts';
import { maxLatenessMs } from './log-timing.ts';
import type { Kind } from './relations.ts';
import { formatAttributes, requireKnownFields, requireReadable } from './stored-format.ts';
import type { Condition, Item, Key } from './writes.ts';

/** A change log. */
export interface LogIdentity {
  readonly tenant: string;
  readonly kind: Kind;
}

export interface Reminder extends LogIdentity {
  /** When the schedule looks at the log, milliseconds since 1970. */
  readonly dueAt: number;
  /** Until when the log may be written: so long, the schedule does not delete the reminder, and looks often. Milliseconds since 1970. */
  readonly keptUntil: number;
  /** Sort keys of records that may be late: compaction may have passed their stamps before they were committed. */
  readonly late: readonly string[];
  readonly compared: ComparisonProgress;
}

/** What was compared of a log. */
export interface ComparisonProgress {
  /** Stamp of the records up to which the columns have all that appeared late. */
  readonly upTo: number;
  /** When the last comparison of all rows with the entities began, milliseconds since 1970. */
  readonly at: number;
  /** The id after which it continues, while it is not complete. */
  readonly after?: string | undefined;
}

const hourMs = 3_600_000;

/** Milliseconds for which a reminder is kept after writers have ceased to rely on it: for transactions in progress and for clocks. */
const reserveMs = hourMs;

/** Milliseconds for which a reminder is kept when a writer requests it. */
export const minReminderMs = 8 * hourMs + reserveMs;

/** Milliseconds after which the schedule looks at a log: longer than `minReminderMs`, so the reminder of a lone write is never moved. */
export const reminderIntervalMs = 12 * hourMs;

/**
 * Milliseconds for which the schedule keeps the reminder of a log that is written about once a day, and after which it looks again. The next writer
 * finds the reminder as it needs it. Each move of a reminder costs three write units.
 */
const dailyIntervalMs = 24 * hourMs;

/** Milliseconds between two looks at a log, at most, for it to count as written about once a day. */
const maxDailyIntervalMs = 36 * hourMs;

/** Number of partitions of the index `by-status` that hold reminders. A log writes its reminder once in hours. */
export const reminderPartitions = 4;

export const reminderKey = ({ tenant, kind }: LogIdentity): Key => ({ pk: `${tenant}#reminder`, sk: kind });

/** Returns the time until which writers may rely on a reminder. */
export const validUntil = ({ keptUntil }: Pick<Reminder, 'keptUntil'>): number => keptUntil - reserveMs;

/** Returns the progress of a log that has nothing to compare. */
const comparedAt = (nowMs: number): ComparisonProgress => ({ upTo: nowMs - maxLatenessMs, at: nowMs });

const newReminder = ({ tenant, kind }: LogIdentity, nowMs: number): Reminder => ({
  tenant,
  kind,
  dueAt: nowMs + reminderIntervalMs,
  keptUntil: nowMs + minReminderMs,
  late: [],
  compared: comparedAt(nowMs),
});

/**
 * Returns the reminder that a writer needs, if it differs from the one that there is.
 * @param before `undefined` when there is none.
 */
export function requestReminder(
  before: Reminder | undefined,
  { tenant, kind }: LogIdentity,
  nowMs: number,
): Reminder | undefined {
  const dueAt = nowMs + reminderIntervalMs;
  if (!before) return newReminder({ tenant, kind }, nowMs);
  // The next look of a log that is written about once a day may be too far off. A process whose clock was far ahead has written a time that would
  // come after the records have expired.
  if (validUntil(before) > nowMs && before.dueAt <= dueAt + hourMs) return undefined;
  const compared = before.compared.at > nowMs + hourMs ? comparedAt(nowMs) : before.compared;
  return { ...before, keptUntil: nowMs + minReminderMs, dueAt: Math.min(before.dueAt, dueAt), compared };
}

/** Returns a reminder that is due at a time at the latest, if it differs from the one that there is. */
export function hastenReminder(
  before: Reminder | undefined,
  log: LogIdentity,
  { dueAt, nowMs }: { readonly dueAt: number; readonly nowMs: number },
): Reminder | undefined {
  if (before && before.dueAt <= dueAt) return undefined;
  return { ...(before ?? newReminder(log, nowMs)), dueAt };
}

/** Keys in one reminder, at most. Those of an outage that makes more records late are left to the comparison of the records. */
const maxLateKeys = 1_000;

/** Returns a reminder that is due and names records that may be late. @param keys their sort keys. */
export function noteLate(
  before: Reminder | undefined,
  log: LogIdentity,
  { keys, nowMs }: { readonly keys: readonly string[]; readonly nowMs: number },
): Reminder {
  const reminder = before ?? newReminder(log, nowMs);
  // Another time than before, so that a worker which has read the reminder without these keys does not replace it.
  const dueAt = Math.min(reminder.dueAt - 1, nowMs);
  return { ...reminder, dueAt, late: [...new Set([...reminder.late, ...keys])].slice(-maxLateKeys) };
}

/** Returns whether no writer relies on a reminder any more, and the transactions of those that did have ended. */
export const isUnused = ({ keptUntil }: Pick<Reminder, 'keptUntil'>, nowMs: number): boolean =>
  keptUntil <= nowMs;

/**
 * Returns whether a log with new records is written about once a day: writers have used the reminder since the last look, which was about a day ago.
 * The first records of a reminder may be the only ones.
 * @param reminder before the look.
 */
function isWrittenDaily({ keptUntil, compared }: Reminder, nowMs: number): boolean {
  const lookedAt = compared.upTo + maxLatenessMs;
  return keptUntil > lookedAt + minReminderMs && nowMs - lookedAt <= maxDailyIntervalMs;
}

/**
 * Returns when the schedule looks at a log again; `undefined` when nobody writes to it.
 * @param reminder before the look.
 * @param hasRecords whether the log has records since the look before.
 */
export function nextLook(
  reminder: Reminder,
  nowMs: number,
  hasRecords: boolean,
): Pick<Reminder, 'dueAt' | 'keptUntil'> | undefined {
  const { keptUntil } = reminder;
  if (!isUnused(reminder, nowMs)) return { dueAt: nowMs + reminderIntervalMs, keptUntil };
  if (!hasRecords || !isWrittenDaily(reminder, nowMs)) return undefined;
  const dueAt = nowMs + dailyIntervalMs;
  return { dueAt, keptUntil: dueAt };
}

/** Returns the item of a reminder. Its sort key in the index begins with the time when it is due. */
export const encodeReminder = ({ tenant, kind, late, ...rest }: Reminder): Item => ({
  ...reminderKey({ tenant, kind }),
  ofKind: `#reminder#${partitionNumber(`${tenant}#${kind}`, reminderPartitions)}`,
  byStatus: `${new Date(rest.dueAt).toISOString()}#${tenant}#${kind}`,
  ...formatAttributes('reminder'),
  ...rest,
  ...(late.length > 0 && { late }),
});

const reminderFields: Readonly<
  Record<Exclude<keyof Reminder, keyof LogIdentity> | 'ofKind' | 'byStatus', true>
> = { dueAt: true, keptUntil: true, late: true, compared: true, ofKind: true, byStatus: true };

const comparedFields: Readonly<Record<keyof ComparisonProgress, true>> = {
  upTo: true,
  at: true,
  after: true,
};

/** Returns the reminder that an item stores. @throws UnknownFormat. */
export function decodeReminder(item: Item): Reminder {
  requireReadable('reminder', item, reminderFields);
  const { pk, sk, dueAt, keptUntil, late = [], compared } = item as Item & Reminder;
  requireKnownFields('reminder', compared, comparedFields);
  const unknown = late.find((key) => !key.startsWith(recordPrefix));
  if (unknown !== undefined) throw new UnknownFormat(`A reminder notes a late record "${unknown}".`);
  return { tenant: pk.slice(0, pk.indexOf('#')), kind: sk as Kind, dueAt, keptUntil, late, compared };
}

/**
 * Returns the condition that a reminder is as it was read; `undefined` is no reminder. A version would not do: it would begin again with a
 * reminder that takes the place of a deleted one.
 */
export const isUnchanged = (before: Reminder | undefined): Condition =>
  before
    ? {
        expression: 'keptUntil = :keptUntil AND dueAt = :dueAt',
        values: { ':keptUntil': before.keptUntil, ':dueAt': before.dueAt },
      }
    : notExists;

/** Returns the query for the due reminders of one partition, those that are due for the longest time first. @param partition from 0. */
export const dueRemindersQuery = (partition: number, nowMs: number) =>
  ({
    IndexName: 'by-status',
    KeyConditionExpression: 'ofKind = :reminders AND byStatus < :now',
    ExpressionAttributeValues: {
      ':reminders': `#reminder#${partition}`,
      ':now': new Date(nowMs).toISOString(),
    },
  }) as const;
