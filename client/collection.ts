import type { Connection, RequestOptions } from './connection.ts';
import { isProblem } from './problems.ts';

const version = Symbol('ETag');

/** An entity that was read or written. It contains its version, which the next write can require. */
export type Versioned<Entity> = Entity & { readonly [version]: string };

/** Returns the `ETag` of an entity that was read or written. */
export const etagOf = (entity: Versioned<unknown>): string => entity[version];

/**
 * The target of a write. With an entity, the write fails if the entity has changed since it was read. With an id, the write
 * is unconditional.
 */
export type Target<Entity> = string | Versioned<Entity>;

export interface Page<Entity> {
  readonly data: readonly Entity[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

export interface CreateOptions extends RequestOptions {
  /** All requests with the same key create one entity, also from different processes. */
  readonly idempotencyKey?: string | undefined;
}

/** The maximum number of attempts of `change`. */
const maxChangeAttempts = 10;

/**
 * Encodes an id as one segment of a path. The URL parser removes `.` and `..`, encoded or not, which would change the path.
 * @see https://url.spec.whatwg.org/#double-dot-path-segment
 * @throws TypeError for a value that is not a valid id.
 */
function segmentOf(id: unknown): string {
  if (typeof id === 'string' && !['', '.', '..'].includes(id) && !/\p{Surrogate}/u.test(id)) {
    return encodeURIComponent(id);
  }
  throw new TypeError(
    `An id must be a non-empty string other than "." and "..". Received: ${JSON.stringify(id)}.`,
  );
}

interface Identified {
  readonly id: string;
}

/** A list of entities. */
export class Listing<Entity extends Identified, Query extends object> {
  protected readonly connection: Connection;
  protected readonly path: string;

  constructor(connection: Connection, path: string) {
    this.connection = connection;
    this.path = path;
  }

  /** Reads one page. */
  async list(query: Query = {} as Query, { signal }: RequestOptions = {}): Promise<Page<Entity>> {
    const { body } = await this.connection.send({ method: 'GET', path: this.path, query, signal });
    return body as Page<Entity>;
  }

  /** Iterates over the entities of all pages. Returns an entity once, also if it moves to a later page meanwhile. */
  async *iterate(
    query: Omit<Query, 'page'> = {} as Query,
    options: RequestOptions = {},
  ): AsyncGenerator<Entity, void, undefined> {
    const seen = new Set<string>();
    for (let page = 1, last = 1; page <= last; page += 1) {
      const { data, totalPages } = await this.list(
        { limit: 100, ...query, page } as unknown as Query,
        options,
      );
      for (const entity of data) {
        if (!seen.has(entity.id)) yield entity;
        seen.add(entity.id);
      }
      last = totalPages;
    }
  }
}

/** The entities of a resource. */
export class Collection<
  Entity extends Identified,
  New extends object,
  Changes extends object,
  Query extends object,
> extends Listing<Entity, Query> {
  /** Creates an entity. Retries do not create it again. */
  create(entity: New, { idempotencyKey, signal }: CreateOptions = {}): Promise<Versioned<Entity>> {
    return this.written({ method: 'POST', path: this.path, body: entity, idempotencyKey, signal });
  }

  /** Reads an entity. */
  async read(id: string, { signal }: RequestOptions = {}): Promise<Versioned<Entity>> {
    return this.written({ method: 'GET', path: this.#pathOf(id), signal });
  }

  /** Replaces an entity. Omitted fields get their defaults. */
  async replace(
    target: Target<Entity>,
    entity: New,
    { signal }: RequestOptions = {},
  ): Promise<Versioned<Entity>> {
    return this.written({ method: 'PUT', ...this.target(target), body: entity, signal });
  }

  /** Updates fields of an entity. Omitted fields keep their values. */
  async update(
    target: Target<Entity>,
    changes: Changes,
    { signal }: RequestOptions = {},
  ): Promise<Versioned<Entity>> {
    return this.written({ method: 'PATCH', ...this.target(target), body: changes, signal });
  }

  /**
   * Updates an entity depending on its current state: reads it, calls `decide` for the changes and writes them. Starts again
   * if the entity has changed meanwhile.
   * @throws ProblemError `version-mismatch` after ten attempts.
   */
  async change(
    id: string,
    decide: (current: Versioned<Entity>) => Changes | Promise<Changes>,
    options: RequestOptions = {},
  ): Promise<Versioned<Entity>> {
    for (let attempt = 1; ; attempt += 1) {
      const current = await this.read(id, options);
      try {
        return await this.update(current, await decide(current), options);
      } catch (error) {
        if (attempt >= maxChangeAttempts || !isProblem(error, 'version-mismatch')) throw error;
      }
    }
  }

  /** Deletes an entity. */
  async delete(target: Target<Entity>, { signal }: RequestOptions = {}): Promise<void> {
    await this.connection.send({ method: 'DELETE', ...this.target(target), signal });
  }

  /** Returns the path of a target and its version, if it has one. */
  protected target(target: Target<Entity>, action = ''): { path: string; ifMatch?: string } {
    // A caller without type checks can pass any value.
    if (typeof target !== 'object' || target === null) return { path: this.#pathOf(target) + action };
    return { path: this.#pathOf(target.id) + action, ifMatch: etagOf(target) };
  }

  /** Sends a request whose response is an entity. */
  protected async written(message: Parameters<Connection['send']>[0]): Promise<Versioned<Entity>> {
    const { body, headers } = await this.connection.send(message);
    // The version is not enumerable, so a copy with other fields has no version.
    return Object.defineProperty(body as Versioned<Entity>, version, { value: headers.get('etag') ?? '' });
  }

  #pathOf(id: string): string {
    return `${this.path}/${segmentOf(id)}`;
  }

  /** Returns a nested list of an entity. @throws TypeError for a value that is not a valid id. */
  protected nested<Child extends Identified, ChildQuery extends object>(
    id: string,
    name: string,
  ): Listing<Child, ChildQuery> {
    return new Listing(this.connection, `${this.#pathOf(id)}/${name}`);
  }
}
