/**
 * Reminders of change logs that are written. A reminder is not part of the writer's transaction: there, all writers of a kind would conflict.
 * The writer makes sure that there is one before. It relies on a reminder until an hour before the schedule may delete it. So no record is
 * written while its reminder is deleted.
 */
import { type Change, kindsOf } from '../model/changes.ts';
import { ConditionFailed } from '../model/errors.ts';
import type { Kind } from '../model/relations.ts';
import {
  decodeReminder,
  encodeReminder,
  hastenReminder,
  isUnchanged,
  type LogIdentity,
  noteLate,
  type Reminder,
  reminderKey,
  requestReminder,
  validUntil,
} from '../model/reminder.ts';
import type { Session } from './session.ts';

/** Logs of which a process remembers how long it relies on the reminder. It forgets all when there are more: then each writer reads the reminder again. */
const maxKnownLogs = 10_000;

/** Until when this process relies on the reminder of a log, by table and log. */
const reliedUntil = new Map<string, number>();

type ReminderChange = (before: Reminder | undefined, log: LogIdentity, nowMs: number) => Reminder | undefined;

/**
 * Changes the reminder of a log, again while others change it at the same time.
 * @param change returns the reminder after the change; `undefined` when nothing is to be changed.
 * @returns the reminder that is stored.
 */
async function changeReminder(
  { tenant, database }: Session,
  kind: Kind,
  change: ReminderChange,
): Promise<Reminder | undefined> {
  const log = { tenant, kind };
  for (;;) {
    const item = await database.get(reminderKey(log));
    const before = item && decodeReminder(item);
    const after = change(before, log, await database.time());
    if (!after) return before;
    try {
      await database.putItem(encodeReminder(after), isUnchanged(before));
      return after;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

async function requireReminderOf(session: Session, kind: Kind): Promise<void> {
  const log = `${session.database.tableName}#${session.tenant}#${kind}`;
  if ((reliedUntil.get(log) ?? 0) > (await session.database.time())) return;
  const reminder = await changeReminder(session, kind, requestReminder);
  if (reliedUntil.size >= maxKnownLogs) reliedUntil.clear();
  if (reminder) reliedUntil.set(log, validUntil(reminder));
}

/** Makes sure that the logs have reminders that changes are going to be recorded in. A process remembers them for hours. */
export async function requireReminders(session: Session, changes: readonly Change[]): Promise<void> {
  await Promise.all(kindsOf(changes).map((kind) => requireReminderOf(session, kind)));
}

/** Makes the schedule look at a log at a time at the latest. */
export async function remindBy(session: Session, kind: Kind, dueAt: number): Promise<void> {
  await changeReminder(session, kind, (before, log, nowMs) => hastenReminder(before, log, { dueAt, nowMs }));
}

/**
 * Notes records that may be late in the reminder of their log, which is then due. Who notices one does so: the writer, or the stream of the table,
 * because a process that is late can end before it notices anything.
 * @param keys sort keys of the records.
 */
export async function reportLateRecords(
  session: Session,
  kind: Kind,
  keys: readonly string[],
): Promise<void> {
  await changeReminder(session, kind, (before, log, nowMs) => noteLate(before, log, { keys, nowMs }));
}
