/**
 * Requests for compaction. Every log that has records needs a job that compacts it, before the records expire. A writer relies on a job
 * that was requested within the last hour; a job ends no earlier than two hours after its last request. So no record is written while the
 * job ends, although the job is not part of the writer's transaction: there, all writers of a kind would conflict.
 */
import { type Change, kindsOf } from '../model/changes.ts';
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

/** Milliseconds for which a writer relies on a request. */
export const validMs = 3_600_000;

/** Milliseconds after the last request of a job, `requestedAt`, before which it does not end. */
export const minJobMs = 2 * validMs;

/** Logs of which a process remembers the last request. It forgets all when there are more: then each writer reads the job again. */
const maxKnownLogs = 10_000;

/** When compaction of a log was requested the last time, by table and job. */
const requestedAt = new Map<string, number>();

/** Requests compaction unless it was requested within the last hour. Returns the time of the last request. */
async function readOrRequest({ tenant, database }: Session, kind: Kind): Promise<number> {
  const id = compactionJobId(kind);
  for (;;) {
    const item = await database.get(jobKey({ tenant, id }));
    const before = item && decodeJob(item);
    const work = before?.work as CompactWork | undefined;
    const now = await database.time();
    if (work && work.requestedAt + validMs > now) return work.requestedAt;
    const requested: CompactWork = {
      steppedAt: 0,
      pending: 0,
      ...work,
      type: 'compact',
      kind,
      requestedAt: now,
    };
    const after = {
      ...before,
      id,
      tenant,
      version: (before?.version ?? 0) + 1,
      dueAt: alwaysDue,
      work: requested,
      // A worker that holds the job at this moment ends when it finds the new version.
      lease: undefined,
    };
    const write = buildJobWrite(before, after);
    try {
      if ('put' in write) await database.putItem(write.put, write.condition);
      return now;
    } catch (error) {
      // Another writer requests it at the same time, or a worker takes a step.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

async function requestCompactionOf(session: Session, kind: Kind): Promise<void> {
  const log = `${session.database.tableName}#${session.tenant}#${kind}`;
  if ((requestedAt.get(log) ?? 0) + validMs > (await session.database.time())) return;
  const time = await readOrRequest(session, kind);
  if (requestedAt.size >= maxKnownLogs) requestedAt.clear();
  requestedAt.set(log, time);
}

/** Requests the compaction of the logs that changes are going to be recorded in, unless it was requested a short time ago. */
export async function requestCompaction(session: Session, changes: readonly Change[]): Promise<void> {
  await Promise.all(kindsOf(changes).map((kind) => requestCompactionOf(session, kind)));
}
