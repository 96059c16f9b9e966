/**
 * Works off jobs in steps. A step may be cut off after any call and run twice at once: each transaction leaves
 * a state from which the job goes on, and is conditional on what it read.
 */
import { archivedProjects } from '../shared/store/archive.ts';
import { consequence, readChildren } from '../shared/store/cascade.ts';
import { copies } from '../shared/store/clone.ts';
import { perform, performInPortions, type Work } from '../shared/store/commit.ts';
import { fold, removeCounters } from '../shared/store/counted-index/fold.ts';
import type { Database } from '../shared/store/database.ts';
import { decode, entityKey, parentPartition, type Stored } from '../shared/store/entities.ts';
import { ConditionFailed, StoreUnavailable } from '../shared/store/errors.ts';
import { decodeJob, type Job, type JobWork, jobKey, jobWrite, longestRequest } from '../shared/store/jobs.ts';
import { dependentsOf, type Relation } from '../shared/store/relations.ts';
import type { Session } from '../shared/store/session.ts';

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
  for (const { child, listing } of dependentsOf(kind)) {
    if (listing) await removeCounters(database, parentPartition(tenant, child, id));
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
  const after = left && { ...job, version: job.version + 1, work: left, dueAt: dueAt ?? job.dueAt };
  await performInPortions(session, pieces, portion);
  await perform(session, { ...once, writes: [jobWrite(job, after)] });
  return after;
}

/** What does not say when it is due is due: it fails and is set aside, where it would wait for ever. */
const isDue = ({ dueAt }: Job): boolean => !(dueAt > new Date().toISOString());

/**
 * Goes on with a job until it is done, is not due, or the time is nearly over; what is left is in its item, and
 * the stream tells of it, so that the next step begins.
 * @throws StoreUnavailable when the database does not answer; the job can be tried again.
 */
export async function workJob(database: Database, tenant: string, id: string): Promise<void> {
  const session: Session = { tenant, database };
  const read = async (): Promise<Job | undefined> => {
    const item = await database.get(jobKey({ tenant, id }));
    return item && decodeJob(item);
  };
  let job = await read();
  let attempt = 1;
  while (job && isDue(job) && database.deadline.remaining() > timeForOneTurn) {
    try {
      job = await step(session, job);
      attempt = 1;
    } catch (error) {
      // Someone changed an entity, or went on with this very job: look again.
      if (!(error instanceof ConditionFailed)) throw error;
      if (!(await database.deadline.backOff(attempt))) throw new StoreUnavailable(error);
      attempt += 1;
      job = await read();
    }
  }
}
