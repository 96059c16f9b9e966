/**
 * A random history of the list engine: writers with skewed clocks and late commits, compactions that race and crash, and readers. Each
 * list must be what a plain sort of the entities gives at one moment between its start and its end.
 */

import { inflateRawSync } from 'node:zlib';
import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import type { LateChanges } from '#functions/store/lists/engine/compaction/late-changes.ts';
import type { CompactionSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { emptyManifest, manifestNames } from '#functions/store/lists/engine/format/manifest.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import type { RowPage } from '#functions/store/lists/engine/read/list-rows.ts';
import type { ListSource } from '#functions/store/lists/engine/read/read-state.ts';
import { StaleRead } from '#functions/store/lists/engine/read/stale-read.ts';
import type { LogReader, LogWriter } from '#functions/store/lists/engine/storage.ts';
import { isLate, type LogRecord } from '#functions/store/model/change-log.ts';
import { buildDeletion, buildRestore, type Change } from '#functions/store/model/changes.ts';
import { newDeletion } from '#functions/store/model/deletion.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { firstIdAt } from '#functions/store/model/ids.ts';
import { maxCommitMs } from '#functions/store/model/log-timing.ts';
import { readRows } from '../support/read-rows.ts';
import { expectedPage, isPage, isPossiblePage, type ListCase, randomCase, randomFields } from './entities.ts';
import { Machine } from './machine.ts';
import { Crash, MemoryLog, type Process } from './memory-log.ts';
import { Random } from './random.ts';
import { type State, type TransactionCounts, Transactions } from './transactions.ts';
import { VirtualTime } from './virtual-time.ts';

/** Conditions of a history. */
export interface Conditions {
  /** The longest time from stamp to commit, in milliseconds. A writer gives a transaction up after the service's own time. */
  readonly maxCommitMs: number;
  /** Whether the clocks of machines are wrong, jump, and stand still. */
  readonly haveWrongClocks: boolean;
  /**
   * Records that a query reads at one moment. Over several moments, no list is the state at one of them, but each entity of it is as
   * it was between the list's start and its end.
   */
  readonly pageSize: number;
  /** Whether commits are so late that lists are wrong until compaction has absorbed the late records. */
  readonly isWrongMeanwhile: boolean;
}

export const allowedConditions: Conditions = {
  maxCommitMs,
  haveWrongClocks: true,
  pageSize: Number.POSITIVE_INFINITY,
  isWrongMeanwhile: false,
};

/** A time of much activity, in milliseconds since the start. */
interface Burst {
  readonly from: number;
  readonly to: number;
}

/** In the second burst, compaction deletes what it replaced in the first one, more than an hour before. */
const bursts: readonly Burst[] = [
  { from: 0, to: 240_000 },
  { from: 4_500_000, to: 4_560_000 },
];

/** Milliseconds for which lists are read and logs are compacted after the last write of a burst. */
const afterMs = 60_000;

/** Milliseconds for which a device is offline, at most. */
const maxOfflineMs = 200_000;

/** Milliseconds after which entities have one more field. */
const addedFieldMs = 80_000;

/** Milliseconds that a call of a slow reader takes, at most. Some of its lists last longer than the items that they need. */
const maxSlowCallMs = 10_000_000;

/** Sizes with which a few rows make many segments and patches. */
const smallSizes: CompactionSizes = {
  maxRows: 24,
  maxColumnBytes: 120,
  maxSmallBytes: 220,
  bucketBytes: 100,
  maxChanges: 20,
  maxChangedBytes: 8_000,
  maxMergedRows: 48,
  maxUndividedRows: 8,
  maxOpenSegments: 3,
  maxShareOfPatch: 1 / 2,
  maxMergedPatchBytes: 1_500,
  maxShareOfColumn: 0.3,
  maxRewrittenColumns: 3,
  minShareOfOutOfOrder: 0.25,
  maxOutOfOrderRows: 6,
  maxSetBackRecords: 30,
  minChanges: 3,
};

const tenant = 'a';
const kind = 'task';

/** What a history counted, to see that the simulation simulates something. */
export interface HistoryCounts extends TransactionCounts {
  /** Late records that compaction absorbed because it was told of them. */
  repairs: number;
  lists: number;
  /** Attempts of lists that ended because items that they needed were deleted meanwhile, or because of a gap in the log. */
  staleReads: number;
  compactions: number;
  crashes: number;
  lostRaces: number;
  /** Steps that were applied to the manifest of another process. */
  appliedToNewer: number;
  /** Columns in several buckets that compaction left, after all of its steps. */
  columnsInBuckets: number;
  /** Items that compaction deleted. */
  deletedItems: number;
}

/** A list that was read. */
interface ListRead {
  readonly list: ListCase;
  readonly page: RowPage;
  /** The states between its start and its end. */
  readonly states: readonly State[];
}

/** One history. */
export class History {
  readonly counts: HistoryCounts = {
    commits: 0,
    lateCommits: 0,
    conflicts: 0,
    rebuilt: 0,
    foundApplied: 0,
    executedTooLate: 0,
    restored: 0,
    stoppedWriters: 0,
    repairs: 0,
    lists: 0,
    staleReads: 0,
    compactions: 0,
    columnsInBuckets: 0,
    crashes: 0,
    lostRaces: 0,
    appliedToNewer: 0,
    deletedItems: 0,
  };
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #log = new MemoryLog();
  readonly #conditions: Conditions;
  readonly #start: number;
  readonly #transactions: Transactions;
  #ids = 0;

  constructor(seed: number, conditions: Conditions) {
    this.#random = new Random(seed);
    this.#conditions = conditions;
    this.#start = this.#time.now;
    this.#transactions = new Transactions({
      time: this.#time,
      random: this.#random,
      log: this.#log,
      tenant,
      counts: this.counts,
      maxExecutionMs: conditions.maxCommitMs,
      onCommit: (record) => this.#onCommit(record),
    });
  }

  /** Runs the history. @throws Error that names the list whose result is wrong. */
  async run(): Promise<void> {
    for (let writer = 0; writer < 3; writer += 1) this.#time.start(() => this.#write());
    for (let reader = 0; reader < 2; reader += 1) this.#time.start(() => this.#read());
    for (let worker = 0; worker < 3; worker += 1) this.#time.start(() => this.#compact());
    for (let reader = 0; reader < 2; reader += 1) this.#time.start(() => this.#readSlowly());
    await this.#time.run();
  }

  /** Compacts everything, and compares some lists with the last state. Late records are absorbed by then. */
  async finish(): Promise<void> {
    this.#time.start(async () => {
      for (let step = 0; step < 40; step += 1) {
        await this.#time.wait(61_000);
        const memory = this.#newMemory();
        const writer = this.#log.open(this.#process(new Machine(this.#time, this.#random, false)));
        const source = { writer, memory, nowMs: this.#time.now, sizes: smallSizes, isForced: true };
        while ((await compact(source))?.hasMore);
      }
      const reader = this.#log.open(this.#process(this.#newMachine()));
      for (let list = 0; list < 10; list += 1) {
        const source = { reader, memory: this.#newMemory(), nowMs: this.#time.now };
        this.#requireRight(await this.#list(source, this.#case()));
      }
    });
    await this.#time.run();
    this.#requireNoLostItem();
  }

  get #isReadInParts(): boolean {
    return Number.isFinite(this.#conditions.pageSize);
  }

  get #state(): State {
    return this.#transactions.state;
  }

  #newMemory(maxBytes?: number) {
    return new ProcessMemory(maxBytes).of(tenant, kind);
  }

  #newMachine(): Machine {
    return new Machine(this.#time, this.#random, this.#conditions.haveWrongClocks);
  }

  /** Returns a process that writes until a number of writes is reached. */
  #process(machine: Machine, maxWrites = Number.POSITIVE_INFINITY): Process {
    let left = maxWrites;
    return {
      delay: () =>
        machine.call(this.#random.chance(0.05) ? this.#random.below(3_000) : this.#random.below(150)),
      beforeWrite: () => {
        left -= 1;
        if (left < 0) throw new Crash('crash');
      },
      isLagging: () => this.#random.chance(0.02),
      isResponseLost: () => this.#random.chance(0.02),
      pageSize: this.#conditions.pageSize,
    };
  }

  async #waitUntil(time: number): Promise<void> {
    await this.#time.wait(Math.max(0, this.#start + time - this.#time.now));
  }

  #newId(nowMs: number): string {
    this.#ids += 1;
    const random = this.#random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
    return `${firstIdAt(nowMs).slice(0, 14)}7${random.slice(0, 3)}-8${random.slice(3, 6)}-${String(this.#ids).padStart(12, '0')}`;
  }

  /** Some ids are made earlier than they arrive: on devices that are offline. */
  #creation(nowMs: number): Change {
    const idMs = this.#random.chance(0.25) ? nowMs - this.#random.below(maxOfflineMs) : nowMs;
    const time = new Date(this.#time.now).toISOString();
    const hasAddedField = this.#time.now > this.#start + addedFieldMs;
    const fields = randomFields(this.#random, hasAddedField) as { name: string; status: string };
    const createdAt = new Date(idMs).toISOString();
    const entity = { ...fields, id: this.#newId(idMs), createdAt, updatedAt: time };
    return { after: { kind, version: 1, entity } };
  }

  #change(before: StoredEntity, nowMs: number): Change {
    if (this.#random.chance(0.2) && this.#state.size > 20)
      return buildDeletion(before, newDeletion(before, undefined, nowMs));
    const fields = Object.entries(randomFields(this.#random, this.#time.now > this.#start + addedFieldMs));
    const changed = Object.fromEntries(fields.filter(() => this.#random.chance(0.3)));
    const updatedAt = new Date(this.#time.now).toISOString();
    const entity = { ...before.entity, ...changed, updatedAt };
    return { before, after: { ...before, version: before.version + 1, entity } };
  }

  /** Returns the restore of an entity: often of one whose deletion is pending. */
  #restore(nowMs: number): Change | undefined {
    const deleted = [...this.#transactions.deleted.values()];
    const before = this.#random.chance(0.6) ? deleted.at(-1) : this.#random.pick(deleted);
    return before && buildRestore(before, {}, nowMs);
  }

  #changes(nowMs: number): Change[] {
    const restore = this.#random.chance(0.12) ? this.#restore(nowMs) : undefined;
    if (restore) return [restore];
    const count = this.#random.chance(0.2) ? 2 + this.#random.below(5) : 1;
    const known = [...this.#state.keys()];
    const changes = new Map<string, Change>();
    for (let number = 0; number < count; number += 1) {
      if (known.length === 0 || this.#random.chance(known.length < 70 ? 0.5 : 0.2)) {
        changes.set(`new ${number}`, this.#creation(nowMs));
        continue;
      }
      const recent = known[known.length - 1 - this.#random.below(Math.min(5, known.length))] as string;
      const id = this.#random.chance(0.3) ? recent : this.#random.pick(known);
      changes.set(id, this.#change(this.#state.get(id) as StoredEntity, nowMs));
    }
    return [...changes.values()];
  }

  async #write(): Promise<void> {
    const machine = this.#newMachine();
    for (const { from, to } of bursts) {
      await this.#waitUntil(from);
      while (this.#time.now < this.#start + to) {
        await this.#time.wait(this.#random.below(4_000));
        const changes = this.#changes(await machine.now());
        this.#time.start(() => this.#transactions.apply(changes, machine));
      }
    }
  }

  async #compact(): Promise<void> {
    const machine = this.#newMachine();
    let memory = this.#newMemory();
    for (const { from, to } of bursts) {
      await this.#waitUntil(from);
      while (this.#time.now < this.#start + to + afterMs) {
        await this.#time.wait(this.#random.below(this.#random.chance(0.3) ? 1_000 : 15_000));
        if (this.#random.chance(0.05)) await machine.suspend();
        const hasCrashed = !(await this.#compactOnce(memory, machine));
        if (hasCrashed) memory = this.#newMemory();
      }
    }
  }

  /** Takes a step of compaction. @returns false when the process crashed. */
  async #compactOnce(memory: LogMemory, machine: Machine): Promise<boolean> {
    return (await this.#takeStep(memory, machine)) !== 'crashed';
  }

  /**
   * The stream of the table: a function compares the time of each new record with its stamp, until compaction has handled those that may be
   * late. It can crash, and is called again.
   */
  #onCommit(record: LogRecord): void {
    if (!isLate(record.stamp, Math.floor(this.#time.now / 1_000) * 1_000)) return;
    const readVersions = async (ids: readonly string[]) => {
      await this.#time.wait(this.#random.below(100));
      return new Map(
        ids.flatMap((id) => {
          const entity = this.#state.get(id);
          return entity ? [[id, entity.version] as const] : [];
        }),
      );
    };
    this.#time.start(async () => {
      const machine = this.#newMachine();
      for (;;) {
        await this.#time.wait(this.#random.below(15_000));
        const result = await this.#takeStep(this.#newMemory(), machine, { records: [record], readVersions });
        if (typeof result === 'object' && !result.hasMore) return;
      }
    });
  }

  /** Takes a step of compaction. @param late forces the step to absorb what is settled. */
  async #takeStep(
    memory: LogMemory,
    machine: Machine,
    late?: LateChanges,
  ): Promise<Awaited<ReturnType<typeof compact>> | 'crashed'> {
    const maxWrites = this.#random.chance(0.1) ? this.#random.below(60) : undefined;
    const open = this.#log.open(this.#process(machine, maxWrites));
    let lost = 0;
    const replaceManifest: LogWriter['replaceManifest'] = async (manifest) => {
      const isReplaced = await open.replaceManifest(manifest);
      if (!isReplaced) lost += 1;
      return isReplaced;
    };
    const writer = { ...open, replaceManifest };
    const itemsBefore = this.#log.items.size;
    try {
      const nowMs = await machine.now();
      const result = await compact({
        writer,
        memory,
        nowMs,
        sizes: smallSizes,
        isForced: late !== undefined,
        late,
      });
      this.counts[result ? 'compactions' : 'lostRaces'] += 1;
      this.counts.repairs += result?.late ?? 0;
      if (result && lost > 0) this.counts.appliedToNewer += 1;
      for (const { buckets } of this.#log.manifest?.segments ?? [])
        this.counts.columnsInBuckets += Object.keys(buckets).length;
      return result;
    } catch (error) {
      if (!(error instanceof Crash) && !(error instanceof StaleRead)) throw error;
      this.counts.crashes += 1;
      return 'crashed';
    } finally {
      this.counts.deletedItems += Math.max(0, itemsBefore - this.#log.items.size);
    }
  }

  #case(): ListCase {
    const { to } = bursts[0] as Burst;
    // The first page of all rows shows every entity that matches.
    const window = this.#isReadInParts
      ? { page: 1, limit: 1_000 }
      : { page: 1 + this.#random.below(4), limit: 5 };
    const timeMs = (): number => this.#start + this.#random.below(to);
    const known = [...this.#state.keys()];
    const anyId = (): string =>
      known.length === 0 || this.#random.chance(0.1) ? firstIdAt(timeMs()) : this.#random.pick(known);
    return randomCase(this.#random, { timeMs, anyId }, window);
  }

  async #read(): Promise<void> {
    const machine = this.#newMachine();
    const reader = this.#log.open(this.#process(machine));
    let memory = this.#newMemory(400_000);
    for (const { from, to } of bursts) {
      await this.#waitUntil(from);
      while (this.#time.now < this.#start + to + afterMs) {
        await this.#time.wait(this.#random.below(6_000));
        if (this.#random.chance(0.05)) memory = this.#newMemory(400_000);
        await this.#readOnce({ reader, memory, nowMs: await machine.now(), settledMs: machine.settled() });
      }
    }
  }

  /** Reads lists that take longer than the items of the first burst stay. */
  async #readSlowly(): Promise<void> {
    const machine = this.#newMachine();
    const delay = () => machine.call(this.#random.below(this.#random.chance(0.6) ? 1_000 : maxSlowCallMs));
    const reader = this.#log.open({ delay });
    const { to } = bursts.at(-1) as Burst;
    while (this.#time.now < this.#start + to) {
      const nowMs = await machine.now();
      await this.#readOnce({ reader, memory: this.#newMemory(), nowMs, settledMs: machine.settled() });
    }
  }

  async #readOnce(source: ListSource): Promise<void> {
    const list = await this.#list(source, this.#case());
    if (!this.#conditions.isWrongMeanwhile) this.#requireRight(list);
  }

  async #list(source: ListSource, list: ListCase): Promise<ListRead> {
    const { states } = this.#transactions;
    const first = states.length - 1;
    let attempts = 0;
    const readHead: LogReader['readHead'] = (above) => {
      attempts += 1;
      return source.reader.readHead(above);
    };
    const page = await readRows({ ...source, reader: { ...source.reader, readHead } }, list.query);
    this.counts.lists += 1;
    this.counts.staleReads += attempts - 1;
    return { list, page, states: states.slice(first) };
  }

  #requireRight({ list, page, states }: ListRead): void {
    if (states.some((state) => isPage(state, list, page))) return;
    if (this.#isReadInParts && isPossiblePage(states, list, page)) return;
    const expected = states.map((state) => expectedPage(state, list));
    throw new Error(
      `Wrong list ${JSON.stringify(list.list)}: ${JSON.stringify(page)}, expected one of ${JSON.stringify(expected)}`,
    );
  }

  /** Checks that compaction will delete every item that it does not need. */
  #requireNoLostItem(): void {
    const names = new Set<string>(manifestNames(this.#log.manifest ?? emptyManifest));
    for (const [name, bytes] of this.#log.items) {
      if (!name.startsWith('steps/')) continue;
      names.add(name);
      for (const own of JSON.parse(inflateRawSync(bytes).toString()).names) names.add(own);
    }
    const lost = [...this.#log.items.keys()].filter((name) => !names.has(name));
    if (lost.length > 0) throw new Error(`Nothing refers to the items ${lost.join(', ')}.`);
  }
}
