/**
 * Decides what a look at a log compares. Each record is compared with the columns once more, when no further one can appear beside it. All rows are
 * compared with the entities once in thirty days while the log is written, and once after the last write.
 */
import type { Deadline } from '../dynamodb/deadline.ts';
import type { LogRecord } from '../model/change-log.ts';
import { maxLatenessMs } from '../model/log-timing.ts';
import { type ComparisonProgress, type Reminder, validUntil } from '../model/reminder.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ComparedPage, comparePage } from './compare-log.ts';
import { DanglingReferences } from './dangling-references.ts';
import { readPassed } from './late-records.ts';

/** Milliseconds between two comparisons of all rows of a log with the entities: an entity costs an eighth of a read unit. */
const comparisonMs = 30 * 86_400_000;

/** Pages of rows in one look, at most. The schedule continues the comparison, so its reads keep a pace. */
const maxPages = 50;

/** Milliseconds of a worker's time from which it compares no further page. */
const minPageMs = 10_000;

/** What a look has compared. */
export interface Compared {
  readonly progress: ComparisonProgress;
  /** Whether no comparison is due or in progress. */
  readonly isComplete: boolean;
  /** Whether the log has records since the last look, absorbed or not. */
  readonly hasRecords: boolean;
  /** Records that the columns may lack, and records that stand for lost changes. */
  readonly suspects: readonly LogRecord[];
  /** Number of missing entities that others refer to. */
  readonly dangling: number;
}

const hasTime = (deadline: Deadline): boolean => deadline.remaining() >= minPageMs;

/** Compares the next pages of rows with the entities. @param progress of the comparison, or of the one before. */
async function compareRows(
  session: Session,
  { kind }: Reminder,
  { after: start = '', ...progress }: ComparisonProgress,
): Promise<Omit<Compared, 'hasRecords'>> {
  const references = new DanglingReferences(session);
  const suspects: LogRecord[] = [];
  let after: string | undefined = start;
  for (let page = 0; page < maxPages && after !== undefined; page += 1) {
    if (page > 0 && !hasTime(session.database.deadline)) break;
    const compared: ComparedPage = await comparePage(session, kind, after);
    await references.sweep(compared.entities);
    suspects.push(compared.lost);
    after = compared.next;
  }
  const isComplete = after === undefined;
  return {
    progress: { ...progress, ...(!isComplete && { after }) },
    isComplete,
    suspects,
    dangling: references.swept,
  };
}

/** Compares what is due: first the records, and the rows when no record is left. */
export async function compareWhenDue(session: Session, reminder: Reminder, nowMs: number): Promise<Compared> {
  const { kind, compared } = reminder;
  const passed = await readPassed(session, kind, compared.upTo, nowMs - maxLatenessMs);
  const progress = { ...compared, upTo: passed.upTo };
  const areRowsDue = compared.after !== undefined || compared.at + comparisonMs <= nowMs;
  const { records: suspects, isComplete } = passed;
  const hasRecords = passed.records.length > 0;
  if (!areRowsDue || !isComplete) return { progress, isComplete, hasRecords, suspects, dangling: 0 };
  const begun = compared.after === undefined ? { ...progress, at: nowMs } : progress;
  const rows = await compareRows(session, reminder, begun);
  return { ...rows, hasRecords, suspects: [...suspects, ...rows.suspects] };
}

/**
 * Returns when the rows of a log that is not written any more are compared; `undefined` when they were compared after the last write: then nothing
 * is left to do.
 */
export const lastComparisonAt = (reminder: Reminder, { at }: ComparisonProgress): number | undefined =>
  at < validUntil(reminder) ? at + comparisonMs : undefined;
