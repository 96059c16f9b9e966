/**
 * The change log as a shared log, in random schedules of the real code: writers, lists with a memory, compaction by two processes, a rebuild, and a copy
 * that follows the feed. Responses are lost, transactions are applied late or while their keys are refused, processes end after any call, replicas
 * lag, and each process has another time of day. `SIMULATION_SEEDS` says how many histories, `SIMULATION_FIRST_SEED` with which they begin.
 */

import { compact } from '#functions/engine/columns/compact/compact.ts';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { fillAllHoles, rebuild } from '#functions/engine/columns/compact/rebuild.ts';
import { toValues } from '#functions/engine/columns/compact/row-block.ts';
import { openLogReader } from '#functions/engine/columns/dynamodb-storage.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import { listRows, type RowPage } from '#functions/engine/columns/read/list-rows.ts';
import { readState } from '#functions/engine/columns/read/read-state.ts';
import type { RowFilter } from '#functions/engine/columns/read/row-filter.ts';
import { StaleRead } from '#functions/engine/columns/read/stale-read.ts';
import { findEntry } from '#functions/engine/feed/list-history.ts';
import { readLog, startBudget } from '#functions/engine/feed/read-log.ts';
import { maxHoles, type Progress, upTo } from '#functions/engine/log/progress.ts';
import { positionOf, recordPrefix, sequencerKey } from '#functions/engine/model/change-log.ts';
import {
  buildCreate,
  buildDeletion,
  buildRestore,
  buildUpdate,
  type Change,
} from '#functions/engine/model/changes.ts';
import { newDeletion } from '#functions/engine/model/deletion.ts';
import type { StoredEntity } from '#functions/engine/model/entity.ts';
import { CompactionTooSlow, StoreUnavailable } from '#functions/engine/model/errors.ts';
import { decodeAnyEntity, decodeEntity } from '#functions/engine/model/item-codec.ts';
import { entityKey, entitySortKey } from '#functions/engine/model/keys.ts';
import { toRow } from '#functions/engine/model/row.ts';
import { wordsField } from '#functions/engine/model/words.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { commit } from '#functions/engine/write/commit.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { smallSizes } from '../support/compaction.ts';
import { allRows, idOf } from '../support/log-builder.ts';
import type { Faults } from '../support/table/faults.ts';
import { Life } from '../support/table/life.ts';
import { type ItemChange, MemoryTable } from '../support/table/memory-table.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import { Random } from './random.ts';

const count = Number(process.env['SIMULATION_SEEDS'] ?? 20);
const first = Number(process.env['SIMULATION_FIRST_SEED'] ?? 1);

const tenant = 'acme';
const kind = 'tag';
const startMs = Date.parse('2026-03-01');

/** Longer than the time of a request, so that a transaction can be applied when its writer has given up. */
const faults: Faults = {
  latencyMs: [1, 100],
  holdMs: [0, 100],
  lagMs: [0, 3_000],
  staleReads: 0.3,
  throttles: 0.02,
  conflicts: 0.05,
  lostRequests: 0.05,
  lostResponses: 0.08,
  lateRequests: 0.03,
  lateCommits: 0.05,
  lateMs: [500, 12_000],
  patienceMs: [1, 2_000],
  unprocessedKeys: 0.2,
};

/** The words with which names begin: a list searches for one of them, or for none. */
const words = ['alpha', 'beta'];

/** The entities that exist. */
type State = ReadonlyMap<string, { readonly name: string; readonly version: number }>;

const textOf = (versions: readonly (readonly [id: string, version: number])[]): string =>
  JSON.stringify([...versions].sort());

/** Returns what a list shows that searches for a word. */
const matching = (state: State, word: string): string =>
  textOf([...state].flatMap(([id, { name, version }]) => (name.startsWith(word) ? [[id, version]] : [])));

class History {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly table: MemoryTable;
  /** After each transaction. */
  readonly states: State[] = [new Map()];
  /** Names of entities, by which changes are recognized. */
  readonly appliedNames = new Set<string>();
  readonly refusedNames = new Set<string>();
  readonly acknowledged = new Map<string, number>();
  readonly copy = new Map<string, number>();
  progress: Progress = upTo(0);
  given = 0;
  #names = 0;
  #hasManyHoles = false;

  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.random = new Random(seed);
    this.time = new VirtualTime(seed, startMs);
    this.table = new MemoryTable(`shared-log-${seed}`, this.time);
    this.table.onCommit((changes) => this.#record(changes));
  }

  #record(changes: readonly ItemChange[]): void {
    const state = new Map(this.states.at(-1));
    for (const { after } of changes) {
      if (after?.sk !== entitySortKey) continue;
      const { entity, version, deletion } = decodeAnyEntity(after);
      this.appliedNames.add(`${entity.name} ${version}`);
      if (deletion) state.delete(entity.id);
      else state.set(entity.id, { name: String(entity.name), version });
    }
    this.states.push(state);
  }

  session(dynamodb: DynamoDb = this.table, timeMs = 8_000): Session {
    return { tenant, database: new Database(dynamodb, this.table.tableName, new Deadline(timeMs)) };
  }

  /** Lets a process do something again and again, until it ends after a call. */
  async process(chance: number, times: number, act: (dynamodb: DynamoDb) => Promise<void>): Promise<void> {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const life = new Life(this.table, () => {
      const isLast = this.random.chance(chance);
      if (isLast) end();
      return !isLast;
    });
    const run = async (): Promise<void> => {
      for (let left = times; left > 0 && !life.isOver; left -= 1) {
        await act(life.dynamodb);
        await this.time.delay(this.random.below(300));
      }
    };
    await Promise.race([run(), ended]);
  }

  /** Returns the next change of an entity, whatever it is. */
  #change(id: string, item: Item | undefined, name: string): Change {
    const nowMs = this.time.now();
    const stored = item && decodeAnyEntity(item);
    if (!stored) return buildCreate(kind, { name, status: 'active' }, nowMs, id);
    if (stored.deletion) return buildRestore(stored, { name }, nowMs);
    const changed = buildUpdate(stored, { name }, nowMs).after as StoredEntity;
    if (this.random.chance(0.7)) return { before: stored, after: changed };
    const { after } = buildDeletion(
      { ...stored, entity: changed.entity },
      newDeletion(stored, undefined, nowMs),
    );
    return { before: stored, after };
  }

  async write(dynamodb: DynamoDb): Promise<void> {
    const session = this.session(dynamodb);
    const id = idOf(this.random.below(6));
    const isRefused = this.random.chance(0.1);
    // A name for each attempt: none of those that failed may be seen.
    const names: string[] = [];
    let version = 0;
    const build = async () => {
      const item = await session.database.get(entityKey(tenant, kind, id), { withDeleted: true });
      if (isRefused) throw new RangeError('refused');
      this.#names += 1;
      const name = `${this.random.pick(words)} ${this.#names}`;
      const change = this.#change(id, item, name);
      version = change.after?.version ?? 0;
      names.push(`${name} ${version}`);
      return { changes: [change], result: undefined };
    };
    try {
      await commit(session, build, this.random.chance(0.5) ? [kind] : []);
      expect(this.appliedNames).toContain(names.pop());
      this.acknowledged.set(id, Math.max(version, this.acknowledged.get(id) ?? 0));
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        if (error.isInDoubt) names.pop();
      } else if (!(error instanceof RangeError)) throw error;
    }
    for (const name of names) this.refusedNames.add(name);
  }

  /** A step of compaction, by a process whose clock is as wrong as it may be. */
  async compact(dynamodb: DynamoDb, memory: ProcessMemory): Promise<void> {
    const { database } = this.session(dynamodb);
    const nowMs = this.time.now() + this.random.pick([0, 0, 10_000, -250_000, 250_000]);
    const source = { writer: openLog(database, tenant, kind), memory: memory.of(tenant, kind), nowMs };
    try {
      await compact({
        ...source,
        isForced: this.random.chance(0.5),
        sizes: { ...smallSizes, minChanges: 2 },
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof CompactionTooSlow)) throw error;
    }
  }

  async rebuild(): Promise<void> {
    const open = () => openLog(this.session(this.table, 60_000).database, tenant, kind);
    const position = await fillAllHoles(open());
    await this.time.delay(this.random.below(1_000));
    const ids = new Set((this.states.at(-1) as State).keys());
    const readRows = async (wanted: readonly string[]) => {
      const { database } = this.session(this.table, 60_000);
      const items = await database.getMany(wanted.map((id) => entityKey(tenant, kind, id)));
      const rows = items
        .map(decodeEntity)
        .map(({ entity, version }) => ({ id: entity.id, version, values: toValues(toRow(entity)) }));
      return new Map(rows.map((row) => [row.id, row]));
    };
    await rebuild({ open, ids, position, readRows, sizes: smallSizes });
  }

  async #listOnce(dynamodb: DynamoDb, memory: ProcessMemory, word: string): Promise<RowPage | undefined> {
    try {
      const reader = openLogReader(this.session(dynamodb).database, tenant, kind);
      const source = { reader, memory: memory.of(tenant, kind) };
      const filters: RowFilter[] = word
        ? [{ field: wordsField, condition: { by: 'words', words: [word] } }]
        : [];
      return await listRows(source, await readState(source), { ...allRows, filters });
    } catch (error) {
      if (error instanceof StaleRead) expect(error.message).not.toContain('earlier record');
      else if (!(error instanceof StoreUnavailable)) throw error;
      return undefined;
    }
  }

  /** A list is the state of one moment of its request. */
  async list(dynamodb: DynamoDb, memory: ProcessMemory): Promise<void> {
    const from = this.states.length - 1;
    const word = this.random.pick([...words, '']);
    const page = await this.#listOnce(dynamodb, memory, word);
    if (!page) return;
    const shown = textOf(page.rows.map(({ id, version }) => [id, version]));
    expect(this.states.slice(from).map((state) => matching(state, word))).toContain(shown);
    expect(page.total).toBe(page.rows.length);
  }

  /** The copy never goes back, and has what was acknowledged before. */
  async poll(dynamodb: DynamoDb): Promise<void> {
    const least = new Map(this.acknowledged);
    for (;;) {
      const session = this.session(dynamodb, 60_000);
      const matchingIds = ({ entries }: { readonly entries: readonly { readonly id: string }[] }) =>
        entries.map(({ id }) => id);
      const limit = 1 + this.random.below(5);
      const unitsLeft = startBudget(session.database);
      const page = await readLog(session, kind, this.progress, { limit, matchingIds, unitsLeft }).catch(
        (error: unknown) => {
          // Nobody reads past too many holes.
          if (!(error instanceof StoreUnavailable && this.#hasManyHoles)) throw error;
        },
      );
      if (!page) return;
      if (page.hasMore) expect(page.progress).not.toEqual(this.progress);
      this.progress = page.progress;
      for (const { entries } of page.records) {
        for (const { id, version } of entries) {
          expect(version).toBe((this.copy.get(id) ?? 0) + 1);
          this.copy.set(id, version);
          this.given += 1;
        }
      }
      if (!page.hasMore) break;
    }
    for (const [id, version] of least) expect(this.copy.get(id) ?? 0).toBeGreaterThanOrEqual(version);
  }

  /** Processes take more positions than a reader remembers holes, and end. */
  async takePositions(): Promise<void> {
    this.#hasManyHoles = true;
    const { database } = this.session(this.table, 60_000);
    await Promise.all(
      Array.from({ length: maxHoles + 1 }, () => database.count(sequencerKey({ tenant, kind }))),
    );
  }

  /** Requires what must hold when nothing happens any more. */
  async check(): Promise<void> {
    await fillAllHoles(openLog(this.session().database, tenant, kind));
    this.#hasManyHoles = false;
    await this.poll(this.table);
    for (const name of this.refusedNames) expect(this.appliedNames).not.toContain(name);
    const items = this.table.snapshot();
    const entities = items.filter(({ sk }) => sk === entitySortKey).map(decodeAnyEntity);
    for (const { entity, version, logPosition = 0 } of entities) {
      expect(this.copy.get(entity.id)).toBe(version);
      let [expected, position] = [version, logPosition];
      for (; position > 0; expected -= 1) {
        const found = await findEntry(this.session(), { kind, id: entity.id }, position);
        expect(found?.entry.version).toBe(expected);
        position = found?.entry.previousPosition ?? 0;
      }
      expect(expected).toBe(0);
    }
    const positions = items.filter(({ sk }) => sk.startsWith(recordPrefix)).map(({ sk }) => positionOf(sk));
    expect(this.progress).toEqual(upTo(Math.max(...positions)));
  }

  async run(): Promise<void> {
    const { random } = this;
    // A process that keeps its memory, or loses it now and then.
    const remembering = () => {
      let memory = new ProcessMemory();
      return (): ProcessMemory => {
        if (random.chance(0.1)) memory = new ProcessMemory();
        return memory;
      };
    };
    const compactor = () => {
      const memory = remembering();
      return this.process(0.01, 20, (dynamodb) => this.compact(dynamodb, memory()));
    };
    const lister = () => {
      const memory = remembering();
      return this.process(0, 20, (dynamodb) => this.list(dynamodb, memory()));
    };
    const writer = () => this.process(0.01, 8, (dynamodb) => this.write(dynamodb));
    this.table.faults = faults;
    await Promise.all([
      ...[1, 2, 3, 4].map(writer),
      compactor(),
      compactor(),
      lister(),
      lister(),
      this.process(0, 15, (dynamodb) => this.poll(dynamodb)),
      ...(random.chance(0.3) ? [this.time.delay(random.below(10_000)).then(() => this.rebuild())] : []),
      ...(this.#seed % 7 === 6
        ? [this.time.delay(random.below(3_000)).then(() => this.takePositions())]
        : []),
    ]);
    // What is late arrives.
    await this.time.delay(30_000);
    this.table.faults = {};
    await this.check();
  }
}

afterEach(() => setTimeAndChance());

const seeds = Array.from({ length: count }, (_, number) => first + number);

test.each(seeds)('history %i', async (seed) => {
  const history = new History(seed);
  setTimeAndChance(history.time);
  try {
    await history.run();
  } finally {
    history.time.end();
  }
  expect(history.given).toBeGreaterThan(0);
});
