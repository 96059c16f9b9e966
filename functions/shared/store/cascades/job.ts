/**
 * Work that outgrows one transaction. The item that stands for it is written in the transaction that makes the
 * work due, so that it cannot be forgotten; the functions in `functions/jobs` work it off.
 */
import { v7 as uuidv7 } from 'uuid';
import type { Kind } from '../model/relations.ts';
import { table } from '../model/table.ts';
import { isNew, isVersion } from '../model/versions.ts';
import type { Item, Key, Write } from '../model/writes.ts';

/** Milliseconds that no request, and no step of a job, outlasts. Functions' timeouts are not above it. */
export const longestRequest = 30_000;

export type JobWork =
  /**
   * Cleans up behind a deleted entity: its children go too, or lose the reference. It is done once at once, and
   * once more when no request that still saw the parent can be under way: whoever reads that a parent exists
   * writes the child a moment later.
   */
  | {
      readonly type: 'sweep';
      readonly kind: Kind;
      readonly id: string;
      readonly final: boolean;
      /** Progress: which relation, and behind which child. */
      readonly relation: number;
      readonly after: string;
    }
  /** Archives the projects that an organization had when it was archived. */
  | { readonly type: 'archive'; readonly id: string; readonly after: string }
  /** Takes together counters of the counted index that were spread over several items. */
  | { readonly type: 'fold'; readonly partition: string; readonly from: string; readonly to: string }
  /** Copies the tasks that a project had when it was cloned. */
  | { readonly type: 'clone'; readonly from: string; readonly to: string; readonly after: string };

/**
 * The one worker of a job; the others leave it. Two workers on one job would do no harm, but every step of one would fail a
 * transaction of the other. The lease of a worker that crashes ends by itself, and the schedule continues the job.
 */
export interface Lease {
  /** The delivery that the worker handles: the same one, delivered again after a failure, continues. */
  readonly owner: string;
  /** RFC 3339. */
  readonly until: string;
}

export interface Job {
  readonly id: string;
  readonly tenant: string;
  readonly version: number;
  /** When its next step may run, RFC 3339. */
  readonly dueAt: string;
  readonly lease?: Lease | undefined;
  readonly work: JobWork;
}

/** The partition of the index `all` that holds the jobs of all tenants. */
const jobsPartition = '#job';

/** The query for the jobs of all tenants. */
export const jobsQuery = {
  IndexName: 'all',
  KeyConditionExpression: '#partition = :jobs',
  ExpressionAttributeNames: { '#partition': table.indexes.all.partitionKey },
  ExpressionAttributeValues: { ':jobs': jobsPartition },
} as const;

/** What marks a job's item, for whoever filters the table's stream. */
export const jobSortKey = 'job';

/** The key of a job's item. */
export const jobKey = ({ tenant, id }: Pick<Job, 'tenant' | 'id'>): Key => ({
  pk: `${tenant}#job#${id}`,
  sk: jobSortKey,
});

/** The job that a key is of, as the stream tells of it; a tenant has no "#". */
export function jobOfKey(pk = ''): Pick<Job, 'tenant' | 'id'> | undefined {
  const [, tenant, id] = /^([^#]+)#job#(.+)$/s.exec(pk) ?? [];
  return tenant && id ? { tenant, id } : undefined;
}

/** The write that takes a job from one state to the next; none before: it begins; none after: it is done. */
export function jobWrite(before: Job | undefined, after: Job | undefined): Write {
  const condition = before ? isVersion(before.version) : isNew;
  if (after) {
    const { lease, ...rest } = after;
    return { put: { ...jobKey(after), ofKind: jobsPartition, ...rest, ...(lease && { lease }) }, condition };
  }
  if (before) return { remove: jobKey(before), condition };
  throw new TypeError('A job has a state before or after.');
}

/**
 * The write that begins a job.
 * @param wait milliseconds until its first step. Without it, the step is due at once by every clock: whoever works it off
 * may have another than who asked for it.
 * @param id given where there must be one job for one thing; otherwise in the order of their beginnings.
 */
export function beginJob(tenant: string, work: JobWork, { wait = 0, id = uuidv7() } = {}): Write {
  const dueAt = new Date(wait > 0 ? Date.now() + wait : 0).toISOString();
  return jobWrite(undefined, { id, tenant, version: 1, dueAt, work });
}

/** The job that an item stands for. */
export function decodeJob(item: Item): Job {
  const { id, tenant, version, dueAt, lease, work } = item as unknown as Job;
  return { id, tenant, version, dueAt, ...(lease && { lease }), work };
}

/** Every type of work that this version knows. */
const workTypes: Readonly<Record<JobWork['type'], true>> = {
  sweep: true,
  archive: true,
  fold: true,
  clone: true,
};

/**
 * Checks that a job can be worked on at all, before anything of it is written: a failed attempt must not write the item,
 * because the write would deliver the job again.
 * @throws TypeError when it cannot.
 */
export function requireKnownJob({ id, version, work }: Job): void {
  if (typeof id === 'string' && typeof version === 'number' && workTypes[work?.type]) return;
  throw new TypeError('The item is not a job that this version knows.');
}

/** Returns whether a worker may begin a step: the job is due, and no other worker holds it. A job without a time is due. */
export function isReady({ dueAt, lease }: Job, owner: string): boolean {
  const now = new Date().toISOString();
  return !(dueAt > now) && !(lease && lease.owner !== owner && lease.until > now);
}
