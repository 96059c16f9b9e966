/** Compacts the change log of a kind: the job of the list engine. */

import { compact } from '../lists/engine/compaction/compact.ts';
import { openLog } from '../lists/engine/compaction/dynamodb-compaction-storage.ts';
import { logMemory } from '../lists/engine/process-memory.ts';
import { type LogRecord, stampOf } from '../model/change-log.ts';
import {
  busyIntervalMs,
  type CompactWork,
  type ComparisonProgress,
  type Job,
  type Step,
} from '../model/job.ts';
import { marginMs } from '../model/log-timing.ts';
import { minJobMs, validMs } from '../unit-of-work/compaction-request.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ComparedPage, comparePage } from './compare-log.ts';
import { sweepDanglingReferences } from './dangling-references.ts';
import { lateChanges, readReported } from './late-records.ts';
import { reportRepairs } from './repairs.ts';

/** Milliseconds between two looks at a log with few records. */
const quietIntervalMs = 60_000;

/** Milliseconds between two comparisons of a log with its entities. */
const comparisonMs = 86_400_000;

/** Pages of a comparison in one step, at most. The schedule continues it, so its reads keep a pace. */
const maxPages = 20;

/** Milliseconds of a worker's time from which it compares no further page. */
const minPageMs = 10_000;

/**
 * Returns whether the log is to be compared: once a day while it is written, and once before the job ends, after the last write that relied on
 * it.
 */
function isComparisonDue({ requestedAt, compared }: CompactWork, nowMs: number, isIdle: boolean): boolean {
  if (!compared) return false;
  const { at, after } = compared;
  return after !== undefined || at + comparisonMs <= nowMs || (isIdle && at < requestedAt + validMs);
}

interface Compared {
  readonly progress: ComparisonProgress;
  /** Records that stand for lost changes. */
  readonly lost: readonly LogRecord[];
  readonly dangling: number;
}

/** Compares the next pages of a log, if a comparison is due. */
async function compareWhenDue(
  session: Session,
  { kind, compared }: CompactWork,
  nowMs: number,
  isDue: boolean,
): Promise<Compared> {
  // The first comparison of a new log is a day later, or at its end.
  if (!isDue) return { progress: compared ?? { at: nowMs }, lost: [], dangling: 0 };
  const { deadline } = session.database;
  const at = compared?.after === undefined ? nowMs : compared.at;
  const lost: LogRecord[] = [];
  let dangling = 0;
  let after: string | undefined = compared?.after ?? '';
  for (let page = 0; page < maxPages && after !== undefined; page += 1) {
    if (page > 0 && deadline.remaining() < minPageMs) break;
    const compare: ComparedPage = await comparePage(session, kind, after);
    dangling += await sweepDanglingReferences(session, compare.entities);
    lost.push(compare.lost);
    after = compare.next;
  }
  return { progress: { at, ...(after !== undefined && { after }) }, lost, dangling };
}

/** Returns the reported records that a step has left: all, or those that were not settled. */
function reportedLeft(
  { late = [] }: CompactWork,
  nowMs: number,
  isComplete: boolean,
): { late?: readonly string[] } {
  const left = isComplete ? late.filter((key) => stampOf(key) > nowMs - marginMs) : late;
  return left.length > 0 ? { late: left } : {};
}

/** Absorbs settled records, and changes that are late or lost. */
async function absorb(session: Session, work: CompactWork, { nowMs, isIdle }: Look): Promise<Absorbed> {
  const { tenant, database } = session;
  const { kind } = work;
  const compared = await compareWhenDue(session, work, nowMs, isComparisonDue(work, nowMs, isIdle));
  const reported = await readReported(session, kind, work.late ?? []);
  const result = await compact({
    writer: openLog(database, tenant, kind),
    memory: logMemory(database, tenant, kind),
    nowMs,
    // A late record may be pending. Then a step must absorb it before another one passes it.
    isForced: isIdle || reported.length > 0,
    late: lateChanges(session, kind, [...reported, ...compared.lost]),
  });
  const { late: rows = 0, aheadMs = 0 } = result ?? {};
  reportRepairs(session, kind, { rows, aheadMs, dangling: compared.dangling });
  // A step that was too slow, or sets a watermark back, absorbs nothing of what is lost.
  const isDone = (result && aheadMs === 0) || compared.lost.every(({ entries }) => entries.length === 0);
  return { result, compared: isDone ? compared.progress : work.compared };
}

/** When a step looks at a log. */
interface Look {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether nobody has asked for compaction for two hours. */
  readonly isIdle: boolean;
}

interface Absorbed {
  readonly result: Awaited<ReturnType<typeof compact>>;
  readonly compared: ComparisonProgress | undefined;
}

/**
 * Returns the only kind of step of a job that compacts a log. It ends when nobody has asked for it for two hours, nothing is left, and the log
 * was compared with its entities.
 */
export async function compactStep(session: Session, { work }: Job<CompactWork>): Promise<Step> {
  const { database } = session;
  const nowMs = await database.time();
  const isIdle = work.requestedAt + minJobMs < nowMs;
  const { result, compared } = await absorb(session, work, { nowMs, isIdle });
  const { late: _, ...own } = work;
  // What this step found, absorbed or not: so many records the lists before it had to read.
  const pending = result ? result.records + result.waiting : work.pending;
  const isComplete = result !== undefined && !result.hasMore;
  const reported = reportedLeft(work, nowMs, isComplete);
  const left = { ...own, ...reported, steppedAt: nowMs, pending, compared };
  if (!isComplete) return { left };
  // The writers of the last hour relied on the job: it ends when a step finds nothing.
  const hasMore = result.records > 0 || reported.late !== undefined || isComparisonDue(left, nowMs, isIdle);
  if (isIdle && !hasMore) return { left: undefined };
  const waitMs = result.records > 0 || reported.late ? busyIntervalMs : quietIntervalMs;
  return { left, dueAt: new Date((await database.time()) + waitMs).toISOString() };
}
