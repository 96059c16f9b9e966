/**
 * Handles what is due, within the time of one call: first the jobs, which users wait for, then the reminders, which compact logs. The tenants take
 * turns, a job each. Reading and working overlap.
 */
import { now, randomInteger } from '../runtime/time-and-chance.ts';
import {
  readDueJobsAfter,
  readDueReminders,
  readFirstJobs,
  type TenantJobs,
} from '../store/cascades/read-jobs.ts';
import type { Database } from '../store/dynamodb/database.ts';
import { isReady, type Job } from '../store/model/job.ts';
import type { Reminder } from '../store/model/reminder.ts';
import { ageOf, delayOf, isMissed, jobMetrics } from './job-metrics.ts';

/** Jobs and reminders in progress at the same time. */
const concurrency = 8;

/** What the schedule needs. */
interface DueWorkOptions {
  readonly database: Pick<Database, 'query' | 'deadline'>;
  /** The owner of the leases. */
  readonly owner: string;
  /** Milliseconds that must be left for another job or reminder. */
  readonly minStepMs: number;
  /** Continues a job. Must not throw. */
  readonly continueJob: (job: Job) => Promise<unknown>;
  /** Compacts the log of a reminder. Returns whether its time has ended before. Must not throw. */
  readonly continueReminder: (reminder: Reminder) => Promise<boolean>;
}

/** The due jobs of a tenant that are not begun. */
interface Turn extends TenantJobs {
  /** The last job that was read of the tenant. */
  readonly last: Job;
}

/** Removes an element at random: what always fails must not always come first. */
function takeAny<Element>(elements: Element[]): Element | undefined {
  return elements.splice(randomInteger(0, elements.length), 1)[0];
}

class DueWork {
  readonly #options: DueWorkOptions;
  readonly #turns: Turn[] = [];
  /** Workers that wait for a turn. */
  readonly #waiting: (() => void)[] = [];
  #isWalking = true;
  readonly #pages: AsyncGenerator<Reminder[]>;
  /** Milliseconds since 1970. */
  #nowMs: number;
  readonly #reminders: Reminder[] = [];
  /** Those whose logs need more time. They get it when all others have had theirs. */
  readonly #unfinished: Reminder[] = [];
  #delay = 0;
  #age = 0;
  #missed = 0;

  constructor(options: DueWorkOptions, nowMs: number) {
    this.#options = options;
    this.#nowMs = nowMs;
    this.#pages = readDueReminders(options.database, nowMs);
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    // The oldest reminders are read at once, because of the metric.
    const reads = [this.#walk(), this.#readReminders()];
    const workers = Array.from({ length: concurrency }, () => this.#work());
    const failed = (await Promise.allSettled([...reads, ...workers])).find(
      ({ status }) => status === 'rejected',
    );
    if (failed?.status === 'rejected') throw failed.reason;
    return {
      [jobMetrics.delay]: this.#delay,
      [jobMetrics.age]: this.#age,
      [jobMetrics.missed]: this.#missed,
      [jobMetrics.left]: this.#turns.length + this.#reminders.length + this.#unfinished.length,
    };
  }

  get #hasTime(): boolean {
    return this.#options.database.deadline.remaining() >= this.#options.minStepMs;
  }

  /** Finds the tenants that have due jobs. */
  async #walk(): Promise<void> {
    try {
      await readFirstJobs(this.#options.database, (found) => {
        this.#measureJobs(found.jobs);
        this.#addTurn(found);
      });
    } finally {
      this.#isWalking = false;
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  #measureJobs(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#age = Math.max(this.#age, ageOf(job, this.#nowMs));
      if (isMissed(job, this.#nowMs)) this.#missed += 1;
    }
  }

  /** Adds the jobs of a tenant that may begin. They are in the order of their times. */
  #addTurn({ jobs, hasMore }: TenantJobs): void {
    const last = jobs.at(-1);
    if (!last) return;
    const { owner } = this.#options;
    const ready = jobs.filter((job) => isReady(job, owner, this.#nowMs));
    // After a job that is not due yet, there is none that is.
    const turn = {
      jobs: ready,
      hasMore: hasMore && isReady({ ...last, lease: undefined }, owner, this.#nowMs),
      last,
    };
    if (ready.length === 0 && !turn.hasMore) return;
    this.#turns.push(turn);
    this.#waiting.shift()?.();
  }

  /** Returns the turn of any tenant. Waits while further ones are found. */
  async #nextTurn(): Promise<Turn | undefined> {
    while (this.#turns.length === 0 && this.#isWalking)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return takeAny(this.#turns);
  }

  async #work(): Promise<void> {
    while (this.#hasTime) {
      const turn = await this.#nextTurn();
      if (turn) await this.#takeTurn(turn);
      else if (!(await this.#takeReminder())) return;
    }
  }

  /** Continues one job of a tenant. The tenant waits for its next turn with all others. */
  async #takeTurn({ jobs: [job, ...jobs], hasMore, last }: Turn): Promise<void> {
    if (job) await this.#options.continueJob(job);
    if (jobs.length > 0 || (hasMore && !this.#hasTime)) this.#turns.push({ jobs, hasMore, last });
    else if (hasMore) await this.#addTurnAfter(last);
  }

  async #addTurnAfter(last: Job): Promise<void> {
    const { database } = this.#options;
    this.#nowMs = now();
    this.#addTurn(await readDueJobsAfter(database, last, this.#nowMs));
  }

  /** Reads a page of reminders. Returns false when there is none. */
  async #readReminders(): Promise<boolean> {
    const { value, done } = await this.#pages.next();
    if (done) return false;
    for (const reminder of value) this.#delay = Math.max(this.#delay, delayOf(reminder, this.#nowMs));
    this.#reminders.push(...value);
    return true;
  }

  /** Compacts the log of a reminder. Returns false when none is left. */
  async #takeReminder(): Promise<boolean> {
    let hasMore = true;
    while (this.#reminders.length === 0 && hasMore) hasMore = await this.#readReminders();
    const reminder = takeAny(this.#reminders) ?? takeAny(this.#unfinished);
    if (reminder && (await this.#options.continueReminder(reminder))) this.#unfinished.push(reminder);
    return reminder !== undefined;
  }
}

/**
 * Handles what is due.
 * @returns the metrics.
 * @throws the first error of a read, after everything that could be read is handled.
 */
export function handleDueWork(options: DueWorkOptions): Promise<Readonly<Record<string, number>>> {
  return new DueWork(options, now()).run();
}
