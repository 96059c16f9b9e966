/**
 * Jobs: work that exceeds one transaction. The item of a job is written in the transaction that makes the work necessary, so that
 * it cannot be lost. The functions in `functions/jobs` continue jobs, step by step.
 */

import { now } from '../../runtime/time-and-chance.ts';
import type { ChangeSet } from './changes.ts';
import { UnknownFormat } from './errors.ts';
import { newId } from './ids.ts';
import { byStatusBetween, partitionNumber } from './index-partitions.ts';
import { formatAttributes, requireKnownFields, requireReadable } from './stored-format.ts';
import { hasVersion, type Item, type Key, notExists, type Write } from './writes.ts';

export interface JobWork {
  /** Names the handler. */
  readonly type: string;
}

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

export interface JobIdentity {
  /** That of `newId`, or another one where one thing must have one job. */
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
  readonly steps?: number | undefined;
  readonly lease?: Lease | undefined;
  readonly work: Work;
}

export interface Step<Work extends JobWork = JobWork> {
  /** Each is applied completely or not at all, and may have been applied before. */
  readonly repeatable?: readonly ChangeSet[];
  /** A change set that must not be applied twice: it is one transaction with the job's progress. */
  readonly once?: ChangeSet;
  readonly left: Work | undefined;
  /** When the job continues, RFC 3339. Without it, the same worker takes the next step at once. */
  readonly dueAt?: string;
}

/** Changes in one transaction of a step, if they fit. */
export const stepBatchSize = 25;

/**
 * Returns how many entities a step takes at a level of a tree. The item of a job has those of all levels above, and restores can make trees of hundreds of levels:
 * 100 at each of them would be more than 400 KB.
 */
export const sizeAtLevel = (level: number, most: number): number =>
  Math.max(1, Math.min(most, Math.floor(900 / level)));

/**
 * Number of partitions of the index `by-status` that hold the jobs. The schedule walks through all of them: an empty one costs half a read
 * unit.
 */
export const jobPartitions = 16;

const partitionName = (partition: number): string => `#job#${partition}`;

const jobPartition = (tenant: string): string => partitionName(partitionNumber(tenant, jobPartitions));

/**
 * Returns the sort key of a job in the index: the jobs of a tenant are next to each other, those that are due first come first. So a query finds
 * the due jobs of one tenant, and another one the next tenant, however many jobs there are between.
 */
const indexSortKey = ({ tenant, id, dueAt }: Job): string => `${tenant}#${dueAt}#${id}`;

/** Sorts after the characters of tenants, times and ids. */
const last = '~';

/** Returns the query for the jobs of one partition, tenant by tenant. @param partition from 0. @param tenant begins after its jobs. */
export const jobsAfterTenant = (partition: number, tenant = '') =>
  byStatusBetween(partitionName(partition), `${tenant}#${tenant && last}`, last);

/** Returns the query for the jobs of a tenant that are due at a time, the oldest first. */
export const dueJobsOf = (tenant: string, nowMs: number) =>
  byStatusBetween(jobPartition(tenant), `${tenant}#`, `${tenant}#${new Date(nowMs).toISOString()}${last}`);

/** The sort key of a job's item: filters of the table's stream compare with it. */
export const jobSortKey = 'job';

export const jobKey = ({ tenant, id }: JobIdentity): Key => ({
  pk: `${tenant}#job#${id}`,
  sk: jobSortKey,
});

/** The sort key of the item that calls the function of the stream again. */
export const wakeUpSortKey = 'wake-up';

/** Seconds for which a wake-up is kept. The stream has it at once. */
const wakeUpSeconds = 3_600;

/**
 * Returns the write that makes the stream continue a job. The stream has keys only: without an item of its own, each write of the job, as that of
 * its lease, would call the function.
 */
export const wakeUp = ({ tenant, id }: JobIdentity, nowMs: number): Write => ({
  put: {
    ...jobKey({ tenant, id }),
    sk: wakeUpSortKey,
    wokenAt: nowMs,
    expiresAt: Math.ceil(nowMs / 1_000) + wakeUpSeconds,
  },
});

/** Returns the job that a partition key belongs to; a tenant contains no `#`. */
export function parseJobKey(pk = ''): JobIdentity | undefined {
  const [, tenant, id] = /^([^#]+)#job#(.+)$/s.exec(pk) ?? [];
  return tenant && id ? { tenant, id } : undefined;
}

/** Returns the write that changes a job. A job without `before` begins, one without `after` ends. */
export function buildJobWrite(before: Job | undefined, after: Job | undefined): Write {
  const condition = before ? hasVersion(before.version) : notExists;
  if (after) {
    const { id: _id, tenant, lease, ...rest } = after;
    // The attribute `id` would put the job into `by-creation` as well.
    const indexKeys = { ofKind: jobPartition(tenant), byStatus: indexSortKey(after) };
    const keys = { ...jobKey(after), ...indexKeys, ...formatAttributes('job') };
    return { put: { ...keys, ...rest, ...(lease && { lease }) }, condition };
  }
  if (before) return { remove: jobKey(before), condition };
  throw new TypeError('A job write needs a state before or after.');
}

/** Due by every clock: the worker may have another one than the process that began the job. Ids keep such jobs in the order of their beginning. */
export const alwaysDue = new Date(0).toISOString();

export interface Beginning {
  /** Default: a new one. Another one where one thing must have one job. */
  readonly id?: string;
  /** RFC 3339. Default: at once. */
  readonly dueAt?: string | undefined;
}

export const beginJob = <Work extends JobWork>(
  { tenant, actor }: JobOrigin,
  work: Work,
  { id = newId(now()).id, dueAt = alwaysDue }: Beginning = {},
): Write => buildJobWrite(undefined, { id, tenant, ...(actor && { actor }), version: 1, dueAt, work });

export const beginsDueJob = (write: Write, nowMs: number): boolean =>
  'put' in write &&
  write.put.sk === jobSortKey &&
  write.put['version'] === 1 &&
  Date.parse(write.put['dueAt'] as string) <= nowMs;

/** The work of an item that has none: no handler has this type, so nothing continues the job. */
const missingWork: JobWork = { type: 'missing' };

const jobFields: Readonly<Record<Exclude<keyof Job, keyof JobIdentity> | 'ofKind' | 'byStatus', true>> = {
  version: true,
  dueAt: true,
  steps: true,
  lease: true,
  work: true,
  actor: true,
  ofKind: true,
  byStatus: true,
};

const leaseFields: Readonly<Record<keyof Lease, true>> = { owner: true, until: true };

/**
 * Checks that this release knows everything of a job: who continues a job writes its item again.
 * @param fieldsOf by type, the names of the fields of work.
 * @throws UnknownFormat.
 */
export function requireReadableJob(item: Item, fieldsOf: ReadonlyMap<string, object>): void {
  requireReadable('job', item, jobFields);
  const { work = missingWork, lease = {} } = item as unknown as Partial<Job>;
  requireKnownFields('job', lease, leaseFields);
  const fields = fieldsOf.get(work.type);
  if (!fields) throw new UnknownFormat(`A job has work of the type "${work.type}".`);
  requireKnownFields('job', work, fields);
}

/**
 * Returns the job that an item stores. An item without work, or of another release, must not stop those who look at all jobs: who continues one
 * calls `requireReadableJob`.
 */
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

/**
 * Returns whether a worker may begin a step: the job is due, and no other worker holds it. A job without a time is due: it fails
 * and is reported, where it would otherwise wait for ever.
 */
export function isReady({ dueAt, lease }: Job, owner: string, nowMs: number): boolean {
  const time = new Date(nowMs).toISOString();
  return !(dueAt > time) && !(lease && lease.owner !== owner && lease.until > time);
}
