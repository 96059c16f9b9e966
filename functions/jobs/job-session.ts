/** What the functions share that continue jobs. */

import type { LogIdentity } from '../engine/model/change-log.ts';
import type { JobIdentity } from '../engine/model/job.ts';
import { type LogContext, logError, logInfo } from '../runtime/logger.ts';
import { monotonic } from '../runtime/time-and-chance.ts';

interface Invocation {
  readonly operation: string;
  readonly requestId: string;
  /** When it began, by `monotonic`. */
  readonly started: number;
}

/** @param tenant of the job that the line is about. */
export const logContextOf = ({ operation, requestId, started }: Invocation, tenant = ''): LogContext => ({
  requestId,
  operation,
  tenant,
  duration: Math.round(monotonic() - started),
});

/** What an invocation works on: a job, or the change log of a kind. */
export type Subject = JobIdentity | LogIdentity;

const describe = (subject: Subject | undefined): { readonly job?: string } | { readonly log: string } =>
  subject && 'kind' in subject ? { log: subject.kind } : { ...(subject && { job: subject.id }) };

/**
 * Takes steps and logs the result.
 * @param run returns whether it took a step. Most deliveries find nothing that is due, and log nothing.
 * @returns false when a step failed: it is tried again.
 */
export async function runLogged(
  invocation: Invocation,
  subject: Subject | undefined,
  run: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const hasTakenStep = await run();
    if (hasTakenStep)
      logInfo('A step is done.', logContextOf(invocation, subject?.tenant), describe(subject));
    return true;
  } catch (error) {
    logError('A step failed.', logContextOf(invocation, subject?.tenant), error, describe(subject));
    return false;
  }
}
