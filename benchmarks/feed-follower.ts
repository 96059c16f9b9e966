/** A caller of the change feed of tasks, which keeps a copy, and checks what the feed promises. */
import { setTimeout as delay } from 'node:timers/promises';
import { encodeCursor } from '../functions/engine/feed/cursor.ts';
import { type ChangesPage, listChanges } from '../functions/engine/feed/list-changes.ts';
import { maxRequestUnits } from '../functions/engine/feed/read-log.ts';
import { listEntities } from '../functions/engine/lists/list-entities.ts';
import { readChangesQuery, readListQuery } from '../functions/http/parse-list-query.ts';
import { task } from '../functions/tasks/resource.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { tenant } from './task-collection.ts';

export class FeedFollower {
  readonly #store: TestStore;
  readonly #query: string;
  #cursor: string | undefined;
  /** The version of each task of the copy. */
  readonly #copy = new Map<string, number>();
  /** The highest version of each task that came. */
  #isComplete = false;
  readonly #versions = new Map<string, number>();
  /** Read units of each request of the log since `catchUp`. */
  units: number[] = [];
  /** Characters of the longest cursor since then. */
  longestCursor = 0;

  /** @param query filters and `fields`, for example `status=planned`. */
  constructor(store: TestStore, query: string) {
    this.#store = store;
    this.#query = query;
  }

  /**
   * Reads a page and applies it. Returns whether more follow.
   * @throws Error when an entity goes back, or the request costs too much.
   */
  async poll(): Promise<boolean> {
    const session = this.#store.session(tenant);
    const { database } = session;
    const since = this.#cursor === undefined ? '' : `&since=${this.#cursor}`;
    const { query, since: cursor, cursorHash } = readChangesQuery(task, this.#query + since);
    const page = await listChanges(session, 'task', query, cursor);
    const units = database.consumption.readUnits;
    // A page of the walk costs what a page of the list costs.
    if (cursor && cursor.lastId === undefined) {
      this.units.push(units);
      if (units > maxRequestUnits)
        throw new Error(`A request costs ${units} read units, for ${page.entities.length} tasks.`);
    }
    this.#apply(page);
    this.#isComplete ||= !page.hasMore;
    this.#cursor = encodeCursor(cursorHash, page.cursor);
    this.longestCursor = Math.max(this.longestCursor, this.#cursor.length);
    return page.hasMore;
  }

  #apply({ entities, versions, removed }: ChangesPage): void {
    for (const [place, { id }] of entities.entries()) {
      const version = versions[place] ?? 0;
      const known = this.#versions.get(id) ?? 0;
      // Until the copy is complete, an entity can come in an earlier version than a page of the walk had.
      if (version < known && this.#isComplete)
        throw new Error(`${id} went back from version ${known} to ${version}.`);
      this.#versions.set(id, version);
      this.#copy.set(id, version);
    }
    for (const id of removed) this.#copy.delete(id);
  }

  /** Reads all that is left. Returns the read units. */
  async follow(): Promise<number> {
    const before = this.units.length;
    while (await this.poll());
    return this.units.slice(before).reduce((sum, units) => sum + units, 0);
  }

  /** Reads all changes so far, and forgets what it has measured. */
  async catchUp(): Promise<void> {
    await this.follow();
    this.units = [];
    this.longestCursor = 0;
  }

  /** Polls until a time, once at least. @param intervalMs between two polls while there is no more. */
  async followUntil(endMs: number, intervalMs: number): Promise<void> {
    do {
      if (!(await this.poll())) await delay(intervalMs);
    } while (Date.now() < endMs);
  }

  /**
   * Reads what is left, and compares the copy with the list.
   * @returns the number of tasks in both.
   * @throws Error when they differ.
   */
  async check(): Promise<number> {
    await this.follow();
    const { query } = readListQuery(task, `${this.#query}&sortBy=id&limit=100&after=`);
    const listed = new Map<string, number>();
    for (let after = query.after; after !== undefined; ) {
      const session = this.#store.session(tenant);
      const { entities, versions, end } = await listEntities(session, 'task', { ...query, after });
      for (const [place, { id }] of entities.entries()) listed.set(id, versions[place] ?? 0);
      after = end;
    }
    const differs = ([id, version]: readonly [string, number]) => this.#copy.get(id) !== version;
    if (listed.size !== this.#copy.size || [...listed].some(differs)) {
      throw new Error(
        `The copy of "${this.#query}" has ${this.#copy.size} tasks, and the list ${listed.size}.`,
      );
    }
    return listed.size;
  }
}
