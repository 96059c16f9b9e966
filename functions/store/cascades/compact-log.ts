/**
 * Compacts change logs. No worker takes a lease: a look that finds too few records writes nothing, and of two steps at the same time, the slower
 * one applies its result to the manifest of the faster one, or is lost.
 */
import type { Database } from '../dynamodb/database.ts';
import { compact } from '../lists/engine/compaction/compact.ts';
import { openLog } from '../lists/engine/compaction/dynamodb-compaction-storage.ts';
import type { LateChanges } from '../lists/engine/compaction/late-changes.ts';
import { defaultSizes } from '../lists/engine/compaction/sizes.ts';
import { logMemory } from '../lists/engine/process-memory.ts';
import { stampOf } from '../model/change-log.ts';
import { ConditionFailed } from '../model/errors.ts';
import { marginMs } from '../model/log-timing.ts';
import type { Kind } from '../model/relations.ts';
import { encodeReminder, isUnchanged, nextLook, type Reminder, reminderKey } from '../model/reminder.ts';
import { maxStamp } from '../model/stamp-text.ts';
import { remindBy } from '../unit-of-work/reminders.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type Compared, compareWhenDue, lastComparisonAt } from './compare-when-due.ts';
import { DanglingReferences } from './dangling-references.ts';
import { lateChanges, readReported } from './late-records.ts';
import { reportRepairs } from './repairs.ts';

/** Milliseconds that must be left for another step; otherwise the next look takes it. */
const minStepMs = 1_000;

interface Look {
  /** Number of settled records that were found, absorbed or not: so many records the lists before had to read. */
  readonly found: number;
  /** Number of changes in settled records that are too few for a step. */
  readonly waitingChanges: number;
  /** Number of late records that were absorbed. */
  readonly late: number;
  /** Milliseconds by which the watermark was ahead of the time. */
  readonly aheadMs: number;
  /** Whether records were absorbed. */
  readonly hasStepped: boolean;
  /** Whether nothing is left but these. Otherwise, another process was faster, or the time was over. */
  readonly isComplete: boolean;
}

interface LookOptions {
  /** Absorbs too few records as well. */
  readonly isForced: boolean;
  readonly late?: LateChanges | undefined;
}

/** Takes steps until too few settled records are left. */
async function look({ tenant, database }: Session, kind: Kind, options: LookOptions): Promise<Look> {
  const writer = openLog(database, tenant, kind);
  const memory = logMemory(database, tenant, kind);
  let [absorbed, late, aheadMs] = [0, 0, 0];
  for (;;) {
    const result = await compact({ writer, memory, nowMs: await database.time(), ...options });
    absorbed += result?.records ?? 0;
    late += result?.late ?? 0;
    aheadMs = Math.max(aheadMs, result?.aheadMs ?? 0);
    const waiting = result?.waiting ?? 0;
    const waitingChanges = result?.waitingChanges ?? 0;
    const hasStepped = absorbed + late > 0;
    const found = { found: absorbed + waiting, waitingChanges, late, aheadMs, hasStepped };
    if (!result?.hasMore) return { ...found, isComplete: result !== undefined };
    if (database.deadline.remaining() < minStepMs) return { ...found, isComplete: false };
  }
}

/** Makes the schedule look at a log as soon as its newest records are settled. */
export const lookAgain = async (session: Session, kind: Kind): Promise<void> =>
  remindBy(session, kind, (await session.database.time()) + marginMs);

/** Returns whether the records are enough for a step as soon as all of them are settled. */
async function willBeEnough(
  { tenant, database }: Session,
  kind: Kind,
  { waitingChanges }: Look,
  nowMs: number,
): Promise<boolean> {
  const unsettled = await openLog(database, tenant, kind).readRecords(nowMs - marginMs, maxStamp);
  const changes = unsettled.reduce((sum, { entries }) => sum + entries.length, waitingChanges);
  return changes >= defaultSizes.minChanges;
}

/**
 * Compacts a log that has new records, if they are enough for a step. When there will be enough as soon as the newest ones are settled, the
 * schedule looks again: the stream might not report any further record of this log.
 * @param stamps of the new records.
 */
export async function compactBusyLog(session: Session, kind: Kind, stamps: readonly number[]): Promise<Look> {
  const found = await look(session, kind, { isForced: false });
  reportRepairs(session, kind, { rows: found.late, aheadMs: found.aheadMs, dangling: 0 });
  const nowMs = await session.database.time();
  const isUnsettled = stamps.some((stamp) => stamp + marginMs > nowMs);
  if (!found.isComplete || (isUnsettled && (await willBeEnough(session, kind, found, nowMs))))
    await lookAgain(session, kind);
  return found;
}

/**
 * Returns the reminder after a complete look; `undefined` when no writer relies on it any more, nothing is left, and the log was compared with its
 * entities after the last write. While nothing but this comparison is left, the reminder waits for it, and a writer brings it forward.
 */
function nextReminder(
  reminder: Reminder,
  nowMs: number,
  { progress: compared, isComplete, hasRecords }: Compared,
): Reminder | undefined {
  // Another step that began before it was told may pass a record until it is settled.
  const late = reminder.late.filter((key) => stampOf(key) > nowMs - marginMs);
  const next = { ...reminder, late, compared };
  if (late.length > 0) return { ...next, dueAt: nowMs + marginMs };
  if (!isComplete) return { ...next, dueAt: nowMs };
  const times = nextLook(reminder, nowMs, hasRecords);
  if (times) return { ...next, ...times };
  const dueAt = lastComparisonAt(reminder, compared);
  return dueAt === undefined ? undefined : { ...next, dueAt };
}

/**
 * Compacts the log of a reminder that is due, however few records it has, compares what is due, and repairs what is late or lost. Then moves the
 * reminder, or deletes it. When no writer relies on it any more, all that such writers have written is settled, so it was absorbed.
 */
export async function continueReminder(database: Database, reminder: Reminder): Promise<Look> {
  const { tenant, kind } = reminder;
  const session = { tenant, database };
  const nowMs = await database.time();
  const compared = await compareWhenDue(session, reminder, nowMs);
  const reported = await readReported(session, kind, reminder.late);
  const references = new DanglingReferences(session);
  const late = lateChanges(session, kind, [...reported, ...compared.suspects], references);
  const found = await look(session, kind, { isForced: true, late });
  const dangling = compared.dangling + references.swept;
  reportRepairs(session, kind, { rows: found.late, aheadMs: found.aheadMs, dangling });
  // It is still due.
  if (!found.isComplete) return found;
  const condition = isUnchanged(reminder);
  const next = nextReminder(reminder, nowMs, compared);
  try {
    if (next) await database.putItem(encodeReminder(next), condition);
    else await database.deleteItem(reminderKey(reminder), condition);
  } catch (error) {
    // A writer has requested it, or hastened it, meanwhile: it is still due.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return found;
}
