/**
 * Late records: compaction may have passed their stamp before they were committed. Who notices one tells the job that compacts the log. The
 * stream of the table notices each: a process that is late can end before it notices anything.
 */
import { ConditionFailed } from '../model/errors.ts';
import {
  alwaysDue,
  buildJobWrite,
  type CompactWork,
  compactionJobId,
  decodeJob,
  jobKey,
} from '../model/job.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from './session.ts';

/** Keys in one job, at most. Those of an outage that makes more records late are left to the daily comparison. */
const maxKeys = 1_000;

/**
 * Tells the job of a log that records may be late. The job is due at once.
 * @param keys sort keys of the records.
 */
export async function reportLateRecords(
  { tenant, database }: Session,
  kind: Kind,
  keys: readonly string[],
): Promise<void> {
  for (;;) {
    const nowMs = await database.time();
    const item = await database.get(jobKey({ tenant, id: compactionJobId(kind) }));
    const before = item && decodeJob(item);
    const work = (before?.work ?? {
      type: 'compact',
      kind,
      requestedAt: nowMs,
      steppedAt: 0,
      pending: 0,
    }) as CompactWork;
    const late = [...new Set([...(work.late ?? []), ...keys])].slice(-maxKeys);
    const after = {
      ...before,
      id: compactionJobId(kind),
      tenant,
      version: (before?.version ?? 0) + 1,
      dueAt: alwaysDue,
      work: { ...work, late },
      // A worker that holds the job at this moment ends when it finds the new version.
      lease: undefined,
    };
    const write = buildJobWrite(before, after);
    try {
      if ('put' in write) await database.putItem(write.put, write.condition);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}
