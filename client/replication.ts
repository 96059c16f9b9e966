import { ChangeReader, type PullOptions } from './change-reader.ts';
import { ChangeWriter, type LocalChange, type PushResult } from './change-writer.ts';
import type { Collection } from './collection.ts';
import { pause } from './connection.ts';
import type { ChangesPage, ResourceTypes } from './query.ts';
import type { Versioned } from './versions.ts';

export interface FollowOptions extends Omit<PullOptions, 'signal'> {
  /** The cursor of the last page that the copy has. Without it, the copy begins with all entities. */
  readonly since?: string | undefined;
}

export interface ReplicationOptions<Types extends ResourceTypes> {
  /** Is called with each change that the service has not applied: somebody else was faster, or it will never accept the change. */
  readonly onRefused?: ((result: PushResult<Types>) => void) | undefined;
  /** Is called when `follow` cannot read or apply a page, for example offline. The page is read again after the interval. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Milliseconds between two reads of `follow` while nothing changes. Default: 5,000. */
  readonly interval?: number | undefined;
}

/** Returns changes so that each comes after the creations that it refers to: a sub-task after its parent. Ends also if they refer to each other. */
function parentsFirst<Types extends ResourceTypes>(changes: readonly LocalChange<Types>[]) {
  const created = new Map(
    changes.flatMap((change) =>
      change.after && !change.before?.version ? [[change.after.id as unknown, change]] : [],
    ),
  );
  const seen = new Set<LocalChange<Types>>();
  const ordered: LocalChange<Types>[] = [];
  const add = (change: LocalChange<Types> | undefined): void => {
    if (!change || seen.has(change)) return;
    seen.add(change);
    for (const value of Object.values(change.after ?? {}).flat()) add(created.get(value));
    ordered.push(change);
  };
  for (const change of changes) add(change);
  return ordered;
}

/**
 * Keeps one copy of a list in a database of the app equal to the list. `pull` reads what has changed, and `push` sends what the app has
 * changed in the copy.
 * @example
 * const replication = new Replication(client.tasks, { projectId });
 */
export class Replication<Types extends ResourceTypes> {
  readonly filters: Types['filters'];
  readonly #options: ReplicationOptions<Types>;
  readonly #reader: ChangeReader<Types>;
  readonly #writer: ChangeWriter<Types>;
  #lastPush: Promise<unknown> = Promise.resolve();
  /** How often `push` has been called. */
  #pushes = 0;
  /** Is shared by the pushes that have been called since the last failure: when one of them fails, those that wait for it fail as well. */
  #failure: { error?: unknown } = {};
  /** Give the results of a push to the copies that follow. */
  readonly #followers = new Set<
    (data: readonly Versioned<Types['entity']>[], removed: readonly string[]) => unknown
  >();

  /**
   * @param collection of the client, for example `client.tasks`.
   * @param filters of the list. Without them, the copy has all entities.
   */
  constructor(
    collection: Collection<Types>,
    filters: Types['filters'] = {},
    options: ReplicationOptions<Types> = {},
  ) {
    this.filters = filters;
    this.#options = options;
    this.#reader = new ChangeReader(collection, filters);
    this.#writer = new ChangeWriter(collection, filters);
  }

  /**
   * Reads the next page of changes, which is not older than any push before it. It is empty only if there are no more.
   * @param since the `cursor` of the last page that the copy has stored, which only `pull` understands. Without it, the pages begin with all entities.
   * @throws ProblemError `cursor-expired` if the cursor is too old and there is no option `ids`.
   * @example
   * const { data, removed, cursor, hasMore } = await replication.pull(since);
   */
  async pull(
    since: string | undefined,
    options: PullOptions = {},
  ): Promise<ChangesPage<Versioned<Types['entity']>>> {
    for (;;) {
      const pushes = this.#pushes;
      await this.#lastPush;
      const page = await this.#reader.read(since, options);
      // A library drops what a page has of an entity that it is sending. So a page that was read during a push is read again.
      if (pushes === this.#pushes) return this.#writer.pageOfCopy(since, page);
    }
  }

  /**
   * Sends changes of the copy, one after the other, entities before those that refer to them. A change of fields that nobody else has changed is applied, whatever else has changed. After an
   * error, also send the same changes again before later ones of these entities: none is applied twice. Pushes that wait for one that fails
   * fail as well.
   * @param changes at most one of each entity.
   * @returns what became of each change, in the same order.
   * @throws ProblemError or ConnectionError of a change that can be sent later, for example without a response, a valid token or a scope that the
   * gateway demands. Those before it are applied.
   * @throws TypeError for two changes of one entity, or for a creation with a version: the copy has entities of another list, or the app has copied
   * one with its version.
   * @example
   * const results = await replication.push([{ before: task, after: { ...task, name: 'New' } }, { before: other }]);
   */
  push(changes: readonly LocalChange<Types>[]): Promise<readonly PushResult<Types>[]> {
    this.#pushes += 1;
    const failure = this.#failure;
    const pushed = this.#lastPush.then(async () => {
      if (failure.error !== undefined) throw failure.error;
      try {
        return await this.#pushAll(changes);
      } catch (error) {
        failure.error = error;
        this.#failure = {};
        throw error;
      }
    });
    this.#lastPush = pushed.catch(() => undefined);
    return pushed;
  }

  /**
   * Pulls at an interval, until it is stopped.
   * @param apply puts a page into the copy, and stores its cursor. The next page is read after it. It also gets the results of a push before the
   * push ends, with the cursor of the last page.
   * @returns the function that stops it.
   * @example
   * const stop = replication.follow(({ data, removed, cursor }) => store(data, removed, cursor), { since });
   */
  follow(
    apply: (page: ChangesPage<Versioned<Types['entity']>>) => void | Promise<void>,
    { since, ids }: FollowOptions = {},
  ): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    const { interval = 5_000, onError } = this.#options;
    let cursor = since;
    let hasMore = true;
    const give = async (
      data: ChangesPage<Versioned<Types['entity']>>['data'],
      removed: readonly string[],
    ) => {
      // Without a page, the first one brings them.
      if (cursor === undefined) return;
      try {
        await apply({ data, removed, cursor, hasMore });
      } catch (error) {
        onError?.(error);
      }
    };
    const pullAll = async (): Promise<void> => {
      for (hasMore = true; hasMore; ) {
        const page = await this.pull(cursor, { ids, signal });
        if (signal.aborted) return;
        await apply(page);
        ({ cursor, hasMore } = page);
      }
    };
    const poll = async (): Promise<void> => {
      while (!signal.aborted) {
        await pullAll().catch((error: unknown) => {
          if (!signal.aborted) onError?.(error);
        });
        // The signal ends the pause with an error.
        await pause(interval, signal).catch(() => undefined);
      }
    };
    this.#followers.add(give);
    void poll();
    return () => {
      this.#followers.delete(give);
      stop.abort();
    };
  }

  async #pushAll(changes: readonly LocalChange<Types>[]): Promise<readonly PushResult<Types>[]> {
    const ids = changes.map(({ before, after }) => before?.id ?? after?.id);
    const repeated = ids.find((id, position) => ids.indexOf(id) < position);
    if (repeated)
      throw new TypeError(`There are two changes of the entity ${repeated}. Push them one after the other.`);
    const byChange = new Map<LocalChange<Types>, PushResult<Types>>();
    for (const change of parentsFirst(changes)) {
      const result = await this.#writer.write(change);
      byChange.set(change, result);
      if (result.error) this.#options.onRefused?.(result);
    }
    const results = changes.flatMap((change) => byChange.get(change) ?? []);
    const data = results.flatMap(({ current }) => current ?? []);
    const removed = results.flatMap(({ id, current }) => (current ? [] : id));
    for (const give of this.#followers) await give(data, removed);
    return results;
  }
}
