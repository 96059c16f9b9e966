/** Makes sure that the schedule looks at a log. */
import { now } from '../../runtime/time-and-chance.ts';
import { ConditionFailed } from '../model/errors.ts';
import type { Kind } from '../model/relations.ts';
import { decodeReminder, encodeReminder, isUnchanged, reminderKey } from '../model/reminder.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Logs of which a process remembers the reminder. It forgets all when there are more. */
const maxKnownLogs = 10_000;

/** When the reminders are due that this process knows, by table and log. */
const knownDueAt = new Map<string, number>();

/**
 * Makes sure that the schedule looks at a log at a time at the latest. A reminder that is due already counts as none: the worker that handles it can have
 * looked before the caller did, and is about to delete it. Replacing the reminder keeps it from that.
 */
export async function remindBy({ tenant, database }: Session, kind: Kind, dueAt: number): Promise<void> {
  const log = { tenant, kind };
  const name = `${database.tableName}#${tenant}#${kind}`;
  const suffices = (due: number | undefined): boolean => due !== undefined && due > now() && due <= dueAt;
  if (suffices(knownDueAt.get(name))) return;
  if (knownDueAt.size >= maxKnownLogs) knownDueAt.clear();
  for (;;) {
    const item = await database.get(reminderKey(log));
    const before = item && decodeReminder(item);
    try {
      const known = before && suffices(before.dueAt) ? before.dueAt : dueAt;
      if (known === dueAt) await database.putItem(encodeReminder({ ...log, dueAt }), isUnchanged(before));
      knownDueAt.set(name, known);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}
