/** Compacts the change log of a kind: the job of the list engine. */

import { compact } from '../lists/engine/compaction/compact.ts';
import { openLog } from '../lists/engine/compaction/dynamodb-compaction-storage.ts';
import { logMemory } from '../lists/engine/process-memory.ts';
import { busyIntervalMs, type CompactWork, type Job, type Step } from '../model/job.ts';
import { minJobMs } from '../unit-of-work/compaction-request.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Milliseconds between two looks at a log with few records. */
const quietIntervalMs = 60_000;

/**
 * Returns the only kind of step of a job that compacts a log. It ends when nobody has asked for it for two hours and nothing is left.
 */
export async function compactStep({ tenant, database }: Session, { work }: Job<CompactWork>): Promise<Step> {
  const nowMs = await database.time();
  const writer = openLog(database, tenant, work.kind);
  const isIdle = work.requestedAt + minJobMs < nowMs;
  const memory = logMemory(database, tenant, work.kind);
  const result = await compact({ writer, memory, nowMs, isForced: isIdle });
  // What this step found, absorbed or not: so many records the lists before it had to read.
  const pending = result ? result.records + result.waiting : work.pending;
  const left = { ...work, steppedAt: nowMs, pending };
  if (!result || result.hasMore) return { left };
  // The writers of the last hour relied on the job: it ends when a step finds nothing.
  if (isIdle && result.records === 0) return { left: undefined };
  const waitMs = result.records > 0 ? busyIntervalMs : quietIntervalMs;
  return { left, dueAt: new Date((await database.time()) + waitMs).toISOString() };
}
