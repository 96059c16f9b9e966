/**
 * Handles what is due, within the time of one call: first the jobs, which users wait for, then the reminders, which compact logs. The tenants take
 * turns, a job each.
 */

import { readDueReminders, readFirstJobs } from '../engine/due-work/read-jobs.ts';
import { isReady, type Job } from '../engine/model/job.ts';
import type { Reminder } from '../engine/model/reminder.ts';
import type { Database } from '../engine/table/database.ts';
import { groupBy } from '../runtime/group-by.ts';
import { now, randomInteger } from '../runtime/time-and-chance.ts';
import { ageOf, isMissed, jobMetrics } from './job-metrics.ts';

const concurrency = 8;

interface DueWorkOptions {
  readonly database: Pick<Database, 'query'>;
  /** Whether there is time for another job or reminder. */
  readonly hasTime: () => boolean;
  readonly owner: string;
  /** Continues a job. Must not throw. */
  readonly continueJob: (job: Job) => Promise<unknown>;
  /** Compacts the log of a reminder. Returns whether its time has ended before. Must not throw. */
  readonly continueReminder: (reminder: Reminder) => Promise<boolean>;
}

/** Removes an element at random: what always fails must not always come first. */
function takeAny<Element>(elements: Element[]): Element | undefined {
  return elements.splice(randomInteger(0, elements.length), 1)[0];
}

const maxOf = (numbers: readonly number[]): number => numbers.reduce((one, other) => Math.max(one, other), 0);

/**
 * Handles what is due.
 * @returns the metrics.
 * @throws the first error of a read, after everything that could be read is handled.
 */
export async function handleDueWork({
  database,
  hasTime,
  owner,
  continueJob,
  continueReminder,
}: DueWorkOptions): Promise<Readonly<Record<string, number>>> {
  const nowMs = now();
  const [jobs, reminders] = await Promise.all([readFirstJobs(database), readDueReminders(database, nowMs)]);
  const ready = jobs.items.filter((job) => isReady(job, owner, nowMs));
  // Of each tenant, in the order of their times.
  const turns: (readonly Job[])[] = [...groupBy(ready, ({ tenant }) => tenant).values()];
  const logs = [...reminders.items];
  /** Those whose logs need more time. They get it when all others have had theirs. */
  const unfinished: Reminder[] = [];
  const takeTurn = async ([job, ...rest]: readonly Job[]): Promise<void> => {
    if (job) await continueJob(job);
    // The tenant waits for its next turn with all others.
    if (rest.length > 0) turns.push(rest);
  };
  const work = async (): Promise<void> => {
    while (hasTime()) {
      const turn = takeAny(turns);
      const reminder = turn ? undefined : (takeAny(logs) ?? takeAny(unfinished));
      if (turn) await takeTurn(turn);
      else if (!reminder) return;
      else if (await continueReminder(reminder)) unfinished.push(reminder);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const [error] = [...jobs.errors, ...reminders.errors];
  if (error) throw error;
  return {
    [jobMetrics.delay]: maxOf(reminders.items.map(({ dueAt }) => nowMs - dueAt)),
    [jobMetrics.age]: maxOf(jobs.items.map((job) => ageOf(job, nowMs))),
    [jobMetrics.missed]: jobs.items.filter((job) => isMissed(job, nowMs)).length,
    [jobMetrics.left]: turns.length + logs.length + unfinished.length,
  };
}
