/**
 * Jobs: work that exceeds one transaction. The item of a job is written in the transaction that makes the work necessary, so that
 * it cannot be lost. The functions in `functions/jobs` continue jobs, step by step.
 */

import type { ChangeSet } from './changes.ts';
import { hasVersion, notExists } from './condition-expressions.ts';
import { maxClockErrorMs } from './log-timing.ts';
import type { Kind } from './relations.ts';
import type { Item, Key, Write } from './writes.ts';

/**
 * Cleans up after a deleted entity: deletes its children or removes their references to it. It sweeps once at once, and once more
 * when no request can be in progress that still read the parent: such a request writes its child a moment later.
 */
export interface SweepWork {
  readonly type: 'sweep';
  readonly kind: Kind;
  readonly id: string;
  /** Whether this is the second sweep. */
  readonly final: boolean;
  /** Progress: the position of the relation in `dependentsOf`. */
  readonly relation: number;
}

/** Archives the projects that an organization had when it was archived. */
export interface ArchiveWork {
  readonly type: 'archive';
  readonly id: string;
  readonly after: string;
}

/** Copies the tasks that a project had when it was cloned. */
export interface CloneWork {
  readonly type: 'clone';
  readonly from: string;
  readonly to: string;
  readonly after: string;
}

/** Compacts the change log of a kind. Unlike other jobs, it waits for further records when it is done. */
export interface CompactWork {
  readonly type: 'compact';
  readonly kind: Kind;
  /** When a writer asked for it the last time, milliseconds since 1970. */
  readonly requestedAt: number;
  /** When it took its last step, milliseconds since 1970. */
  readonly steppedAt: number;
  /** Number of records that its last step found: lists read so many records in addition. */
  readonly pending: number;
  /** Sort keys of records that may be late: its next step looks at them. */
  readonly late?: readonly string[] | undefined;
  /** The last comparison of the log with its entities. */
  readonly compared?: ComparisonProgress | undefined;
}

export interface ComparisonProgress {
  /** When it began, milliseconds since 1970. */
  readonly at: number;
  /** The id after which it continues, while it is not complete. */
  readonly after?: string | undefined;
}

export type JobWork = SweepWork | ArchiveWork | CloneWork | CompactWork;

/**
 * The one worker of a job; the others leave it. Two workers on one job would do no harm, but every step of one would fail a
 * transaction of the other. The lease of a worker that crashes expires, and the schedule continues the job.
 */
interface Lease {
  /** The delivery that the worker handles: the same delivery, repeated after a failure, continues. */
  readonly owner: string;
  /** RFC 3339. */
  readonly until: string;
}

/** What the key of a job's item tells. */
export interface JobIdentity {
  readonly id: string;
  readonly tenant: string;
}

/** Whose data a job changes, and who asked for it. A session has both. */
export interface JobOrigin {
  readonly tenant: string;
  /** The subject of the token of the request. The records of the job's changes have it. */
  readonly actor?: string | undefined;
}

export interface Job<Work extends JobWork = JobWork> extends JobIdentity, JobOrigin {
  readonly version: number;
  /** When its next step may begin, RFC 3339. */
  readonly dueAt: string;
  /** Number of steps that it has taken. Compaction never ends, so its steps are not counted. */
  readonly steps?: number | undefined;
  readonly lease?: Lease | undefined;
  readonly work: Work;
}

/** One step of a job. */
export interface Step {
  /** Each is applied completely or not at all, and may have been applied before. */
  readonly repeatable?: readonly ChangeSet[];
  /** A change set that must not be applied twice: it is one transaction with the job's progress. */
  readonly once?: ChangeSet;
  /** What is left of the job, if anything. */
  readonly left: JobWork | undefined;
  /** When the job continues, RFC 3339. Without it, the same worker takes the next step at once. */
  readonly dueAt?: string;
}

/** Changes in one transaction of a step, if they fit. */
export const stepBatchSize = 25;

/**
 * Number of partitions of the index `by-status` that hold the jobs. A busy log writes its job about 0.2 times a second, so one partition of
 * 1,000 write units a second would serve 5,000 busy logs. The schedule reads all partitions: an empty one costs half a read unit.
 */
export const jobPartitions = 16;

/** Returns the partition of the index that holds the jobs of a tenant. */
function jobPartition(tenant: string): string {
  let hash = 0;
  for (const character of tenant) hash = (31 * hash + (character.codePointAt(0) as number)) % 1_000_003;
  return `#job#${hash % jobPartitions}`;
}

/** Returns the query for the jobs of one of these partitions. @param partition from 0. */
export const jobsQuery = (partition: number) =>
  ({
    IndexName: 'by-status',
    KeyConditionExpression: 'ofKind = :jobs',
    ExpressionAttributeValues: { ':jobs': `#job#${partition}` },
  }) as const;

/** The sort key of a job's item: filters of the table's stream compare with it. */
export const jobSortKey = 'job';

export const jobKey = ({ tenant, id }: JobIdentity): Key => ({
  pk: `${tenant}#job#${id}`,
  sk: jobSortKey,
});

/** Returns the id of the one job that compacts the log of a kind. */
export const compactionJobId = (kind: Kind): string => `compact-${kind}`;

/** Returns the job that a partition key belongs to; a tenant contains no `#`. */
export function parseJobKey(pk = ''): JobIdentity | undefined {
  const [, tenant, id] = /^([^#]+)#job#(.+)$/s.exec(pk) ?? [];
  return tenant && id ? { tenant, id } : undefined;
}

/** Returns the write that changes a job. A job without `before` begins, one without `after` ends. */
export function buildJobWrite(before: Job | undefined, after: Job | undefined): Write {
  const condition = before ? hasVersion(before.version) : notExists;
  if (after) {
    const { id, tenant, lease, ...rest } = after;
    // The attribute `id` would put the job into `by-creation` as well.
    const indexKeys = { ofKind: jobPartition(tenant), byStatus: `${tenant}#${id}` };
    return { put: { ...jobKey(after), ...indexKeys, ...rest, ...(lease && { lease }) }, condition };
  }
  if (before) return { remove: jobKey(before), condition };
  throw new TypeError('A job write needs a state before or after.');
}

/** Due by every clock: the worker may have another one than the process that began the job. */
export const alwaysDue = new Date(0).toISOString();

/**
 * Returns the write that begins a job. Its first step is due at once.
 * @param id of the job: that of `newId`, or another one where one thing must have one job.
 */
export const beginJob = ({ tenant, actor }: JobOrigin, work: JobWork, id: string): Write =>
  buildJobWrite(undefined, { id, tenant, ...(actor && { actor }), version: 1, dueAt: alwaysDue, work });

/** The work of an item that has none: of no type that this version knows, so nothing continues the job. */
const missingWork = { type: 'missing' } as unknown as JobWork;

/** Returns the job that an item stores. An item without work must not stop those who look at all jobs. */
export function decodeJob(item: Item): Job {
  const { actor, version, dueAt, steps, lease, work } = item as unknown as Job;
  const { tenant = '', id = '' } = parseJobKey(item.pk) ?? {};
  return {
    id,
    tenant,
    ...(actor && { actor }),
    version,
    dueAt,
    ...(steps && { steps }),
    ...(lease && { lease }),
    work: work ?? missingWork,
  };
}

/** What makes a worker look at a job: the time, or new records of the log that it compacts. */
export type Trigger = 'time' | 'records';

/** Milliseconds between two steps of a busy log: longer, and lists read more records; shorter, and steps cost more than they save. */
export const busyIntervalMs = 15_000;

/** Returns whether the last step of a compaction is in the future: its worker had a wrong clock, and the times of the job mean nothing. */
const isOfWrongClock = ({ steppedAt }: CompactWork, nowMs: number): boolean =>
  steppedAt > nowMs + 2 * maxClockErrorMs;

const isCompactionDue = (work: CompactWork, nowMs: number): boolean =>
  work.steppedAt + busyIntervalMs <= nowMs || isOfWrongClock(work, nowMs);

/**
 * Returns whether a worker may begin a step: the job is due, and no other worker holds it. A job without a time is due: it fails
 * and is reported, where it would otherwise wait for ever.
 * @param nowMs milliseconds since 1970.
 */
export function isReady(
  { dueAt, lease, work }: Job,
  owner: string,
  nowMs: number,
  trigger: Trigger = 'time',
): boolean {
  const now = new Date(nowMs).toISOString();
  const isDue =
    work.type === 'compact' && (trigger === 'records' || isOfWrongClock(work, nowMs))
      ? isCompactionDue(work, nowMs)
      : !(dueAt > now);
  return isDue && !(lease && lease.owner !== owner && lease.until > now);
}
