import { ChangeReader, type PullOptions } from './change-reader.ts';
import { ChangeWriter, type LocalChange, type PushResult, type RenewId } from './change-writer.ts';
import type { Collection } from './collection.ts';
import { unlessAborted } from './connection.ts';
import { type ChangesPage, queryString, type ResourceTypes } from './query.ts';
import { type LiveSchedule, retrying, type SyncOptions, syncPages } from './sync.ts';
import type { Versioned } from './versions.ts';

export interface ReplicationOptions<
  Types extends ResourceTypes,
  Field extends keyof Types['entity'] & string = keyof Types['entity'] & string,
> {
  /** The fields of the copy besides `id`. Without \`description\`, there are fewer requests, and they cost less. Default: all. */
  readonly fields?: readonly Field[] | undefined;
  /** Is called with each change that the service has not applied: somebody else was faster, or it will never accept the change. */
  readonly onRefused?: ((result: PushResult<Types>) => void) | undefined;
}

export interface PushOptions {
  /**
   * Is called with each error after which the changes are sent again, for example offline, until the service accepts or refuses them. Without it,
   * such an error ends the push.
   */
  readonly onRetry?: ((error: unknown) => void) | undefined;
  /**
   * Is called before an entity is sent with another id, because the clock of the device was more than 60 s ahead when its id was made: stores this in the
   * copy. Without it, the creation is refused.
   */
  readonly renewId?: RenewId | undefined;
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
export class Replication<
  Types extends ResourceTypes,
  Field extends keyof Types['entity'] & string = keyof Types['entity'] & string,
> {
  /** The filters and fields as a text, for what is stored beside the copy. */
  readonly query: string;
  readonly #options: ReplicationOptions<Types, Field>;
  readonly #collection: Collection<Types>;
  readonly #schedules = new Set<LiveSchedule>();
  readonly #reader: ChangeReader<Types>;
  readonly #writer: ChangeWriter<Types>;
  #lastPush: Promise<unknown> = Promise.resolve();
  /** How often `push` has been called. */
  #pushes = 0;
  /** Is shared by the pushes that have been called since the last failure: when one of them fails, those that wait for it fail as well. */
  #failure: { error?: unknown } = {};

  /**
   * @param collection of the client, for example `client.tasks`.
   * @param filters of the list. Without them, the copy has all entities.
   * @throws TypeError for filters that cannot be sent.
   */
  constructor(
    collection: Collection<Types>,
    filters: Types['filters'] = {},
    options: ReplicationOptions<Types, Field> = {},
  ) {
    // Filters that cannot be sent are an error of the caller, which no repetition changes.
    queryString(filters);
    const { fields } = options;
    this.query = [filters, fields].map((one) => JSON.stringify(one)).join('');
    this.#options = options;
    this.#collection = collection;
    this.#reader = new ChangeReader(collection, { ...filters, fields });
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
      await unlessAborted(this.#lastPush, options.signal);
      const page = await this.#reader.read(since, options);
      // A library drops what a page has of an entity that it is sending. So a page that was read during a push is read again.
      if (pushes !== this.#pushes) continue;
      if (!page.hasMore) this.reach(page.position);
      return this.#writer.pageOfCopy(since, page);
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
  push(
    changes: readonly LocalChange<Types>[],
    { onRetry, renewId }: PushOptions = {},
  ): Promise<readonly PushResult<Types>[]> {
    this.#pushes += 1;
    const failure = this.#failure;
    const pushed = this.#lastPush.then(async () => {
      if (failure.error !== undefined) throw failure.error;
      try {
        const send = () => this.#pushAll(changes, renewId);
        return await (onRetry ? retrying(send, onRetry) : send());
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
   * Iterates over the pages that `pull` returns, as `sync` of a collection does. With `ids`, a cursor that is too old begins no new copy.
   * @example
   * for await (const { data, removed, cursor } of replication.sync({ since, signal, ids })) await store({ data, removed, cursor });
   */
  sync({ ids, ...options }: SyncOptions & PullOptions = {}) {
    return syncPages((since) => this.pull(since, { ids, signal: options.signal }), options, this.#collection);
  }

  /**
   * Iterates over the moments at which a library has to `pull`: at once, and then as `sync` with the option `live`.
   * @example
   * for await (const _ of replication.watch({ signal })) await syncTable(replication, database, 'tasks').catch(show);
   */
  async *watch(options: Omit<SyncOptions, 'since' | 'live'> = {}): AsyncGenerator<void, void, undefined> {
    const schedule = this.#collection.schedule({ ...options, live: true });
    this.#schedules.add(schedule);
    try {
      for (; !options.signal?.aborted; await schedule.wait()) {
        schedule.begin();
        yield;
      }
    } finally {
      this.#schedules.delete(schedule);
      schedule.stop();
    }
  }

  /** Tells `watch` that the copy is complete up to a position, which another window has read. */
  reach(position: number): void {
    for (const schedule of this.#schedules) schedule.reach(position);
  }

  async #pushAll(
    changes: readonly LocalChange<Types>[],
    renewId: RenewId | undefined,
  ): Promise<readonly PushResult<Types>[]> {
    const ids = changes.map(({ before, after }) => before?.id ?? after?.id);
    const repeated = ids.find((id, position) => ids.indexOf(id) < position);
    if (repeated)
      throw new TypeError(`There are two changes of the entity ${repeated}. Push them one after the other.`);
    const byChange = new Map<LocalChange<Types>, PushResult<Types>>();
    for (const change of parentsFirst(changes)) {
      const result = await this.#writer.write(change, renewId);
      const current = result.current && this.#shown(result.current);
      byChange.set(change, { ...result, current });
      if (result.error) this.#options.onRefused?.({ ...result, current });
    }
    return changes.flatMap((change) => byChange.get(change) ?? []);
  }

  /** Returns an entity with the fields of the copy. */
  #shown<Entity extends object>(entity: Entity): Entity {
    const { fields = Object.keys(entity) } = this.#options;
    const shown = Object.entries(entity).filter(([name]) => ['id', 'version', ...fields].includes(name));
    return Object.fromEntries(shown) as Entity;
  }
}
