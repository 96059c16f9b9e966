import type { RequestOptions } from './connection.ts';
import type { LiveConnection } from './live.ts';
import {
  type Counted,
  type Item,
  type IterationQuery,
  type ListQuery,
  type Page,
  queryString,
  type ResourceTypes,
  type Summed,
} from './query.ts';
import { type Versioned, withVersion } from './versions.ts';

/** A list of entities. */
export class Listing<Types extends ResourceTypes> {
  protected readonly connection: LiveConnection;
  protected readonly path: string;

  constructor(connection: LiveConnection, path: string) {
    this.connection = connection;
    this.path = path;
  }

  /**
   * Gets one page, of 20 entities and the newest first unless the query says otherwise. `fields` and `expand` decide what its
   * entities have, `countBy` adds `counts`, and `sumBy` `sums`. Entities have their versions, so `update(entity, …)` is safe.
   * @param query at most 20 filters, and at most 100 entities on a page.
   * @throws ProblemError `invalid-request` for a query that the service does not accept.
   * @example
   * const { data, total, counts } = await client.tasks.list({
   *   dueDate: { lt: '2026-03-09' },
   *   priority: { in: ['high', 'urgent'] },
   *   sortBy: ['priority', 'dueDate'],
   *   sortOrder: ['desc', 'asc'],
   *   expand: ['project'],
   *   countBy: ['status'],
   * });
   */
  async list<
    Field extends keyof Types['entity'] = keyof Types['entity'],
    Expand extends keyof Types['expansions'] = never,
    Count extends keyof Types['counts'] = never,
    Sum extends keyof Types['sums'] = never,
  >(
    query?: ListQuery<Types, Field, Expand, Count, Sum>,
    options?: RequestOptions,
  ): Promise<
    Page<Versioned<Types['entity'], Item<Types, Field, Expand>>> &
      Counted<Types['counts'], Count> &
      Summed<Types['sums'], Sum>
  > {
    // The types of the service's responses follow from the query, which TypeScript cannot see in the response.
    return (await this.readPage(this.path, query ?? {}, options)) as never;
  }

  /**
   * Iterates over the entities of all pages.
   *
   * Each request continues behind the last entity, in any order. An entity that keeps its place in the order during the whole iteration is
   * returned exactly once, whatever others write meanwhile. No entity is returned twice. In descending order of creation, the default, it does
   * not return entities that are created after it began.
   * @param query as of `list`. `limit` is the number of entities of each request, 100 by default.
   * @example
   * for await (const task of client.tasks.iterate({ status: 'active' })) console.log(task.name);
   */
  async *iterate<
    Field extends keyof Types['entity'] = keyof Types['entity'],
    Expand extends keyof Types['expansions'] = never,
  >(
    query?: IterationQuery<Types, Field, Expand>,
    options?: RequestOptions,
  ): AsyncGenerator<Versioned<Types['entity'], Item<Types, Field, Expand>>, void, undefined> {
    if (query && 'page' in query) throw new TypeError('"page" is not an option: an iteration has all pages.');
    const seen = new Set<string>();
    for (let after: string | null = ''; after !== null; ) {
      const read = await this.readPage(this.path, { limit: 100, ...query, after }, options);
      const page = read as Page<Types['entity']>;
      const data = page.data.filter(({ id }) => !seen.has(id));
      for (const { id } of data) seen.add(id);
      yield* data as unknown as readonly Versioned<Types['entity'], Item<Types, Field, Expand>>[];
      after = page.next ?? null;
    }
  }

  protected async read(path: string, query: object, { signal }: RequestOptions = {}): Promise<unknown> {
    const { body } = await this.connection.send({ method: 'GET', path, query: queryString(query), signal });
    return body;
  }

  /** Reads a page, each entity with its version. */
  protected async readPage(path: string, query: object, options?: RequestOptions): Promise<unknown> {
    const page = await this.read(path, { ...query, etags: true }, options);
    // The versions are in the order of the entities.
    const { data, etags = [], ...rest } = page as Page<Types['entity']> & { etags?: readonly string[] };
    return { data: data.map((entity, position) => withVersion(entity, etags[position])), ...rest };
  }
}
