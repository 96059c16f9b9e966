/**
 * A simulated world: processes of the service, one table, clients and faults, in virtual time and from one seed. It follows the simulators of
 * FoundationDB and TigerBeetle: the real code runs, and all that it meets is drawn from the seed, so a failure repeats.
 */
import type { DynamoDBRecord } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import { jobSortKey, wakeUpSortKey } from '#functions/engine/model/job.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { isLogRecord } from '#functions/jobs/publish-pokes.ts';
import type { Faults } from '../support/table/faults.ts';
import { MemoryTable } from '../support/table/memory-table.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import type { Kind } from './list-model.ts';
import { type ItemChange, Moments } from './moments.ts';
import { loadProcesses, Process, type Response, tableName, takeDifferences } from './process.ts';
import { Random } from './random.ts';

const startMs = Date.parse('2026-02-03T04:00:00Z');
const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Days from the beginning of a history to that of the next seed. A part has every second seed, and rests of up to 32 days. */
const daysOfHistory = 20;

/**
 * Calls of a run of the schedule, with those of the requests that its process handles meanwhile. A history needs up to 200, and one that has lost hundreds of
 * positions 1,150: requests at the same time fill them more than once.
 */
const maxCallsOfSchedule = 2_000;

/** Steps of a job besides those that change something: passes, levels and kinds. */
const maxOwnSteps = 20;

/** Entities that a step changes, at least, when there are many. */
const entitiesInStep = 40;

/** What happens in a history besides what its clients do. */
export interface Conditions {
  /** What the table does to calls. */
  readonly faults?: Faults;
  /** Milliseconds between two crashes of a process, on average. */
  readonly meanCrashMs?: number;
  /** Milliseconds between two jumps of a clock, on average, and by how much they are, at most. */
  readonly clockJumps?: { readonly meanMs: number; readonly maxMs: number };
  /** Steps of each writer. */
  readonly steps?: number;
  readonly writers?: number;
  /** Milliseconds between two steps of a writer, at most. */
  readonly maxPauseMs?: number;
  /** Tasks in the first project. */
  readonly tasks?: number;
  /** Milliseconds of a quiet time in the middle. */
  readonly restMs?: number;
  /** Whether operators rebuild logs, audit the table and erase entities. */
  readonly hasCommands?: boolean;
  /** Whether processes end that have taken positions. */
  readonly losesPositions?: boolean;
  /** Whether the counter of numbers is lost. */
  readonly losesNumbers?: boolean;
}

let loaded: ReturnType<typeof loadProcesses> | undefined;

export class World {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly table: MemoryTable;
  readonly moments = new Moments();
  readonly processes: Process[];
  /** The entities whose erasure has failed, with their kinds. */
  readonly unfinishedErasures = new Map<string, Kind>();
  /** A process that gets no requests for a while. */
  idle: Process | undefined;
  /** What the history did, to see that it did something. */
  readonly counts = {
    lists: 0,
    feeds: 0,
    unavailable: 0,
    writes: 0,
    responses: {} as Record<number, number>,
  };
  readonly conditions: Conditions;
  #marks = 0;
  /** What a write should not have done. */
  #wrong: Error | undefined;
  /** How often a write has given a name to an entity. */
  readonly #named = new Map<string, number>();
  /** Names of projects that somebody copies, and the ids of the copies. */
  readonly #copied = new Set<string>();
  readonly #copies = new Set<string>();

  private constructor(
    seed: number,
    conditions: Conditions,
    modules: Awaited<ReturnType<typeof loadProcesses>>,
  ) {
    this.conditions = conditions;
    // No id that a process makes is before an earlier one. So a history begins when the one before, with another seed, has ended: otherwise it depends on that.
    this.time = new VirtualTime(seed, startMs + seed * daysOfHistory * dayMs);
    this.random = new Random(seed + 1);
    this.table = new MemoryTable(tableName, this.time);
    this.table.onCommit((changes) => {
      // An error here would be one of the call.
      try {
        this.moments.record(changes);
      } catch (error) {
        this.#wrong ??= error as Error;
      }
      this.#countNames(changes);
      this.#countSteps(changes);
    });
    this.processes = modules.map((own) => new Process(own, this.time, this.table));
  }

  /** Begins a world. The modules of its processes are loaded once. */
  static async begin(seed: number, conditions: Conditions): Promise<World> {
    loaded ??= loadProcesses(2);
    return new World(seed, conditions, await loaded);
  }

  wait(milliseconds: number): Promise<void> {
    return this.time.delay(milliseconds);
  }

  newMark(): string {
    this.#marks += 1;
    return `mark-${this.#marks}`;
  }

  newId(agoMs: number): string {
    return uuidv7({ msecs: this.time.now() - agoMs, random: this.time.randomBytes(16) });
  }

  /** Returns how often a name was given to an entity. */
  timesNamed(name: string): number {
    return this.#named.get(name) ?? 0;
  }

  /** A copy has the names of its original. */
  expectCopyOf(name: string): void {
    this.#copied.add(name);
  }

  /** Runs the schedule in one of the processes. @throws Error when it makes calls without an end. */
  async runSchedule(): Promise<void> {
    const process = this.random.pick(this.processes);
    const { calls } = process;
    await process.onSchedule();
    const made = process.calls - calls;
    if (made > maxCallsOfSchedule) throw new Error(`The schedule has made ${made} calls.`);
  }

  /** A job has as many steps as a few passes over what there is. */
  #countSteps(changes: readonly ItemChange[]): void {
    for (const { before, after } of changes) {
      const { sk, steps = 0 } = (after ?? before) as Item & { readonly steps?: number };
      if (sk !== jobSortKey) continue;
      if (steps > maxOwnSteps + this.moments.versions.size / entitiesInStep)
        this.#wrong ??= new Error(`A job takes ${steps} steps: ${JSON.stringify(after ?? before)}`);
    }
  }

  #countNames(changes: readonly ItemChange[]): void {
    const known = new Map(this.#named);
    for (const { before, after } of changes) {
      if (after?.['name'] === undefined || after['name'] === before?.['name']) continue;
      const name = String(after['name']);
      const isCopy =
        !before &&
        known.has(name) &&
        (this.#copied.has(name) || this.#copies.has(String(after['projectId'])));
      if (!isCopy) this.#named.set(name, this.timesNamed(name) + 1);
      else if (after['kind'] === 'project') this.#copies.add(after.pk.slice(after.pk.lastIndexOf('#') + 1));
    }
  }

  /** @throws Error for a status that no request may have. */
  allow(status: number, allowed: readonly number[]): void {
    if (status === 503 && this.#isFaulty) return;
    if (!allowed.includes(status)) throw new Error(`A request responded ${status}.`);
  }

  get #isFaulty(): boolean {
    const { faults, meanCrashMs } = this.conditions;
    return faults !== undefined || meanCrashMs !== undefined;
  }

  /** Sends a request to one of the processes. The gateway responds 503 when it stops. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const process = this.random.pick(this.processes.filter((one) => one !== this.idle));
    const response = await process.request(method, path, body, headers);
    if (this.#wrong) throw this.#wrong;
    const differences = takeDifferences();
    if (differences.length > 0) throw new Error(differences.join('\n'));
    const status = response?.status ?? 503;
    this.counts.responses[status] = (this.counts.responses[status] ?? 0) + 1;
    return response ?? { status, headers: {}, body: undefined };
  }

  /** Delivers what the stream has: each record at least once, and again what failed. */
  async deliverRecords(): Promise<void> {
    const records = this.table.takeRecords();
    const jobs = records.filter(({ eventName, dynamodb }) => {
      const sortKey = dynamodb?.Keys?.['sk']?.S;
      return eventName !== 'REMOVE' && (sortKey === jobSortKey || sortKey === wakeUpSortKey);
    });
    const logs = records.filter(isLogRecord);
    const deliver = async (
      own: DynamoDBRecord[],
      call: (process: Process) => Promise<unknown>,
    ): Promise<void> => {
      if (own.length === 0) return;
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const isHandled = await call(this.random.pick(this.processes)).catch(() => undefined);
        if (isHandled !== undefined && !this.random.chance(0.05)) return;
        await this.wait(1_000);
      }
    };
    await Promise.all([
      deliver(jobs, (process) => process.onStream(jobs)),
      deliver(logs, (process) => process.onLogRecords(logs)),
    ]);
  }

  /** Ends all faults, and lets the background work end that is due by then. */
  async settle(minutes = 4): Promise<void> {
    this.table.faults = {};
    for (const process of this.processes) {
      process.callsLeft = undefined;
      process.clockErrorMs = 0;
    }
    for (let minute = 0; minute < minutes; minute += 1) {
      await this.wait(minuteMs);
      await this.deliverRecords();
      const process = this.random.pick(this.processes);
      const { crashes } = process;
      process.callsLeft = maxCallsOfSchedule;
      await process.onSchedule();
      process.callsLeft = undefined;
      if (process.crashes > crashes) throw new Error('The schedule makes calls without an end.');
    }
  }

  /** Lets days pass in which the stream calls no function. The schedule looks at what is due, and a minute later at what its visit of a log has asked for. */
  async passDays(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      await this.wait(dayMs);
      for (const process of this.processes) {
        await this.wait(minuteMs);
        await process.onSchedule();
      }
      this.table.expire();
    }
  }
}
