/**
 * Compacts change logs. No worker takes a lease: a look that finds too few records writes nothing, and of two steps at the same time, the
 * condition of the manifest lets one succeed.
 */
import type { Database } from '../dynamodb/database.ts';
import { compact } from '../lists/engine/compaction/compact.ts';
import { openLog } from '../lists/engine/compaction/dynamodb-compaction-storage.ts';
import { defaultSizes } from '../lists/engine/compaction/sizes.ts';
import { logMemory } from '../lists/engine/process-memory.ts';
import { ConditionFailed } from '../model/errors.ts';
import { marginMs } from '../model/log-timing.ts';
import type { Kind } from '../model/relations.ts';
import {
  encodeReminder,
  isUnchanged,
  isUnused,
  type Reminder,
  reminderIntervalMs,
  reminderKey,
} from '../model/reminder.ts';
import { remindBy } from '../unit-of-work/reminders.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Milliseconds that must be left for another step; otherwise the next look takes it. */
const minStepMs = 1_000;

interface Look {
  /** Number of settled records that were found, absorbed or not: so many records the lists before had to read. */
  readonly found: number;
  /** Number of settled records that are too few for a step. */
  readonly waiting: number;
  /** Whether records were absorbed. */
  readonly hasStepped: boolean;
  /** Whether nothing is left but these. Otherwise, another process was faster, or the time was over. */
  readonly isComplete: boolean;
}

/** Takes steps until too few settled records are left. @param isForced absorbs these as well. */
async function look({ tenant, database }: Session, kind: Kind, isForced: boolean): Promise<Look> {
  const writer = openLog(database, tenant, kind);
  const memory = logMemory(database, tenant, kind);
  for (let absorbed = 0; ; ) {
    const result = await compact({ writer, memory, nowMs: Date.now(), isForced });
    absorbed += result?.records ?? 0;
    const waiting = result?.waiting ?? 0;
    const found = { found: absorbed + waiting, waiting, hasStepped: absorbed > 0 };
    if (!result?.hasMore) return { ...found, isComplete: result !== undefined };
    if (database.deadline.remaining() < minStepMs) return { ...found, isComplete: false };
  }
}

/** Makes the schedule look at a log as soon as its newest records are settled. */
export const lookAgain = (session: Session, kind: Kind): Promise<void> =>
  remindBy(session, kind, Date.now() + marginMs);

/**
 * Compacts a log that has new records, if they are enough for a step. When there will be enough as soon as the newest ones are settled, the
 * schedule looks again: the stream might not report any further record of this log.
 * @param stamps of the new records.
 */
export async function compactBusyLog(session: Session, kind: Kind, stamps: readonly number[]): Promise<Look> {
  const found = await look(session, kind, false);
  const nowMs = Date.now();
  const unsettled = stamps.filter((stamp) => stamp + marginMs > nowMs).length;
  if (!found.isComplete || found.waiting + unsettled >= defaultSizes.minRecords)
    await lookAgain(session, kind);
  return found;
}

/**
 * Compacts the log of a reminder that is due, however few records it has. Then deletes the reminder if no writer relies on it any more. All that
 * such writers have written is settled by then, so it was absorbed.
 */
export async function continueReminder(database: Database, reminder: Reminder): Promise<Look> {
  const { tenant, kind } = reminder;
  const nowMs = Date.now();
  const found = await look({ tenant, database }, kind, true);
  // It is still due.
  if (!found.isComplete) return found;
  const condition = isUnchanged(reminder);
  const moved = { ...reminder, dueAt: nowMs + reminderIntervalMs };
  try {
    if (isUnused(reminder, nowMs)) await database.deleteItem(reminderKey(reminder), condition);
    else await database.putItem(encodeReminder(moved), condition);
  } catch (error) {
    // A writer has requested it, or hastened it, meanwhile: it is still due.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return found;
}
