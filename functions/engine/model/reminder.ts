/**
 * Reminders: one item for each change log that waits for a look of the schedule. The stream drives the compaction of busy logs. It asks for a look at records
 * behind a hole, in a moment, and the daily visit of all logs asks for one at records that are too few for a step and wait for days.
 */
import type { LogIdentity } from './change-log.ts';
import { byStatusBetween, partitionNumber } from './index-partitions.ts';
import type { Kind } from './schema.ts';
import { formatAttributes, requireReadable } from './stored-format.ts';
import { type Condition, type Item, type Key, notExists } from './writes.ts';

export interface Reminder extends LogIdentity {
  /** When the schedule looks at the log, milliseconds since 1970. */
  readonly dueAt: number;
}

/** Number of partitions of the index `by-status` that hold reminders. A log writes its reminder seldom. */
export const reminderPartitions = 4;

export const reminderKey = ({ tenant, kind }: LogIdentity): Key => ({ pk: `${tenant}#reminder`, sk: kind });

/** Returns the item of a reminder. Its sort key in the index begins with the time when it is due. */
export const encodeReminder = ({ tenant, kind, dueAt }: Reminder): Item => ({
  ...reminderKey({ tenant, kind }),
  ofKind: `#reminder#${partitionNumber(`${tenant}#${kind}`, reminderPartitions)}`,
  byStatus: `${new Date(dueAt).toISOString()}#${tenant}#${kind}`,
  ...formatAttributes('reminder'),
  dueAt,
});

const reminderFields = { dueAt: true, ofKind: true, byStatus: true };

/** Returns the reminder that an item stores. @throws UnknownFormat. */
export function decodeReminder(item: Item): Reminder {
  requireReadable('reminder', item, reminderFields);
  const { pk, sk } = item;
  return { tenant: pk.slice(0, pk.indexOf('#')), kind: sk as Kind, dueAt: item['dueAt'] as number };
}

/** Returns the condition that a reminder is as it was read; `undefined` is no reminder. */
export const hasDueTimeOf = (before: Reminder | undefined): Condition =>
  before ? { expression: 'dueAt = :dueAt', values: { ':dueAt': before.dueAt } } : notExists;

/** Returns the query for the due reminders of one partition, those that are due for the longest time first. @param partition from 0. */
export const dueRemindersQuery = (partition: number, nowMs: number) =>
  byStatusBetween(`#reminder#${partition}`, '0', new Date(nowMs).toISOString());
