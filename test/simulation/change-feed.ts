/**
 * A random history of a log whose writers have wrong clocks and commit late, with callers of the change feed. It runs in virtual time, on a database in
 * memory whose queries take time. No caller may ever get an earlier version than before, and at the end each copy must be the list.
 */
import type { Database } from '#functions/store/dynamodb/database.ts';
import type { Query, QueryPage, Values } from '#functions/store/dynamodb/query.ts';
import {
  type ChangesCursor,
  decodeCursor,
  encodeCursor,
  logCursor,
} from '#functions/store/lists/changes/cursor.ts';
import { type ChangesPage, generationOf, listChanges } from '#functions/store/lists/changes/list-changes.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { queryHash } from '#functions/store/lists/query-hash.ts';
import { recordWrites, transactionStamp } from '#functions/store/model/change-log.ts';
import {
  buildCreate,
  buildDeletion,
  buildRestore,
  buildUpdate,
  type Change,
} from '#functions/store/model/changes.ts';
import { newDeletion } from '#functions/store/model/deletion.ts';
import type { DeletedEntity, WholeEntity } from '#functions/store/model/entity.ts';
import { encodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { marginMs, maxClockErrorMs, maxCommitMs } from '#functions/store/model/log-timing.ts';
import type { Item, Key } from '#functions/store/model/writes.ts';
import { isValue, listQuery } from '../support/list-queries.ts';
import { plainList } from '../support/plain-list.ts';
import type { Random } from './random.ts';

const tenant = 'a';
const kind = 'task';
const tableName = 'simulated';
const statuses = ['active', 'done', 'planned'];

interface Pending {
  readonly commitAt: number;
  readonly changes: readonly Change[];
  readonly stamp: number;
}

/** A log and the entities of one kind, in memory. */
export class FeedHistory {
  readonly #random: Random;
  readonly #entities = new Map<string, WholeEntity & { readonly stamp: number }>();
  readonly #deleted = new Map<string, DeletedEntity>();
  readonly #busy = new Set<string>();
  #records: Item[] = [];
  #pending: Pending[] = [];
  now = 1_770_000_000_000;
  /** The longest cursor. */
  longestCursor = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get entities(): readonly WholeEntity[] {
    return [...this.#entities.values()];
  }

  /** The versions of all entities, also of those that are deleted. */
  get versions(): ReadonlyMap<string, number> {
    const all = [...this.#entities.values(), ...this.#deleted.values()];
    return new Map(all.map(({ entity, version }) => [entity.id, version]));
  }

  skew(): number {
    return this.#random.below(2 * maxClockErrorMs) - maxClockErrorMs;
  }

  /** Lets time pass, and commits what is due. */
  pass(ms: number): void {
    this.now += ms;
    const due = this.#pending.filter(({ commitAt }) => commitAt <= this.now);
    this.#pending = this.#pending.filter(({ commitAt }) => commitAt > this.now);
    for (const { changes, stamp } of due.sort((one, other) => one.commitAt - other.commitAt)) {
      for (const { put } of recordWrites(tenant, changes, stamp)) this.#records.push(put);
      for (const { before, after } of changes) {
        const { id } = (after ?? before)?.entity ?? { id: '' };
        this.#busy.delete(id);
        this.#entities.delete(id);
        this.#deleted.delete(id);
        if (after?.deletion) this.#deleted.set(id, { ...after, stamp });
        else if (after) this.#entities.set(id, { ...(after as WholeEntity), stamp });
      }
    }
    this.#records.sort((one, other) => (one.sk < other.sk ? -1 : 1));
  }

  #restore(): Change | undefined {
    const free = [...this.#deleted.values()].filter(({ entity }) => !this.#busy.has(entity.id));
    const before = free.length > 0 ? this.#random.pick(free) : undefined;
    if (before) this.#busy.add(before.entity.id);
    return before && buildRestore(before, {}, this.now);
  }

  #change(): Change | undefined {
    const random = this.#random;
    const restore = random.chance(0.1) ? this.#restore() : undefined;
    if (restore) return restore;
    const free = [...this.#entities.values()].filter(({ entity }) => !this.#busy.has(entity.id));
    const before = free.length > 0 ? random.pick(free) : undefined;
    const status = random.pick(statuses);
    if (!before || random.chance(0.2)) {
      return buildCreate(
        kind,
        { name: `n${random.below(100)}`, status, description: '', tagIds: [] },
        this.now,
      );
    }
    this.#busy.add(before.entity.id);
    if (random.chance(0.15)) return buildDeletion(before, newDeletion(before, undefined, this.now));
    return buildUpdate(before, { ...before.entity, status, name: `n${random.below(100)}` }, this.now);
  }

  /** Begins a transaction of one or more changes. It commits later, or at once. */
  write(): void {
    const count = this.#random.chance(0.2) ? 1 + this.#random.below(8) : 1;
    const changes = Array.from({ length: count }, () => this.#change()).filter((one) => one !== undefined);
    const stamp = transactionStamp(changes, this.now + this.skew());
    const delay = this.#random.chance(0.5) ? this.#random.below(50) : this.#random.below(maxCommitMs);
    this.#pending.push({ commitAt: this.now + delay, changes, stamp });
  }

  /** A query of one moment. Some time passes after it. */
  #query({ ExpressionAttributeValues, Limit = 1_000 }: Query, start?: Values): QueryPage {
    const { ':first': first, ':last': last } = ExpressionAttributeValues as Record<string, string>;
    const after = (start?.['sk'] as string | undefined) ?? '';
    const inRange = this.#records.filter(({ sk }) => sk >= (first ?? '') && sk <= (last ?? '') && sk > after);
    const items = inRange.slice(0, Limit);
    const next = inRange.length > Limit ? { sk: items.at(-1)?.sk } : undefined;
    this.pass(this.#random.below(20));
    return { items, next };
  }

  #items(keys: readonly Key[]): Item[] {
    const wanted = new Set(keys.map(({ pk, sk }) => `${pk} ${sk}`));
    // To encode an entity takes long, and few are wanted.
    return [...this.#entities.values()]
      .filter(({ entity }) => {
        const { pk, sk } = entityKey(tenant, kind, entity.id);
        return wanted.has(`${pk} ${sk}`);
      })
      .map((stored) => encodeEntity(tenant, stored, stored.stamp));
  }

  database(): Database {
    const consumption = { readUnits: 0 };
    return {
      tableName,
      consumption,
      query: async (query: Query, start?: Values) => {
        const page = this.#query(query, start);
        // Small pages cost as much as large ones of a service.
        consumption.readUnits += Math.max(1, page.items.length / 2);
        return page;
      },
      getMany: async (keys: readonly Key[]) => this.#items(keys),
    } as unknown as Database;
  }
}

/** A caller that keeps a copy of a list. */
export class Follower {
  readonly #history: FeedHistory;
  readonly #query: ListQuery;
  readonly #skew: number;
  readonly #copy = new Map<string, string>();
  readonly #versions = new Map<string, number>();
  #cursor: ChangesCursor;
  /** What was committed before the last request. */
  #committed: ReadonlyMap<string, number> = new Map();

  /** Begins with the list of a moment that comes while others write. */
  constructor(history: FeedHistory, random: Random, passTime: () => void) {
    this.#history = history;
    this.#skew = history.skew();
    const filters = random.chance(0.6) ? [isValue('status', random.pick(statuses))] : [];
    this.#query = listQuery({ filters, limit: 1 + random.below(12) });
    const from = history.now + this.#skew - marginMs;
    const ids = history.entities.map(({ entity }) => entity.id).sort();
    for (const id of ids) {
      const stored = history.entities.find(({ entity }) => entity.id === id);
      if (stored && this.#matches(stored)) this.#take(stored.entity.id, stored.entity.name, stored.version);
      if (random.chance(0.3)) passTime();
    }
    const generation = generationOf({ tableName }, emptyManifest);
    this.#cursor = logCursor({ from, generation, isAhead: true });
  }

  #matches({ entity }: WholeEntity): boolean {
    return plainList([entity], { ...this.#query, limit: 1 }).total === 1;
  }

  #take(id: string, name: string, version: number): void {
    const known = this.#versions.get(id) ?? 0;
    if (version < known) throw new Error(`${id} went back from version ${known} to ${version}`);
    this.#versions.set(id, version);
    this.#copy.set(id, name);
  }

  /** Reads a page. @param lossRate how often its response is lost. */
  async poll(random: Random, lossRate = 0.1): Promise<ChangesPage> {
    const database = this.#history.database();
    this.#committed = this.#history.versions;
    const nowMs = this.#history.now + this.#skew;
    const page = await listChanges({ tenant, database }, kind, this.#query, this.#cursor, nowMs);
    if (random.chance(lossRate)) return page;
    for (const [position, { id, name }] of page.entities.entries()) {
      this.#take(id, name, page.versions[position] ?? 0);
    }
    for (const id of page.removed) this.#copy.delete(id);
    const hash = queryHash(kind, this.#query.filters, 'all');
    const text = encodeCursor(hash, page.cursor);
    this.#history.longestCursor = Math.max(this.#history.longestCursor, text.length);
    this.#cursor = decodeCursor(hash, text);
    if (!page.hasMore) this.#requireCommitted();
    return page;
  }

  /** @throws Error when the copy lacks a write that was committed before the last request, or has what it removed. */
  #requireCommitted(): void {
    const now = this.#history.versions;
    const matching = this.#history.entities.filter((stored) => this.#matches(stored));
    const listed = new Set(matching.map(({ entity }) => entity.id));
    for (const [id, version] of this.#committed) {
      if (now.get(id) === version && listed.has(id) !== this.#copy.has(id))
        throw new Error(`version ${version} of ${id} is not in the response`);
    }
  }

  /** @throws Error when the copy is not the list. */
  check(): void {
    const matching = this.#history.entities.filter((stored) => this.#matches(stored));
    const expected = matching.map(({ entity: { id, name } }) => `${id} ${name}`).sort();
    const actual = [...this.#copy].map(([id, name]) => `${id} ${name}`).sort();
    if (expected.join() !== actual.join()) {
      const missing = expected.filter((one) => !actual.includes(one));
      const tooMany = actual.filter((one) => !expected.includes(one));
      throw new Error(`the copy lacks ${missing} and has ${tooMany}`);
    }
  }
}
