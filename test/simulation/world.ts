/**
 * A simulated world: processes of the service, one table, clients and faults, in virtual time and from one seed. It follows the simulators of
 * FoundationDB and TigerBeetle: the real code runs, and all that it meets is drawn from the seed, so a failure repeats.
 */
import type { DynamoDBRecord } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import { isLogRecord } from '#functions/jobs/on-log-records.ts';
import { jobSortKey, wakeUpSortKey } from '#functions/store/model/job.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean, reportLines } from '#lib/audit/report.ts';
import type { Faults } from '../support/table/faults.ts';
import { MemoryTable } from '../support/table/memory-table.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import { type ItemChange, Moments } from './moments.ts';
import { loadProcesses, Process, type Response, tableName, takeDifferences } from './process.ts';
import { Random } from './random.ts';
import { checkHistory, Follower, readList, Writer } from './workload.ts';

const startMs = Date.parse('2026-02-03T04:00:00Z');
const minuteMs = 60_000;

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
}

let loaded: ReturnType<typeof loadProcesses> | undefined;

export class World {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly table: MemoryTable;
  readonly moments = new Moments();
  readonly processes: Process[];
  /** What the history did, to see that it did something. */
  readonly counts = { lists: 0, feeds: 0, unavailable: 0, writes: 0, responses: {} as Record<number, number> };
  readonly #conditions: Conditions;
  #marks = 0;
  /** How often a write has given a name to an entity. */
  readonly #named = new Map<string, number>();
  /** Names of projects that somebody copies, and the ids of the copies. */
  readonly #copied = new Set<string>();
  readonly #copies = new Set<string>();

  private constructor(seed: number, conditions: Conditions, modules: Awaited<ReturnType<typeof loadProcesses>>) {
    this.#conditions = conditions;
    this.time = new VirtualTime(seed, startMs);
    this.random = new Random(seed + 1);
    this.table = new MemoryTable(tableName, this.time);
    this.table.onCommit((changes) => {
      this.moments.record(changes);
      this.#countNames(changes);
    });
    this.processes = modules.map((own) => new Process(own, this.time, this.table));
  }

  /** Runs a history. @throws Error that says what is wrong. */
  static async run(
    seed: number,
    conditions: Conditions,
    scenario: (world: World) => Promise<void> = (world) => world.live(),
  ): Promise<World> {
    loaded ??= loadProcesses(2);
    const world = new World(seed, conditions, await loaded);
    try {
      await scenario(world);
      await world.settle();
      await world.check();
      return world;
    } catch (cause) {
      throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
    } finally {
      world.time.end();
    }
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
    const { faults, meanCrashMs } = this.#conditions;
    return faults !== undefined || meanCrashMs !== undefined;
  }

  /** Sends a request to one of the processes. The gateway responds 503 when it stops. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const process = this.random.pick(this.processes);
    const response = await process.request(method, path, body, headers);
    const differences = takeDifferences();
    if (differences.length > 0) throw new Error(differences.join('\n'));
    const status = response?.status ?? 503;
    this.counts.responses[status] = (this.counts.responses[status] ?? 0) + 1;
    return response ?? { status, headers: {}, body: undefined };
  }

  /** Clients write and read, and the cloud does its part, until the writers have made their steps. */
  async live(): Promise<void> {
    const { faults, steps = 30, writers = 3, maxPauseMs = 4_000 } = this.#conditions;
    await this.#seed();
    if (faults) this.table.faults = faults;
    let isWriting = true;
    const whileWriting = async (maxMs: number, step: () => Promise<unknown>): Promise<void> => {
      while (isWriting) {
        await this.wait(this.random.below(maxMs));
        await step();
      }
    };
    const write = async (): Promise<void> => {
      const writer = new Writer(this, this.random);
      for (let step = 0; step < steps; step += 1) {
        await this.wait(this.random.below(maxPauseMs));
        await writer.step();
      }
    };
    const followers = [
      new Follower(this, 'task', '', () => true),
      new Follower(this, 'task', 'status=done&', ({ status }) => status === 'done'),
      new Follower(this, 'project', '', () => true),
    ];
    const background = [
      whileWriting(3_000, () => readList(this, this.random)),
      whileWriting(3_000, () => readList(this, this.random)),
      ...followers.map((follower) => whileWriting(8_000, () => follower.poll(1 + this.random.below(30)))),
      this.#runSchedule(() => isWriting),
      this.#deliverStream(() => isWriting),
      ...this.#disturb(() => isWriting),
    ];
    const first = Promise.all(background);
    await Promise.race([Promise.all(Array.from({ length: writers }, write)), first]);
    isWriting = false;
    await first;
    this.table.faults = {};
    for (const follower of followers) while (await follower.poll(100));
  }

  /** Entities that the first requests need. */
  async #seed(): Promise<void> {
    for (const plural of ['organizations', 'users', 'tags', 'tasks'])
      for (let count = 0; count < 3; count += 1)
        await this.send('POST', `/v1/${plural}`, { name: this.newMark() });
    const [organizationId] = this.moments.state.organization.keys();
    await this.send('POST', '/v1/projects', { name: this.newMark(), organizationId });
  }

  async #runSchedule(isWriting: () => boolean): Promise<void> {
    while (isWriting()) {
      await this.wait(minuteMs / 4);
      await this.random.pick(this.processes).onSchedule();
    }
  }

  /** The stream: it delivers each record at least once, and again what failed. */
  async #deliverStream(isWriting: () => boolean): Promise<void> {
    while (isWriting()) {
      await this.wait(this.random.below(5_000));
      await this.deliverRecords();
    }
  }

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

  /** Crashes and wrong clocks. */
  #disturb(isWriting: () => boolean): Promise<void>[] {
    const { meanCrashMs, clockJumps } = this.#conditions;
    const repeat = async (meanMs: number, disturb: (process: Process) => void): Promise<void> => {
      while (isWriting()) {
        await this.wait(Math.min(10_000, this.random.below(2 * meanMs)));
        if (this.random.chance(10_000 / meanMs)) disturb(this.random.pick(this.processes));
      }
    };
    return [
      ...(meanCrashMs === undefined
        ? []
        : [
            repeat(meanCrashMs, (process) => {
              process.callsLeft = 1 + this.random.below(30);
            }),
          ]),
      ...(clockJumps === undefined
        ? []
        : [
            repeat(clockJumps.meanMs, (process) => {
              process.clockErrorMs = Math.round((2 * this.random.next() - 1) * clockJumps.maxMs);
            }),
          ]),
    ];
  }

  /** Ends all faults, and lets the background work end that is due by then. */
  async settle(minutes = 15): Promise<void> {
    this.table.faults = {};
    for (const process of this.processes) {
      process.callsLeft = undefined;
      process.clockErrorMs = 0;
    }
    for (let minute = 0; minute < minutes; minute += 1) {
      await this.wait(minuteMs);
      await this.deliverRecords();
      await this.random.pick(this.processes).onSchedule();
    }
  }

  /** Requires of a quiet world what must hold then. */
  async check(): Promise<void> {
    for (let count = 0; count < 10; count += 1) await readList(this, this.random);
    this.#requireReferences();
    for (const version of this.moments.state.task.values()) {
      if (this.random.chance(0.2)) await checkHistory(this, version);
    }
    const report = await auditTable(this.table, tableName, { pauseMs: 0 });
    if (!isClean(report)) throw new Error(reportLines(report).join('\n'));
  }

  /** What a deletion removes is gone, and nothing refers to it. */
  #requireReferences(): void {
    const { state } = this.moments;
    const parents = [
      ['project', 'organizationId', 'organization'],
      ['user', 'organizationId', 'organization'],
      ['tag', 'organizationId', 'organization'],
      ['task', 'projectId', 'project'],
      ['task', 'userId', 'user'],
      ['task', 'tagIds', 'tag'],
    ] as const;
    for (const [kind, field, parent] of parents)
      for (const { entity } of state[kind].values())
        for (const id of [entity[field] ?? []].flat())
          if (!state[parent].has(id))
            throw new Error(`The ${kind} ${entity.id} refers to the ${parent} ${id}, which does not exist.`);
  }
}
