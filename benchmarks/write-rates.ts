/** What the background work of a write costs, by the time between two writes: looks, steps, reminders, visits and deletions of what they replace. */
import { compactBusyLog, continueReminder } from '../functions/engine/due-work/compact-log.ts';
import { visitLog } from '../functions/engine/due-work/visit-logs.ts';
import { entryKey } from '../functions/engine/model/registry.ts';
import { decodeReminder, type Reminder, reminderKey } from '../functions/engine/model/reminder.ts';
import { countOf } from '../functions/engine/table/database.ts';
import type { Session } from '../functions/engine/table/session.ts';
import { logRecordsWindowMs, publishing } from '../lib/hosting/functions.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { usualOrSmallest } from './form.ts';
import { type TaskCollection, tenant } from './task-collection.ts';

/** Capacity units. */
interface Units {
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** What one write costs in the background. */
export interface RateResult {
  readonly name: string;
  readonly withoutBus: Units;
  /** With an event bus, without the events: the stream reports new records sooner, and so compaction looks more often. */
  readonly withBus: Units;
}

interface Rate {
  readonly name: string;
  /** Milliseconds between two writes. */
  readonly intervalMs: number;
  readonly writes: number;
  /** The number that `writeAny` gets: which kind of write it is. */
  readonly kindOf: (write: number) => number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The schedule runs each minute. */
const scheduleMs = minuteMs;

const any = (write: number): number => write;

const rates: readonly Rate[] = [
  { name: 'a change a day', intervalMs: 24 * hourMs, writes: usualOrSmallest(60, 2), kindOf: () => 6 },
  { name: 'a create a day', intervalMs: 24 * hourMs, writes: usualOrSmallest(60, 2), kindOf: () => 0 },
  { name: 'a write an hour', intervalMs: hourMs, writes: usualOrSmallest(240, 2), kindOf: any },
  { name: 'a write a minute', intervalMs: minuteMs, writes: usualOrSmallest(1_440, 20), kindOf: any },
  {
    name: 'a write in 20 seconds',
    intervalMs: 20 * secondMs,
    writes: usualOrSmallest(2_160, 20),
    kindOf: any,
  },
  {
    name: 'a write in two seconds',
    intervalMs: 2 * secondMs,
    writes: usualOrSmallest(3_600, 120),
    kindOf: any,
  },
  { name: 'ten writes a second', intervalMs: 100, writes: usualOrSmallest(6_000, 240), kindOf: any },
];

/** The share of its writes that each rate makes before those that are measured: they delete what earlier rates have left. */
const shareBefore = 1 / 10;

/** The background work of the log of tasks in virtual time. */
class Background {
  readonly #store: TestStore;
  readonly #clock: { nowMs: number };
  readonly #windowMs: number;
  session: Session;
  #batchEndsAt = Number.POSITIVE_INFINITY;
  #visitAt: number;

  /** @param windowMs milliseconds for which the stream collects records. */
  constructor(store: TestStore, clock: { nowMs: number }, windowMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#visitAt = clock.nowMs + dayMs;
    this.session = this.#open();
  }

  #open(): Session {
    return { tenant, database: this.#store.database(7_200_000) };
  }

  /** Forgets what the work has cost so far. */
  forget(): void {
    this.session = this.#open();
  }

  /** Reports a record to the stream. */
  addRecord(): void {
    this.#batchEndsAt = Math.min(this.#batchEndsAt, this.#clock.nowMs + this.#windowMs);
  }

  async #reminder(): Promise<Reminder | undefined> {
    const item = await this.#store.database().get(reminderKey({ tenant, kind: 'task' }));
    return item && decodeReminder(item);
  }

  /** Visits the log, as the schedule does each day. */
  async #visit(): Promise<void> {
    this.#visitAt = this.#clock.nowMs + dayMs;
    const log = { tenant, kind: 'task' } as const;
    const position = countOf(await this.#store.database().get(entryKey(log)));
    await visitLog(this.session.database, log, position);
  }

  /** Does what is due until a time, each at its time: nothing happens between. */
  async runUntil(endMs: number): Promise<void> {
    for (;;) {
      const reminder = await this.#reminder();
      const dueAt = reminder ? scheduledAfter(reminder.dueAt, this.#clock.nowMs) : Number.POSITIVE_INFINITY;
      const next = Math.min(this.#batchEndsAt, dueAt, this.#visitAt);
      this.#clock.nowMs = Math.min(next, endMs);
      if (next > endMs) return;
      if (next === this.#visitAt) await this.#visit();
      else if (reminder && next === dueAt) await continueReminder(this.session.database, reminder);
      else await this.#handleBatch();
    }
  }

  async #handleBatch(): Promise<void> {
    this.#batchEndsAt = Number.POSITIVE_INFINITY;
    await compactBusyLog(this.session, 'task');
  }
}

/** Returns when the schedule finds what is due at a time, after the present time. */
const scheduledAfter = (dueAt: number, nowMs: number): number =>
  (Math.floor(Math.max(dueAt, nowMs) / scheduleMs) + 1) * scheduleMs;

interface Stage {
  readonly store: TestStore;
  readonly collection: TaskCollection;
  readonly clock: { nowMs: number };
}

/** Writes at a rate, with the background work of as much time as the writes take. */
async function measureRate(
  { intervalMs, writes, kindOf }: Rate,
  { store, collection, clock }: Stage,
  windowMs: number,
): Promise<Units> {
  const background = new Background(store, clock, windowMs);
  const before = Math.ceil(shareBefore * writes);
  for (let write = 0; write < before + writes; write += 1) {
    if (write === before) background.forget();
    await collection.writeAny(kindOf(write));
    background.addRecord();
    await background.runUntil(clock.nowMs + intervalMs);
  }
  const { writeUnits, readUnits } = background.session.database.consumption;
  return { writeUnits: writeUnits / writes, readUnits: readUnits / writes };
}

/** Measures all rates, one after the other, in virtual time. */
export async function measureRates(store: TestStore, collection: TaskCollection): Promise<RateResult[]> {
  const { now } = Date;
  const clock = { nowMs: now() + 48 * hourMs };
  Date.now = () => clock.nowMs;
  const results: RateResult[] = [];
  const measureWith = (rate: Rate, windowMs: number): Promise<Units> => {
    clock.nowMs += 48 * hourMs;
    return measureRate(rate, { store, collection, clock }, windowMs);
  };
  for (const rate of rates) {
    const withoutBus = await measureWith(rate, logRecordsWindowMs);
    const withBus = await measureWith(rate, publishing.windowMs);
    results.push({ name: rate.name, withoutBus, withBus });
    console.log(results.at(-1));
  }
  Date.now = now;
  return results;
}
