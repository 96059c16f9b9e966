/** Compares a log with its entities once a day while it is written, and once after its last write. */
import type { LogRecord } from '../model/change-log.ts';
import { type ComparisonProgress, isUnused, type Reminder, validMs } from '../model/reminder.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ComparedPage, comparePage } from './compare-log.ts';
import { sweepDanglingReferences } from './dangling-references.ts';

/** Milliseconds between two comparisons of a log with its entities. */
const comparisonMs = 86_400_000;

/** Pages of a comparison in one look, at most. The schedule continues it, so its reads keep a pace. */
const maxPages = 20;

/** Milliseconds of a worker's time from which it compares no further page. */
const minPageMs = 10_000;

/** What a look has compared. */
export interface Compared {
  readonly progress: ComparisonProgress;
  /** Whether no comparison is due or in progress. */
  readonly isComplete: boolean;
  /** Records that stand for lost changes. */
  readonly lost: readonly LogRecord[];
  /** Number of missing entities that others refer to. */
  readonly dangling: number;
}

function isDue({ requestedAt, compared: { at, after } }: Reminder, nowMs: number): boolean {
  const isLast = isUnused({ requestedAt }, nowMs);
  return after !== undefined || at + comparisonMs <= nowMs || (isLast && at < requestedAt + validMs);
}

/** Compares the next pages of a log, if a comparison is due. */
export async function compareWhenDue(session: Session, reminder: Reminder, nowMs: number): Promise<Compared> {
  const { kind, compared } = reminder;
  if (!isDue(reminder, nowMs)) return { progress: compared, isComplete: true, lost: [], dangling: 0 };
  const { deadline } = session.database;
  const at = compared.after === undefined ? nowMs : compared.at;
  const lost: LogRecord[] = [];
  let dangling = 0;
  let after: string | undefined = compared.after ?? '';
  for (let page = 0; page < maxPages && after !== undefined; page += 1) {
    if (page > 0 && deadline.remaining() < minPageMs) break;
    const compare: ComparedPage = await comparePage(session, kind, after);
    dangling += await sweepDanglingReferences(session, compare.entities);
    lost.push(compare.lost);
    after = compare.next;
  }
  return {
    progress: { at, ...(after !== undefined && { after }) },
    isComplete: after === undefined,
    lost,
    dangling,
  };
}
