import type { Message, RequestOptions } from './connection.ts';
import { segmentOf } from './encoding.ts';
import { differences, isEmpty, isStoredAs, sentFields } from './fields.ts';
import { cursorOf, withClock } from './ids.ts';
import { Listing } from './listing.ts';
import { isProblem } from './problems.ts';
import {
  type ChangesPage,
  type ChangesQuery,
  type Counted,
  type Deleted,
  type DeletedQuery,
  type HistoryPage,
  type Item,
  type Page,
  queryString,
  type ResourceTypes,
  type Summed,
} from './query.ts';
import { LiveSchedule, type SyncOptions, type SyncPage, syncPages } from './sync.ts';
import { etagOf, type Target, type Versioned, withVersion } from './versions.ts';

/**
 * One operation of a batch. With `ifMatch`, for example from `etagOf`, it requires this version of the entity. With `id`, for example from
 * `newId`, a creation gives the entity this id.
 */
export type BatchOperation<New, Changes> =
  | { readonly operation: 'create'; readonly id?: string | undefined; readonly body: New }
  | {
      readonly operation: 'update';
      readonly id: string;
      readonly ifMatch?: string | undefined;
      readonly body: Changes;
    }
  | { readonly operation: 'delete'; readonly id: string; readonly ifMatch?: string | undefined };

/** The result of an operation: the entity, or `undefined` after a deletion. */
type BatchResult<Entity, Operation> = Operation extends { readonly operation: 'delete' }
  ? undefined
  : Versioned<Entity>;

/** The results of a batch in the order of its operations. */
export type BatchResults<Entity, Operations extends readonly unknown[]> = {
  readonly [Position in keyof Operations]: BatchResult<Entity, Operations[Position]>;
};

export interface CreateOptions extends RequestOptions {
  /**
   * All requests with the same key are executed once within 24 hours, also from different processes. 1 to 255 visible ASCII
   * characters. Default: a random key for each call, which all attempts of the call share.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface ExpandOptions<Expand> extends RequestOptions {
  /** Adds the entities that references name. A token needs the read scope of each. */
  readonly expand: readonly Expand[];
}

export interface HistoryOptions extends RequestOptions {
  /** The `cursor` of the page before. Without it, the history begins with the newest change. */
  readonly after?: string | undefined;
  /** Changes per page, at most 100. Default: 20. A page can have fewer, although more follow. */
  readonly limit?: number | undefined;
}

const maxChangeAttempts = 10;

/** Operations of one batch, which is one transaction. */
const maxOperations = 25;

/** Some operations of `batchInSeveralTransactions` are applied, and the others are not. `cause` is the error of the first transaction that failed. */
export class IncompleteBatchError<Entity> extends Error {
  /** The results of the operations that are applied: the first ones, in order. */
  readonly results: readonly (Versioned<Entity> | undefined)[];

  constructor(results: readonly (Versioned<Entity> | undefined)[], cause: unknown) {
    super(`The first ${results.length} operations are applied. The next transaction failed.`, { cause });
    this.name = 'IncompleteBatchError';
    this.results = results;
  }
}

/** The entities of a resource. */
export class Collection<Types extends ResourceTypes> extends Listing<Types> {
  /**
   * Creates an entity. Fields that are left out get their defaults. Retries do not create it again.
   * @param entity with `id`, for example from `newId`, the entity gets this id. Without it, the service makes one.
   * @throws ProblemError `invalid-request` with an issue for each invalid field, or for an id that cannot be that of a new entity.
   * @throws ProblemError `version-mismatch` if an entity has this id: perhaps an earlier call has created it, whose response was lost.
   * @example
   * const task = await client.tasks.create({ name: 'Draft', priority: 'high' });
   * await client.tasks.create({ id: newId(), name: 'Made offline' });
   */
  async create(
    entity: Types['new'] & { readonly id?: string | undefined },
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<Versioned<Types['entity']>> {
    const { id, ...body } = entity;
    const options = { body, idempotencyKey, signal };
    return id === undefined
      ? this.entityFrom({ method: 'POST', path: this.path, ...options })
      : this.entityFrom({ method: 'PUT', path: this.#pathOf(id), isCreation: true, ...options });
  }

  /**
   * Gets an entity.
   * @throws ProblemError `not-found` if there is none with this id.
   * @example
   * const task = await client.tasks.get(id);
   */
  get(id: string, options?: RequestOptions): Promise<Versioned<Types['entity']>>;
  /**
   * Gets an entity and the entities that its references name. They have versions of their own, so the result has none.
   * @throws ProblemError `not-found` if there is none with this id.
   * @example
   * const { project } = await client.tasks.get(id, { expand: ['project'] });
   */
  get<Expand extends keyof Types['expansions']>(
    id: string,
    options: ExpandOptions<Expand>,
  ): Promise<Types['entity'] & Pick<Types['expansions'], Expand>>;
  async get(
    id: string,
    { expand, signal }: RequestOptions & { readonly expand?: readonly unknown[] } = {},
  ): Promise<Types['entity']> {
    const query = queryString({ expand });
    return this.entityFrom({ method: 'GET', path: this.#pathOf(id), query, signal });
  }

  /**
   * Replaces an entity. Fields that are left out get their defaults. To keep them, use `update`.
   * @throws ProblemError `version-mismatch` if `target` is an entity that has changed since.
   * @example
   * const tag = await client.tags.get(id);
   * await client.tags.replace(tag, { ...tag, color: '#1f4fb0' });
   */
  async replace(
    target: Target<Types['entity']>,
    entity: Types['new'],
    { signal }: RequestOptions = {},
  ): Promise<Versioned<Types['entity']>> {
    return this.#write({ method: 'PUT', ...this.target(target), body: entity, signal });
  }

  /**
   * Updates fields of an entity. Fields that are left out keep their values, and `null` resets a nullable field.
   * @param target an entity, for a write that fails if it has changed since it was read; or an id, for an unconditional write.
   * @throws ProblemError `version-mismatch` if `target` is an entity that has changed since.
   * @example
   * const [task] = (await client.tasks.list()).data;
   * if (task) await client.tasks.update(task, { status: 'completed' });
   */
  async update(
    target: Target<Types['entity']>,
    changes: Types['changes'],
    { signal }: RequestOptions = {},
  ): Promise<Versioned<Types['entity']>> {
    return this.#write({ method: 'PATCH', ...this.target(target), body: changes, signal });
  }

  /**
   * Updates an entity depending on its current state: gets it, calls `decide` for the changes and writes them. Starts again
   * if the entity has changed meanwhile.
   * @throws ProblemError `version-mismatch` after ten attempts.
   * @example
   * await client.tasks.change(id, ({ tagIds }) => ({ tagIds: [...tagIds, tag.id] }));
   */
  async change(
    id: string,
    decide: (current: Versioned<Types['entity']>) => Types['changes'] | Promise<Types['changes']>,
    options: RequestOptions = {},
  ): Promise<Versioned<Types['entity']>> {
    for (let attempt = 1; ; attempt += 1) {
      const current = await this.get(id, options);
      try {
        return await this.update(current, await decide(current), options);
      } catch (error) {
        if (attempt >= maxChangeAttempts || !isProblem(error, 'version-mismatch')) throw error;
      }
    }
  }

  /**
   * Deletes an entity. Deleting an organization deletes its projects, and deleting a project deletes its tasks.
   * @throws ProblemError `version-mismatch` if `target` is an entity that has changed since; `not-found` if there is none.
   * @example
   * await client.tasks.delete(task); // Only if nobody has changed it since.
   * await client.tasks.delete(task.id); // In any case.
   */
  async delete(target: Target<Types['entity']>, { signal }: RequestOptions = {}): Promise<void> {
    await this.connection.send({ method: 'DELETE', ...this.target(target), signal });
  }

  /**
   * Restores an entity that was deleted in the last 30 days, and what its deletion has removed besides. Returns one that is not deleted as it is.
   * @param target an entity as it was read before the deletion, or an id.
   * @throws ProblemError `not-found` if there is nothing to restore; `version-mismatch` if `target` is an entity that had changed before the deletion.
   * @throws ProblemError `reference-missing` if its organization does not exist; `subject-taken` if another user has its subject.
   * @example
   * await client.tasks.delete(task.id);
   * const restored = await client.tasks.restore(task.id);
   */
  async restore(
    target: Target<Types['entity']>,
    options?: CreateOptions,
  ): Promise<Versioned<Types['entity']>> {
    return this.act(target, '/restore', options);
  }

  /**
   * Gets one page of the entities that were deleted in the last 30 days and can be restored, the last deleted first.
   * @example
   * const { data, total } = await client.tasks.deleted({ search: 'report' });
   * const parts = await client.tasks.deleted({ deletedWith: project.id });
   */
  async deleted<
    Field extends keyof Deleted<Types>['entity'] = keyof Deleted<Types>['entity'],
    Expand extends keyof Types['expansions'] = never,
    Count extends keyof Types['counts'] = never,
    Sum extends keyof Types['sums'] = never,
  >(
    query?: DeletedQuery<Types, Field, Expand, Count, Sum>,
    options?: RequestOptions,
  ): Promise<
    Page<Item<Deleted<Types>, Field, Expand>> & Counted<Types['counts'], Count> & Summed<Types['sums'], Sum>
  > {
    return (await this.read(`${this.path}/deleted`, query ?? {}, options)) as never;
  }

  /**
   * Creates, updates and deletes up to 25 entities: all operations are applied, or none. Retries do not apply them again.
   * @returns the entity of each operation, and `undefined` for a deletion.
   * @throws ProblemError of the first operation that fails. The pointers of its `errors` begin with `/operations/` and the position.
   * @example
   * const [created] = await client.tasks.batch([
   *   { operation: 'create', body: { name: 'Draft' } },
   *   { operation: 'delete', id: task.id, ifMatch: etagOf(task) },
   * ]);
   */
  async batch<const Operations extends readonly BatchOperation<Types['new'], Types['changes']>[]>(
    operations: Operations,
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<BatchResults<Types['entity'], Operations>> {
    const message = { path: `${this.path}/batch`, body: { operations }, idempotencyKey, signal };
    const { body } = await this.connection.send({ method: 'POST', ...message });
    const { results } = body as { results: readonly { etag?: string; body?: Types['entity'] }[] };
    const entities = results.map(({ etag, body: entity }) => entity && withVersion(entity, etag));
    return entities as BatchResults<Types['entity'], Operations>;
  }

  /**
   * Gets the changes of one entity, the newest first: who changed what.
   * @throws ProblemError `not-found` if there is no entity with this id.
   * @example
   * const { data, cursor } = await client.tasks.history(id);
   */
  async history(
    id: string,
    { after, limit, signal }: HistoryOptions = {},
  ): Promise<HistoryPage<Types['entity']>> {
    const history = await this.read(`${this.#pathOf(id)}/changes`, { after, limit }, { signal });
    return history as HistoryPage<Types['entity']>;
  }

  /**
   * Gets the next page of changes: all entities that match without `since`, and then what was created, changed or deleted, or does not match any
   * more. Apply `data` and `removed`, and store `cursor` with them. `since: 'now'` gives the cursor of the moment without entities: ask for it before a list.
   * @throws ProblemError `cursor-expired` if the cursor is too old: begin again without it, and then delete what you have and did not get again.
   * @throws ProblemError `invalid-request` if the cursor belongs to other filters or `fields`.
   * @example
   * const { data, removed, cursor, hasMore } = await client.tasks.changes({ since, status: 'active' });
   */
  async changes<Field extends keyof Types['entity'] = keyof Types['entity']>(
    query?: ChangesQuery<Types, Field> & { readonly since?: string | undefined },
    options?: RequestOptions,
  ): Promise<ChangesPage<Versioned<Types['entity'], Item<Types, Field, never>>>> {
    const ofService = { ...query, since: cursorOf(query?.since) };
    const page = (await this.readPage(`${this.path}/changes`, ofService, options)) as ChangesPage<unknown>;
    return { ...page, cursor: withClock(page.cursor) } as never;
  }

  /**
   * Iterates over the pages of changes, and polls when there are no more. Each page comes before the next request, so a page that you have
   * stored with its cursor is never lost. Ends only when the signal is aborted or the service refuses the request: after any other error it
   * waits for 1 to 60 seconds, or as long as `Retry-After` says. When the cursor is too old, it begins again with a first page. With `live`, it asks
   * when the service announces a change.
   * @param query filters, `fields` and `limit`.
   * @throws ProblemError with a status from 400 to 499, except 408, 410 and 429.
   * @example
   * for await (const { data, removed, cursor, isFirst } of client.tasks.sync({ projectId }, { since, signal })) {
   *   await store({ data, removed, cursor, isFirst });
   * }
   */
  async *sync<Field extends keyof Types['entity'] = keyof Types['entity']>(
    query?: ChangesQuery<Types, Field>,
    options: SyncOptions = {},
  ): AsyncGenerator<SyncPage<Versioned<Types['entity'], Item<Types, Field, never>>>, void, undefined> {
    // A query that cannot be sent is an error of the caller, which no repetition changes.
    queryString(query ?? {});
    yield* syncPages((since) => this.changes<Field>({ ...query, since }, options), options, this);
  }

  /** Returns when to ask for changes, also for a `Replication`. @internal */
  schedule(options: SyncOptions): LiveSchedule {
    return new LiveSchedule(this.connection, this.path.split('/').at(-1) ?? '', options);
  }

  /**
   * Creates, updates and deletes any number of entities in several transactions, one after the other, each of up to 25 operations. Each
   * transaction is applied completely or not at all, but an earlier one stays applied when a later one fails. Use `batch` where all or
   * nothing matters.
   * @param options `idempotencyKey` is the beginning of the key of each transaction, so sending all of them again applies none twice.
   * @returns the entity of each operation, and `undefined` for a deletion.
   * @throws IncompleteBatchError with the results so far when a transaction fails. Pointers of a `ProblemError` as its cause count from the
   * first operation that is not applied.
   * @example
   * await client.tasks.batchInSeveralTransactions(ids.map((id) => ({ operation: 'delete', id })));
   */
  async batchInSeveralTransactions<
    const Operations extends readonly BatchOperation<Types['new'], Types['changes']>[],
  >(
    operations: Operations,
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<BatchResults<Types['entity'], Operations>> {
    const results: (Versioned<Types['entity']> | undefined)[] = [];
    for (let start = 0; start < operations.length; start += maxOperations) {
      const key = idempotencyKey ? `${idempotencyKey}-${start}` : undefined;
      const next = operations.slice(start, start + maxOperations);
      try {
        results.push(...(await this.batch(next, { idempotencyKey: key, signal })));
      } catch (error) {
        throw new IncompleteBatchError(results, error);
      }
    }
    return results as BatchResults<Types['entity'], Operations>;
  }

  /** Sends the request of an action on an entity, which responds with an entity. */
  protected act(
    target: Target<Types['entity']>,
    action: string,
    { idempotencyKey, signal }: CreateOptions = {},
    body?: object,
  ): Promise<Versioned<Types['entity']>> {
    return this.entityFrom({ method: 'POST', ...this.target(target, action), body, idempotencyKey, signal });
  }

  /**
   * Returns the path of a target and its version, if it has one.
   * @throws TypeError for an invalid id, or for an object without a version.
   */
  protected target(target: Target<Types['entity']>, action = ''): { path: string; ifMatch?: string } {
    // A caller without type checks can pass any value.
    if (typeof target !== 'object' || target === null) return { path: this.#pathOf(target) + action };
    return { path: this.#pathOf(target.id) + action, ifMatch: etagOf(target) };
  }

  protected async entityFrom(message: Message): Promise<Versioned<Types['entity']>> {
    const { body, headers } = await this.connection.send(message);
    return withVersion<Types['entity'], Types['entity']>(body as Types['entity'], headers.get('etag'));
  }

  /**
   * Writes an entity. After an attempt without a response and without a key, a conflict can be with this attempt: then the entity has the next version, and
   * the values that were sent.
   */
  async #write(message: Message & { readonly body: object }): Promise<Versioned<Types['entity']>> {
    try {
      return await this.entityFrom(message);
    } catch (error) {
      if (!isProblem(error, 'version-mismatch') || !error.mayBeApplied) throw error;
      const { path, body, ifMatch, signal } = message;
      const current = await this.entityFrom({ method: 'GET', path, signal });
      const next = ifMatch?.replace(/\d+(?="$)/, (version) => String(Number(version) + 1));
      const isWritten = isEmpty(differences(sentFields(body), current, isStoredAs));
      if (current.version === next && isWritten) return current;
      throw error;
    }
  }

  #pathOf(id: string): string {
    return `${this.path}/${segmentOf(id)}`;
  }

  /** Returns a nested list of an entity. @throws TypeError for a value that is not a valid id. */
  protected nested<Child extends ResourceTypes>(id: string, name: string): Listing<Child> {
    return new Listing(this.connection, `${this.#pathOf(id)}/${name}`);
  }
}
