import type { Connection, RequestOptions } from './connection.ts';
import { isProblem } from './problems.ts';

const version = Symbol('ETag');

/** An entity as it was read or written: it knows its version, which guards the next write. */
export type Versioned<Entity> = Entity & { readonly [version]: string };

/** The `ETag` of an entity that was read or written. */
export const etagOf = (entity: Versioned<unknown>): string => entity[version];

/**
 * What a write is about: an entity as it was read, which must not have changed since, or an id, whatever has become of
 * it in the meantime.
 */
export type Target<Entity> = string | Versioned<Entity>;

export interface Page<Entity> {
  readonly data: readonly Entity[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

export interface CreateOptions extends RequestOptions {
  /** Stands for this creation: with the same one, also from another process, it is done once. */
  readonly idempotencyKey?: string | undefined;
}

/** How often `change` begins anew before it gives up. */
const mostChanges = 10;

/**
 * Encodes an id as one segment of a path. A URL drops `.` and `..`, encoded or not, and would be of something else.
 * @see https://url.spec.whatwg.org/#double-dot-path-segment
 * @throws TypeError for what cannot be an id.
 */
function segmentOf(id: unknown): string {
  if (typeof id === 'string' && !['', '.', '..'].includes(id) && !/\p{Surrogate}/u.test(id)) {
    return encodeURIComponent(id);
  }
  throw new TypeError(`An id must be text, and not empty, "." or ".."; this one is ${JSON.stringify(id)}.`);
}

interface Identified {
  readonly id: string;
}

/** Something that can be listed. */
export class Listing<Entity extends Identified, Query extends object> {
  protected readonly connection: Connection;
  protected readonly path: string;

  constructor(connection: Connection, path: string) {
    this.connection = connection;
    this.path = path;
  }

  /** One page. */
  async list(query: Query = {} as Query, { signal }: RequestOptions = {}): Promise<Page<Entity>> {
    const { body } = await this.connection.send({ method: 'GET', path: this.path, query, signal });
    return body as Page<Entity>;
  }

  /** All pages, one entity after the other. What moves from page to page meanwhile does not come twice. */
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

/** All of a resource. */
export class Collection<
  Entity extends Identified,
  New extends object,
  Changes extends object,
  Query extends object,
> extends Listing<Entity, Query> {
  /** Creates an entity, once, however often it is tried. */
  create(entity: New, { idempotencyKey, signal }: CreateOptions = {}): Promise<Versioned<Entity>> {
    return this.written({ method: 'POST', path: this.path, body: entity, idempotencyKey, signal });
  }

  async read(id: string, { signal }: RequestOptions = {}): Promise<Versioned<Entity>> {
    return this.written({ method: 'GET', path: this.#pathOf(id), signal });
  }

  /** Replaces all of an entity: what is left out gets its default. */
  async replace(
    target: Target<Entity>,
    entity: New,
    { signal }: RequestOptions = {},
  ): Promise<Versioned<Entity>> {
    return this.written({ method: 'PUT', ...this.target(target), body: entity, signal });
  }

  /** Changes some members. */
  async update(
    target: Target<Entity>,
    changes: Changes,
    { signal }: RequestOptions = {},
  ): Promise<Versioned<Entity>> {
    return this.written({ method: 'PATCH', ...this.target(target), body: changes, signal });
  }

  /**
   * Changes an entity by what it is: reads it, lets `decide` say what to change, and writes that, unless somebody else
   * was faster; then it begins anew.
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
        if (attempt >= mostChanges || !isProblem(error, 'version-mismatch')) throw error;
      }
    }
  }

  async delete(target: Target<Entity>, { signal }: RequestOptions = {}): Promise<void> {
    await this.connection.send({ method: 'DELETE', ...this.target(target), signal });
  }

  /** Where a target is, and which version of it is meant. */
  protected target(target: Target<Entity>, action = ''): { path: string; ifMatch?: string } {
    // Without types, a caller can give anything.
    if (typeof target !== 'object' || target === null) return { path: this.#pathOf(target) + action };
    return { path: this.#pathOf(target.id) + action, ifMatch: etagOf(target) };
  }

  /** Sends a message that is answered with an entity. */
  protected async written(message: Parameters<Connection['send']>[0]): Promise<Versioned<Entity>> {
    const { body, headers } = await this.connection.send(message);
    // Not enumerable: a copy with other members is another thing, and has no version.
    return Object.defineProperty(body as Versioned<Entity>, version, { value: headers.get('etag') ?? '' });
  }

  #pathOf(id: string): string {
    return `${this.path}/${segmentOf(id)}`;
  }

  /** What belongs to one of these. @throws TypeError for what cannot be an id. */
  protected nested<Child extends Identified, ChildQuery extends object>(
    id: string,
    name: string,
  ): Listing<Child, ChildQuery> {
    return new Listing(this.connection, `${this.#pathOf(id)}/${name}`);
  }
}
