import { continueJob as continueWith } from '../engine/due-work/continue-job.ts';
import type { JobHandlers } from '../engine/write/job-handler.ts';
import { archive } from '../organizations/archive.ts';
import { clone } from '../projects/clone.ts';

export const handlers: JobHandlers = { archive, clone };

/** Continues a job of the engine or of this application: see the function of the engine. @param owner the delivery that the worker handles. */
export const continueJob = (
  database: Parameters<typeof continueWith>[0],
  job: Parameters<typeof continueWith>[1],
  { owner }: { readonly owner: string },
): Promise<boolean> => continueWith(database, job, { owner, handlers });
