import { now } from '../../runtime/time-and-chance.ts';
import { conditionHolds } from '../model/errors.ts';
import { decodeReminder, encodeReminder, hasDueTimeOf, reminderKey } from '../model/reminder.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/**
 * Makes sure that the schedule looks at a log at a time at the latest. A reminder that is due already counts as none: the worker that handles it can have
 * looked before the caller did, and is about to delete it. Replacing the reminder keeps it from that.
 */
export async function remindBy({ tenant, database }: Session, kind: Kind, dueAt: number): Promise<void> {
  const log = { tenant, kind };
  for (;;) {
    const item = await database.get(reminderKey(log));
    const before = item && decodeReminder(item);
    if (before && before.dueAt > now() && before.dueAt <= dueAt) return;
    const write = database.putItem(encodeReminder({ ...log, dueAt }), hasDueTimeOf(before));
    if (await conditionHolds(write)) return;
  }
}
