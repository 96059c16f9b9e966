/** What whoever hosts the functions must know of them, in the cloud and here. */
import { routes } from '../functions/routes.ts';
import { longestRequest } from '../functions/shared/store/jobs.ts';

/** The handlers' files that no route names, relative to `functions/`. */
export const fallbackFile = 'fallback/answer-unmatched.ts';
export const streamFile = 'jobs/on-stream.ts';
export const scheduleFile = 'jobs/on-schedule.ts';
export const tenantClaimFile = 'authentication/claim-tenant.ts';

/** All that ship. */
export const functionFiles: readonly string[] = [
  ...routes.map(({ file }) => file),
  fallbackFile,
  streamFile,
  scheduleFile,
  tenantClaimFile,
];

/** Milliseconds that a function behind the gateway may take: less than the 30 s after which the gateway gives up. */
export const requestTimeout = 10_000;

/** Milliseconds that a step of a job may take. */
export const jobTimeout = longestRequest;
