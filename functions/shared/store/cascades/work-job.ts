/**
 * Works off jobs in steps. A step may be cut off after any call and run twice at once: each transaction leaves
 * a state from which the job goes on, and is conditional on what it read.
 */

import type { Database } from '../dynamodb/database.ts';
import { fold, removeCounters } from '../lists/counted-index/fold.ts';
import { decode, entityKey, parentPartition, type Stored } from '../model/entities.ts';
import { ConditionFailed, StoreUnavailable } from '../model/errors.ts';
import { dependentsOf, type Relation } from '../model/relations.ts';
import { perform, performInPortions, type Work } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { archivedProjects } from './archive.ts';
import { consequence, readChildren } from './cascade.ts';
import { copies } from './clone.ts';
import {
  decodeJob,
  isReady,
  type Job,
  type JobWork,
  jobKey,
  jobWrite,
  longestRequest,
  requireKnownJob,
} from './job.ts';

/** Milliseconds that must be left for another turn; then the next step goes on. */
export const timeForOneTurn = 1_000;

/** As many entities as one transaction changes, at most. Copies of tasks make up to 81 writes, of 60 KB at most. */
const portion = 25;

/** What one turn does, and what of the job is left, if anything. */
interface Turn {
  /** Each is done whole or not at all, and may be found done already. */
  readonly pieces?: readonly Work[];
  /** What cannot be done twice: it is one transaction with the job's progress. */
  readonly once?: Work;
  readonly left: JobWork | undefined;
  /** When to go on, if not at once. */
  readonly dueAt?: string;
}

const refersTo = ({ member }: Relation, { entity }: Stored, parentId: string): boolean => {
  const value = entity[member];
  return Array.isArray(value) ? value.includes(parentId) : value === parentId;
};

/** Nothing can come to be under the parent any more: its listings are of no use. */
async function removeListings(
  { tenant, database }: Session,
  { kind, id }: Extract<JobWork, { type: 'sweep' }>,
): Promise<Turn> {
  for (const relation of dependentsOf(kind)) {
    if (relation.listing) await removeCounters(database, parentPartition(tenant, relation, id));
  }
  return { left: undefined };
}

async function sweepTurn(session: Session, work: Extract<JobWork, { type: 'sweep' }>): Promise<Turn> {
  const relation = dependentsOf(work.kind)[work.relation];
  if (!relation) {
    if (work.final) return removeListings(session, work);
    const dueAt = new Date(Date.now() + longestRequest).toISOString();
    return { left: { ...work, final: true, relation: 0, after: '' }, dueAt };
  }
  const { children: listed, next } = await readChildren(session, relation, work.id, {
    after: work.after,
    limit: 100,
  });
  // The index may be behind; what is written is decided on the entities themselves.
  const keys = listed.map(({ entity }) => entityKey(session.tenant, relation.child, entity.id));
  const children = (await session.database.getMany(keys)).map(decode);
  return {
    pieces: children
      .filter((child) => refersTo(relation, child, work.id))
      .map((child) => consequence(session.tenant, relation, child, work.id)),
    left: next ? { ...work, after: next } : { ...work, relation: work.relation + 1, after: '' },
  };
}

async function archiveTurn(
  session: Session,
  job: Job,
  work: Extract<JobWork, { type: 'archive' }>,
): Promise<Turn> {
  const { changes, next } = await archivedProjects(session, work.id, { after: work.after, until: job.id });
  return {
    pieces: changes.map((change) => ({ changes: [change] })),
    left: next ? { ...work, after: next } : undefined,
  };
}

async function cloneTurn(
  session: Session,
  job: Job,
  work: Extract<JobWork, { type: 'clone' }>,
): Promise<Turn> {
  // Tasks must not be given to a project that was deleted in the meantime.
  const isThere = await session.database.get(entityKey(session.tenant, 'project', work.to));
  if (!isThere) return { left: undefined };
  const part = { after: work.after, until: job.id, limit: portion };
  const { changes, next } = await copies(session, work.from, work.to, part);
  return {
    once: { changes },
    left: next ? { ...work, after: next } : undefined,
  };
}

async function foldTurn({ database }: Session, work: Extract<JobWork, { type: 'fold' }>): Promise<Turn> {
  await fold(database, work.partition, work.from, work.to);
  return { left: undefined };
}

function turn(session: Session, job: Job): Promise<Turn> {
  const { work } = job;
  switch (work.type) {
    case 'fold':
      return foldTurn(session, work);
    case 'sweep':
      return sweepTurn(session, work);
    case 'archive':
      return archiveTurn(session, job, work);
    case 'clone':
      return cloneTurn(session, job, work);
  }
}

/** One turn: what it does, and the job's progress. Gives what is left of the job. */
async function step(session: Session, job: Job): Promise<Job | undefined> {
  const { pieces = [], once = { changes: [] }, left, dueAt } = await turn(session, job);
  // A job that waits for a later time belongs to nobody meanwhile.
  const rest = dueAt === undefined ? job : { ...job, dueAt, lease: undefined };
  const after = left && { ...rest, version: job.version + 1, work: left };
  await performInPortions(session, pieces, portion);
  await perform(session, { ...once, writes: [jobWrite(job, after)] });
  return after;
}

async function readJob({ tenant, database }: Session, id: string): Promise<Job | undefined> {
  const item = await database.get(jobKey({ tenant, id }));
  return item && decodeJob(item);
}

/**
 * Takes the lease of a job for as long as this worker has time.
 * @returns the job; `undefined` when there is nothing to do now, or another worker does it.
 */
async function takeLease(session: Session, id: string, owner: string): Promise<Job | undefined> {
  const job = await readJob(session, id);
  const time = session.database.deadline.remaining();
  if (!job || !isReady(job, owner) || time <= timeForOneTurn) return undefined;
  requireKnownJob(job);
  const now = Date.now();
  // Not written again: every write is a record of the stream, and a job that always fails would deliver itself for ever.
  if (job.lease && job.lease.owner === owner && Date.parse(job.lease.until) > now) return job;
  const lease = { owner, until: new Date(now + time).toISOString() };
  const leased = { ...job, version: job.version + 1, lease };
  try {
    await perform(session, { changes: [], writes: [jobWrite(job, leased)] });
    return leased;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

/** Milliseconds for giving a lease back. One that is not given back ends by itself. */
const maxReleaseMs = 500;

/** Gives a lease back. The write is also the stream record by which the next step begins. */
async function release({ database }: Session, job: Job): Promise<void> {
  const released = { ...job, version: job.version + 1, lease: undefined };
  await database.transactOnce([jobWrite(job, released)], maxReleaseMs);
}

/** Takes the next step; `undefined` when the job is done or another worker has it. */
async function nextStep(session: Session, job: Job): Promise<Job | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step(session, job);
    } catch (error) {
      // Somebody changed an entity that this step writes: it reads again. Or the lease ended, and another worker has it.
      if (!(error instanceof ConditionFailed)) throw error;
      if (!(await session.database.deadline.backOff(attempt))) throw new StoreUnavailable(error);
      const current = await readJob(session, job.id);
      if (current?.version !== job.version) return undefined;
    }
  }
}

/**
 * Continues a job until it is done, is not due, or the time is nearly over. Only one worker at a time does: the others
 * return at once. What is left is in the job's item, whose last write begins the next step by the stream.
 * @param owner the delivery that this worker handles.
 * @throws StoreUnavailable when the database does not respond; the same delivery continues the job.
 */
export async function workJob(database: Database, tenant: string, id: string, owner: string): Promise<void> {
  const session: Session = { tenant, database };
  let job = await takeLease(session, id, owner);
  while (job?.lease && database.deadline.remaining() > timeForOneTurn) job = await nextStep(session, job);
  if (job?.lease) await release(session, job);
}
