/** What the background work of a write costs, by the time between two writes: looks, steps, reminders and deletions of what they replace. */
import { compactBusyLog, continueReminder } from '../functions/store/cascades/compact-log.ts';
import { buildCreate } from '../functions/store/model/changes.ts';
import { decodeReminder, type Reminder, reminderKey } from '../functions/store/model/reminder.ts';
import { requireReminders } from '../functions/store/unit-of-work/reminders.ts';
import type { Session } from '../functions/store/unit-of-work/session.ts';
import { logRecordsWindowMs } from '../lib/hosting/functions.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { usualOrSmallest } from './form.ts';
import { type TaskCollection, tenant } from './task-collection.ts';

/** What one write costs in the background, in write units and read units. */
export interface RateResult {
  readonly name: string;
  readonly writeUnits: number;
  readonly readUnits: number;
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

/** The schedule runs each minute. */
const scheduleMs = minuteMs;

const any = (write: number): number => write;

const rates: readonly Rate[] = [
  { name: 'a change a day', intervalMs: 24 * hourMs, writes: usualOrSmallest(60, 2), kindOf: () => 6 },
  { name: 'a create a day', intervalMs: 24 * hourMs, writes: usualOrSmallest(60, 2), kindOf: () => 0 },
  { name: 'a write an hour', intervalMs: hourMs, writes: usualOrSmallest(240, 2), kindOf: any },
  { name: 'a write a minute', intervalMs: minuteMs, writes: usualOrSmallest(2_880, 20), kindOf: any },
  {
    name: 'a write in 20 seconds',
    intervalMs: 20 * secondMs,
    writes: usualOrSmallest(4_320, 20),
    kindOf: any,
  },
  {
    name: 'a write in two seconds',
    intervalMs: 2 * secondMs,
    writes: usualOrSmallest(7_200, 120),
    kindOf: any,
  },
  { name: 'ten writes a second', intervalMs: 100, writes: usualOrSmallest(12_000, 240), kindOf: any },
];

/** The background work of the log of tasks in virtual time. */
class Background {
  readonly #store: TestStore;
  readonly session: Session;
  #stamps: number[] = [];
  #batchEndsAt = 0;
  #scheduledAt = 0;

  constructor(store: TestStore) {
    this.#store = store;
    this.session = { tenant, database: store.database(7_200_000) };
  }

  /** Reports a record to the stream. */
  addRecord(stamp: number): void {
    if (this.#stamps.length === 0) this.#batchEndsAt = stamp + logRecordsWindowMs;
    this.#stamps.push(stamp);
  }

  async reminder(): Promise<Reminder | undefined> {
    const item = await this.#store.database().get(reminderKey({ tenant, kind: 'task' }));
    return item && decodeReminder(item);
  }

  /** Does what is due at a time. */
  async run(nowMs: number): Promise<void> {
    if (this.#stamps.length > 0 && this.#batchEndsAt <= nowMs) {
      const stamps = this.#stamps;
      this.#stamps = [];
      await compactBusyLog(this.session, 'task', stamps);
    }
    if (this.#scheduledAt + scheduleMs > nowMs) return;
    this.#scheduledAt = nowMs;
    const reminder = await this.reminder();
    if (reminder && reminder.dueAt <= nowMs) await continueReminder(this.session.database, reminder);
  }
}

/** Writes at a rate, with the background work of as much time as the writes take. */
async function measureRate(
  { name, intervalMs, writes, kindOf }: Rate,
  { store, collection }: { readonly store: TestStore; readonly collection: TaskCollection },
  clock: { nowMs: number },
): Promise<RateResult> {
  const background = new Background(store);
  const changes = [buildCreate('task', { name: 'A task', status: 'active' }, Date.now())];
  // Nothing happens between two of these times.
  const tickMs = Math.min(intervalMs, minuteMs / 4);
  for (let write = 0; write < writes; write += 1) {
    // The process that writes makes sure of the reminder: counted here, not as a part of the write.
    await requireReminders(background.session, changes);
    await collection.writeAny(kindOf(write));
    background.addRecord(clock.nowMs);
    for (let passedMs = 0; passedMs < intervalMs; passedMs += tickMs) {
      clock.nowMs += tickMs;
      await background.run(clock.nowMs);
    }
  }
  const { writeUnits, readUnits } = background.session.database.consumption;
  return { name, writeUnits: writeUnits / writes, readUnits: readUnits / writes };
}

/** Measures all rates, one after the other, in virtual time. */
export async function measureRates(store: TestStore, collection: TaskCollection): Promise<RateResult[]> {
  const { now } = Date;
  const clock = { nowMs: now() + 48 * hourMs };
  Date.now = () => clock.nowMs;
  const results: RateResult[] = [];
  for (const rate of rates) {
    clock.nowMs += 48 * hourMs;
    results.push(await measureRate(rate, { store, collection }, clock));
    console.log(results.at(-1));
  }
  Date.now = now;
  return results;
}
