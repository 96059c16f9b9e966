import type { Job, JobWork, Step } from '../model/job.ts';
import type { Session } from '../table/session.ts';

/** A kind of job: a function from what is left of it to its next step. */
export interface JobHandler<Work extends JobWork> {
  /** The names of the fields of its work, with which an item of another release is recognized. */
  readonly fields: Readonly<Record<keyof Work, true>>;
  step(session: Session, job: Job<Work>): Promise<Step<Work>>;
}

export type JobHandlers = Readonly<Record<string, JobHandler<JobWork>>>;
