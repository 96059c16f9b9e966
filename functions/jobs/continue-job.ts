import { continueJob as continueWith } from '../engine/due-work/continue-job.ts';
import type { JobHandlers } from '../engine/write/job-handler.ts';
import { archive } from '../organizations/archive.ts';
import { clone } from '../projects/clone.ts';

export const handlers: JobHandlers = { archive, clone };

/** Continues a job of the engine or of this application: see the function of the engine. */
export const continueJob = (...[database, job, delivery]: Parameters<typeof continueWith>) =>
  continueWith(database, job, { handlers, ...delivery });
