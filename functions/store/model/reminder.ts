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
  /** When a writer asked for the reminder the last time, milliseconds since 1970. */
  readonly requestedAt: number;
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

/** Milliseconds after a request for which writers rely on the reminder. */
export const validMs = 8 * hourMs;

/**
 * Milliseconds after its last request in which a reminder is not deleted. The hour more than `validMs` is for transactions in progress and
 * for clocks.
 */
export const minReminderMs = validMs + hourMs;

/** Milliseconds after which the schedule looks at a log: longer than `minReminderMs`, so the reminder of a lone write is never moved. */
export const reminderIntervalMs = 12 * hourMs;

/** Number of partitions of the index `by-status` that hold reminders. A log writes its reminder once in hours. */
export const reminderPartitions = 4;

export const reminderKey = ({ tenant, kind }: LogIdentity): Key => ({ pk: `${tenant}#reminder`, sk: kind });

/** Returns whether a writer may rely on a reminder. */
export const isValid = ({ requestedAt }: Pick<Reminder, 'requestedAt'>, nowMs: number): boolean =>
  requestedAt + validMs > nowMs;

/** Returns the progress of a log that has nothing to compare. */
const comparedAt = (nowMs: number): ComparisonProgress => ({ upTo: nowMs - maxLatenessMs, at: nowMs });

const newReminder = ({ tenant, kind }: LogIdentity, nowMs: number): Reminder => ({
  tenant,
  kind,
  dueAt: nowMs + reminderIntervalMs,
  requestedAt: nowMs,
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
  // A process whose clock was far ahead has written a time that would come after the records have expired.
  if (isValid(before, nowMs) && before.dueAt <= dueAt + hourMs) return undefined;
  const compared = before.compared.at > nowMs + hourMs ? comparedAt(nowMs) : before.compared;
  return { ...before, requestedAt: nowMs, dueAt: Math.min(before.dueAt, dueAt), compared };
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
export const isUnused = ({ requestedAt }: Pick<Reminder, 'requestedAt'>, nowMs: number): boolean =>
  requestedAt + minReminderMs < nowMs;

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
> = { dueAt: true, requestedAt: true, late: true, compared: true, ofKind: true, byStatus: true };

const comparedFields: Readonly<Record<keyof ComparisonProgress, true>> = {
  upTo: true,
  at: true,
  after: true,
};

/** Returns the reminder that an item stores. @throws UnknownFormat. */
export function decodeReminder(item: Item): Reminder {
  requireReadable('reminder', item, reminderFields);
  const { pk, sk, dueAt, requestedAt, late = [], compared } = item as Item & Reminder;
  requireKnownFields('reminder', compared, comparedFields);
  const unknown = late.find((key) => !key.startsWith(recordPrefix));
  if (unknown !== undefined) throw new UnknownFormat(`A reminder notes a late record "${unknown}".`);
  return { tenant: pk.slice(0, pk.indexOf('#')), kind: sk as Kind, dueAt, requestedAt, late, compared };
}

/**
 * Returns the condition that a reminder is as it was read; `undefined` is no reminder. A version would not do: it would begin again with a
 * reminder that takes the place of a deleted one.
 */
export const isUnchanged = (before: Reminder | undefined): Condition =>
  before
    ? {
        expression: 'requestedAt = :requestedAt AND dueAt = :dueAt',
        values: { ':requestedAt': before.requestedAt, ':dueAt': before.dueAt },
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
