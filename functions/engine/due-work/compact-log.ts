/** Compacts change logs. No worker takes a lease: a look that finds too few records writes nothing, and two steps at the same time do no harm. */
import { monotonic, now } from '../../runtime/time-and-chance.ts';
import { compact } from '../columns/compact/compact.ts';
import { openLog } from '../columns/compact/dynamodb-compaction-storage.ts';
import { minHoleMs } from '../columns/compact/read-input.ts';
import { logMemory } from '../columns/process-memory.ts';
import { conditionHolds } from '../model/errors.ts';
import { hasDueTimeOf, type Reminder, reminderKey } from '../model/reminder.ts';
import type { Kind } from '../model/schema.ts';
import type { Database } from '../table/database.ts';
import type { Session } from '../table/session.ts';
import { remindBy } from './reminders.ts';
import { registerLog } from './visit-logs.ts';

/** Milliseconds that must be left for another step; otherwise the next look takes it. */
const minStepMs = 1_000;

interface Look {
  /** Number of records, absorbed or not, that lists had to read until now. */
  readonly pending: number;
  readonly hasStepped: boolean;
  /** Whether nothing is left but records that are too few for a step. Otherwise there is a hole, another process was faster, or the time was over. */
  readonly isComplete: boolean;
  readonly hasMore: boolean;
}

/**
 * Takes steps until too few records are left.
 * @param isForced absorbs these as well.
 * @param forMs milliseconds after which it begins no further step.
 */
async function takeSteps(
  { tenant, database }: Session,
  kind: Kind,
  isForced: boolean,
  forMs = Number.POSITIVE_INFINITY,
): Promise<Look> {
  const endMs = monotonic() + forMs;
  const writer = openLog(database, tenant, kind);
  const memory = logMemory(database, tenant, kind);
  let absorbed = 0;
  for (;;) {
    const result = await compact({ writer, memory, nowMs: now(), isForced });
    absorbed += result?.records ?? 0;
    const { waiting = 0, hasHole = false } = result ?? {};
    const counts = { pending: absorbed + waiting, hasStepped: absorbed > 0 };
    if (!result?.hasMore) return { ...counts, isComplete: result !== undefined && !hasHole, hasMore: false };
    if (database.deadline.remaining() < minStepMs || monotonic() >= endMs)
      return { ...counts, isComplete: false, hasMore: true };
  }
}

/** Makes the schedule look at a log when a hole that it may have is old enough to be filled. */
export const lookAgain = (session: Session, kind: Kind): Promise<void> =>
  remindBy(session, kind, now() + minHoleMs);

/**
 * Compacts a log that has new records, if they are enough for a step. Otherwise the daily visit does, or the schedule soon if it has a hole.
 * @param forMs milliseconds after which it begins no further step: the next look does.
 */
export async function compactBusyLog(session: Session, kind: Kind, forMs?: number): Promise<Look> {
  await registerLog(session, kind);
  const look = await takeSteps(session, kind, false, forMs);
  if (!look.isComplete) await lookAgain(session, kind);
  return look;
}

/** Compacts the log of a reminder that is due, however few records it has. Then deletes the reminder, unless somebody has replaced it. */
export async function continueReminder(database: Database, reminder: Reminder): Promise<Look> {
  const { tenant, kind } = reminder;
  const look = await takeSteps({ tenant, database }, kind, true);
  // It is still due.
  if (!look.isComplete) return look;
  await conditionHolds(database.deleteItem(reminderKey(reminder), hasDueTimeOf(reminder)));
  return look;
}
