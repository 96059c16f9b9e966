/**
 * Continues jobs in steps. A step may be cut off after any call, and may run twice: each of its transactions leaves a state from
 * which the job continues, and is conditional on what it read.
 */

import { now } from '../../runtime/time-and-chance.ts';
import { restore } from '../deletions/restore.ts';
import { sweep } from '../deletions/sweep.ts';
import { mergeChangeSets } from '../model/changes.ts';
import { ConditionFailed, conditionHolds, StoreUnavailable } from '../model/errors.ts';
import {
  buildJobWrite,
  decodeJob,
  isReady,
  type Job,
  type JobIdentity,
  jobKey,
  requireReadableJob,
  stepBatchSize,
  wakeUp,
} from '../model/job.ts';
import type { Database } from '../table/database.ts';
import type { Session } from '../table/session.ts';
import { applyChangeSet, applyInBatches } from '../write/commit.ts';
import type { JobHandlers } from '../write/job-handler.ts';
import { maxTurnMs, PacedWorker } from './pace-jobs.ts';

/** Milliseconds that must be left for another step; otherwise the next worker takes it. */
export const minStepMs = 1_000;

/**
 * Steps of a job, at most. A step handles up to 100 entities, and a second pass looks at all of them again, so a deletion of 10^6 entities takes about 20,000
 * steps. A job with more steps makes no progress: it is not continued, and reported each time.
 */
export const maxSteps = 50_000;

/** Milliseconds for which a job waits whose tenant has more steps to do than a worker waits for. The schedule continues it. */
const postponedMs = 30_000;

const ownHandlers: JobHandlers = { sweep, restore };

interface Worker {
  readonly session: Session;
  readonly handlers: ReadonlyMap<string, JobHandlers[string]>;
  readonly pace: PacedWorker;
}

/** Checks that a job can be continued at all, before anything of it is written. */
function requireContinuable({ version, steps: taken = 0 }: Job): void {
  if (typeof version !== 'number') throw new TypeError('The item of the job has no version.');
  if (taken >= maxSteps) throw new TypeError(`The job is not complete after ${taken} steps.`);
}

/** @throws UnknownFormat when another release has written the job. */
async function readJob({ session, handlers }: Worker, id: string): Promise<Job | undefined> {
  const item = await session.database.get(jobKey({ tenant: session.tenant, id }));
  const fieldsOf = new Map([...handlers].map(([type, { fields }]) => [type, fields]));
  if (item) requireReadableJob(item, fieldsOf);
  return item && decodeJob(item);
}

/** Gives a job back without a step, because the tenant's jobs are ahead of their pace. The schedule continues it. Returns the job. */
async function postpone(session: Session, job: Job): Promise<Job> {
  const dueAt = new Date(now() + postponedMs).toISOString();
  const after = { ...job, version: job.version + 1, dueAt, lease: undefined };
  await applyChangeSet(session, { changes: [], writes: [buildJobWrite(job, after)] });
  return after;
}

/** Gives a lease back, and lets the stream begin the next step. A lease that is not given back expires. */
async function releaseLease({ database }: Session, job: Job): Promise<void> {
  const released = { ...job, version: job.version + 1, lease: undefined };
  await database.transact([buildJobWrite(job, released), wakeUp(job, now())]).catch(() => undefined);
}

/** Takes one step and records the progress. Returns what is left of the job. */
async function takeStep(worker: Worker, job: Job): Promise<Job | undefined> {
  const { session, handlers, pace } = worker;
  const handler = handlers.get(job.work.type) as JobHandlers[string];
  const { repeatable = [], once = { changes: [] }, left, dueAt } = await handler.step(session, job);
  const changes = mergeChangeSets([...repeatable, once]).changes.length;
  const timeMs = session.database.deadline.remaining() - minStepMs;
  if (!(await pace.waitForTurn(changes, Math.min(maxTurnMs, timeMs)))) {
    if (timeMs >= maxTurnMs) return postpone(session, job);
    // A worker without the time to wait leaves the step to the next one, which has.
    await releaseLease(session, job);
    return undefined;
  }
  // While a job waits for a later time, no worker holds it.
  const state = dueAt === undefined ? job : { ...job, dueAt, lease: undefined };
  const steps = (job.steps ?? 0) + 1;
  const after = left && { ...state, version: job.version + 1, steps, work: left };
  await applyInBatches(session, repeatable, stepBatchSize);
  await applyChangeSet(session, { ...once, writes: [buildJobWrite(job, after)] });
  return after;
}

/** Takes a step, again while other writers change what it read. Returns `undefined` when another worker took over. */
async function takeStepUntilApplied(worker: Worker, job: Job): Promise<Job | undefined> {
  const { deadline } = worker.session.database;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeStep(worker, job);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (!(await deadline.backOff(attempt))) throw new StoreUnavailable(error);
      const current = await readJob(worker, job.id);
      if (current?.version !== job.version) return undefined;
    }
  }
}

interface Delivery {
  readonly owner: string;
  readonly handlers?: JobHandlers;
}

/**
 * Takes the lease of a job for as long as this worker has time.
 * @returns `undefined` when nothing is due, or another worker holds the job.
 */
async function takeLease(worker: Worker, id: string, owner: string): Promise<Job | undefined> {
  const { session } = worker;
  const job = await readJob(worker, id);
  const nowMs = now();
  const timeMs = session.database.deadline.remaining();
  if (!job || !isReady(job, owner, nowMs) || timeMs <= minStepMs) return undefined;
  requireContinuable(job);
  // An earlier attempt of this delivery has taken it.
  if (job.lease && job.lease.owner === owner && Date.parse(job.lease.until) > nowMs) return job;
  const lease = { owner, until: new Date(nowMs + timeMs).toISOString() };
  const leased = { ...job, version: job.version + 1, lease };
  const write = applyChangeSet(session, { changes: [], writes: [buildJobWrite(job, leased)] });
  return (await conditionHolds(write)) ? leased : undefined;
}

/**
 * Continues a job until it ends, waits for a later time, or the time of this worker is nearly over. Only one worker at a time does:
 * the others return at once. The rest of the job is in its item.
 * @returns whether this worker had the job: false when nothing is due, or another worker holds it.
 * @throws StoreUnavailable when DynamoDB does not respond: the same delivery continues the job.
 */
export async function continueJob(
  database: Database,
  { tenant, id }: JobIdentity,
  { owner, handlers = {} }: Delivery,
): Promise<boolean> {
  const all = new Map(Object.entries({ ...ownHandlers, ...handlers }));
  const workerOf = (session: Session): Worker => ({ session, handlers: all, pace: new PacedWorker(session) });
  const leased = await takeLease(workerOf({ tenant, database }), id, owner);
  const worker = workerOf({ tenant, actor: leased?.actor, database });
  let job = leased;
  while (job?.lease && database.deadline.remaining() > minStepMs)
    job = await takeStepUntilApplied(worker, job);
  if (job?.lease) await releaseLease(worker.session, job);
  return leased !== undefined;
}
