import type { Collection } from './collection.ts';
import { pause, type RequestOptions } from './connection.ts';
import { isProblem } from './problems.ts';
import type { ChangesPage, ResourceTypes } from './query.ts';
import type { Target, Versioned } from './versions.ts';

/** A change of one entity in the copy: a creation has no state before it, and a deletion none after it. */
export interface ReplicaChange<Types extends ResourceTypes> {
  /**
   * The entity before the change. Its `version` is what the write requires; without one, a deletion is unconditional. Fields that it does not
   * have are taken as changed.
   */
  readonly before?:
    | (Partial<Types['entity']> & { readonly id: string; readonly version?: string | undefined })
    | undefined;
  /** The entity after the change. A creation needs the `id`, for example from `newId`. */
  readonly after?: (Types['changes'] & { readonly id: string }) | undefined;
}

/** A change that the service has not applied, because the entity is not as it was before the change. */
export interface ReplicaConflict<Types extends ResourceTypes> extends ReplicaChange<Types> {
  readonly id: string;
  /** The entity of the service; `undefined` if it is deleted or does not match the filters any more. */
  readonly current: Versioned<Types['entity']> | undefined;
  /** Whether `current` has all that the change wanted: mostly because an earlier call made it, whose response was lost. */
  readonly isDone: boolean;
}

export interface FollowOptions {
  /** The cursor of the last page that the copy has. Without it, the copy begins with all entities. */
  readonly since?: string | undefined;
  /** Milliseconds between two reads while nothing changes. Default: 5,000. */
  readonly interval?: number | undefined;
  /** Is called when a read or `apply` fails, for example offline. It is repeated after the interval. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A page that `follow` gives. */
export interface ReplicaPage<Entity> extends ChangesPage<Entity> {
  /** Whether the copy has to be emptied first: a copy begins, or begins again because its cursor was too old. */
  readonly isFirst: boolean;
}

/** Fields of a copy that no write sends. */
const unsentFields = new Set(['id', 'version', 'createdAt', 'updatedAt']);

/** Returns the fields that differ, as they are after the change. */
function changedFields(before: object, after: object): object {
  const earlier = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) =>
        value !== undefined &&
        !unsentFields.has(field) &&
        JSON.stringify(value) !== JSON.stringify(earlier.get(field)),
    ),
  );
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/**
 * The copy of a list in a database of the app: reads what changes, and sends what the app changes. Reads and writes wait for each other, in the
 * order of the calls, so a page is never older than a write before it.
 * @example
 * const replica = new Replica(client.tasks, { projectId });
 */
export class Replica<Types extends ResourceTypes> {
  readonly #collection: Collection<Types>;
  readonly #filters: Types['filters'];
  /** The end of the last call. */
  #last: Promise<unknown> = Promise.resolve();
  /** The version that a write has made, by the version before; by the id for a creation. The copy may not have read it yet. */
  readonly #successors = new Map<string, string>();
  /** Where the empty pages after a cursor end. A library that stores no cursor of an empty page asks with the one before it again. */
  #behind: { readonly since?: string | undefined; readonly cursor?: string } = {};
  readonly #followers = new Set<() => Promise<void>>();

  /**
   * @param collection of the client, for example `client.tasks`.
   * @param filters of the list. Without them, the copy has all entities.
   */
  constructor(collection: Collection<Types>, filters: Types['filters'] = {}) {
    this.#collection = collection;
    this.#filters = filters;
  }

  /**
   * Reads the next page of changes. It is empty only if there are no more.
   * @param since the `cursor` of the last page that the copy has. Without it, the pages begin with all entities.
   * @throws ProblemError `cursor-expired` if the cursor is too old: empty the copy and begin again without it.
   * @example
   * const { data, removed, cursor, hasMore } = await replica.changes(since);
   */
  changes(
    since: string | undefined,
    options?: RequestOptions,
  ): Promise<ChangesPage<Versioned<Types['entity']>>> {
    return this.#afterOthers(async () => {
      let cursor = since === this.#behind.since ? this.#behind.cursor : since;
      this.#behind = {};
      for (;;) {
        const page = await this.#collection.changes({ ...this.#filters, since: cursor }, options);
        if (page.data.length > 0 || page.removed.length > 0) return page;
        ({ cursor } = page);
        if (page.hasMore) continue;
        this.#behind = { since, cursor };
        return page;
      }
    });
  }

  /**
   * Sends changes of the copy, one after the other. After an error, send them again: none is applied twice. A deletion of what is deleted
   * is no conflict.
   * @returns the changes that the service has not applied. A copy that has dropped pages meanwhile takes their `current`.
   * @throws ProblemError or ConnectionError of the first change that fails for another reason. Those before it are applied.
   * @example
   * const conflicts = await replica.write([{ before: task, after: { ...task, name: 'New' } }, { before: other }]);
   */
  write(changes: readonly ReplicaChange<Types>[]): Promise<readonly ReplicaConflict<Types>[]> {
    return this.#afterOthers(async () => {
      const conflicts: ReplicaConflict<Types>[] = [];
      for (const change of changes) conflicts.push(...(await this.#send(change)));
      return conflicts;
    });
  }

  /**
   * Reads changes now and then at an interval, until it is stopped. Begins again when the cursor is too old.
   * @param apply puts a page into the copy, and stores its cursor. The next page is read after it.
   * @returns the function that stops it.
   * @example
   * const stop = replica.follow(({ data, removed, isFirst }) => show(data, removed, isFirst));
   */
  follow(
    apply: (page: ReplicaPage<Versioned<Types['entity']>>) => void | Promise<void>,
    { since, interval = 5_000, onError }: FollowOptions = {},
  ): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    let cursor = since;
    const readAll = async (): Promise<void> => {
      for (let hasMore = true; hasMore && !signal.aborted; ) {
        const page = await this.changes(cursor, { signal });
        if (signal.aborted) return;
        await apply({ ...page, isFirst: cursor === undefined });
        ({ cursor, hasMore } = page);
      }
    };
    const read = async (): Promise<void> => {
      try {
        await readAll().catch((error: unknown) => {
          if (!isProblem(error, 'cursor-expired')) throw error;
          cursor = undefined;
          return readAll();
        });
      } catch (error) {
        if (!signal.aborted) onError?.(error);
      }
    };
    let last = Promise.resolve();
    const follower = (): Promise<void> => {
      last = last.then(read);
      return last;
    };
    const poll = async (): Promise<void> => {
      while (!signal.aborted) {
        await follower();
        // The signal ends the pause with an error.
        await pause(interval, signal).catch(() => undefined);
      }
    };
    this.#followers.add(follower);
    void poll();
    return () => {
      this.#followers.delete(follower);
      stop.abort();
    };
  }

  /** Reads changes at once. Resolves when `follow` has applied them, or has failed. Must not be awaited by `apply`. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#followers].map((read) => read()));
  }

  #afterOthers<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Sends a change. Returns the conflict, if there is one. */
  async #send(change: ReplicaChange<Types>): Promise<readonly ReplicaConflict<Types>[]> {
    const { before, after } = change;
    const id = before?.id ?? after?.id ?? '';
    const wanted = after && changedFields(before ?? {}, after);
    try {
      if (await this.#isApplied(id, before, wanted)) return [];
    } catch (error) {
      if (!isProblem(error, 'version-mismatch') && !isProblem(error, 'not-found')) throw error;
    }
    const [current] = (await this.#collection.list({ ...this.#filters, id })).data;
    const isDone = current !== undefined && wanted !== undefined && isEmpty(changedFields(current, wanted));
    if (isDone && !before) this.#successors.set(id, current.version);
    return [{ ...change, id, current, isDone }];
  }

  /**
   * Sends what a change needs. Returns false, without a request, for an update of an entity whose version is unknown, and for one that
   * changes nothing: the copy may have dropped a page because of it.
   * @throws ProblemError `version-mismatch` or `not-found` if somebody else was faster.
   */
  async #isApplied(
    id: string,
    before: ReplicaChange<Types>['before'],
    wanted: object | undefined,
  ): Promise<boolean> {
    if (!before) {
      if (wanted) this.#successors.set(id, (await this.#collection.create({ ...wanted, id })).version);
      return true;
    }
    const version = this.#latest(before);
    if (!wanted) return this.#delete(version === undefined ? id : { id, version });
    if (version === undefined || isEmpty(wanted)) return false;
    const updated = await this.#collection.update({ id, version }, wanted);
    // The service makes no version for values that it has already.
    if (updated.version !== version) this.#successors.set(version, updated.version);
    return true;
  }

  async #delete(target: Target<Types['entity']>): Promise<true> {
    try {
      await this.#collection.delete(target);
    } catch (error) {
      if (!isProblem(error, 'not-found')) throw error;
    }
    return true;
  }

  /** Returns the version that a write must require: the copy may not have read the result of the write before it. */
  #latest({ id, version }: ReplicaChange<Types>['before'] & object): string | undefined {
    let latest = version ?? this.#successors.get(id);
    for (let next = latest; next; next = this.#successors.get(next)) latest = next;
    return latest;
  }
}
