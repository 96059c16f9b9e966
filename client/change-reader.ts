import type { Collection } from './collection.ts';
import { pause, type RequestOptions } from './connection.ts';
import { isProblem } from './problems.ts';
import type { ChangesPage, ChangesQuery, ResourceTypes } from './query.ts';
import type { Versioned } from './versions.ts';

export interface PullOptions extends RequestOptions {
  /**
   * Returns the ids of the entities that the copy has from the service, which have a `version`. With it, a cursor that is too old is no error: the
   * pages have all entities again, and the last of them removes the others.
   */
  readonly ids?: (() => Iterable<string> | Promise<Iterable<string>>) | undefined;
}

type PageOf<Types extends ResourceTypes> = ChangesPage<Versioned<Types['entity']>>;

/** Where a page begins. */
interface Position {
  readonly cursor: string | undefined;
  /** While all entities come again: the ids of those that have come. */
  readonly given?: Set<string> | undefined;
}

const isEmptyPage = ({ data, removed }: ChangesPage<unknown>): boolean =>
  data.length === 0 && removed.length === 0;

/** Separates the number of a page from the cursor that was too old. No cursor of the service has it. */
const separator = '~';

/** Returns the cursor of the next page while all entities come again. After a restart of the app, it leads to the beginning. */
function numberedCursor(since: string): string {
  const [cursor, number = '0'] = since.split(separator);
  return `${cursor}${separator}${Number(number) + 1}`;
}

/** Reads the changes of a list, and begins again when the cursor is too old. */
export class ChangeReader<Types extends ResourceTypes> {
  readonly #collection: Collection<Types>;
  readonly #query: ChangesQuery<Types>;
  /** Where the next page begins, by the cursor of the copy, if this is not where the service has to begin: for the last two cursors. */
  #positions = new Map<string | undefined, Position>();

  constructor(collection: Collection<Types>, query: ChangesQuery<Types>) {
    this.#collection = collection;
    // With descriptions, the service gives a hundred.
    this.#query = { limit: 1_000, ...query };
  }

  /** Reads the next page that is not empty, or the last one. The same `since` gives the page again. */
  async read(since: string | undefined, options: PullOptions): Promise<PageOf<Types>> {
    let start: Position = this.#positions.get(since) ?? { cursor: since?.split(separator)[0] };
    for (;;) {
      const page = await this.#page(start.cursor, options);
      if (!page) {
        start = { cursor: undefined, given: since === undefined ? undefined : new Set() };
        continue;
      }
      for (const { id } of page.data) start.given?.add(id);
      const end: Position = { ...start, cursor: page.cursor };
      if (!isEmptyPage(page) || !page.hasMore) return this.#pageOfCopy(since, page, start, end, options);
      this.#positions.set(since, end);
      start = end;
    }
  }

  /** Reads a page. Returns nothing if the cursor is too old and the copy can begin again. */
  async #page(cursor: string | undefined, { ids, signal }: PullOptions): Promise<PageOf<Types> | undefined> {
    try {
      return await this.#collection.changes({ ...this.#query, since: cursor }, { signal });
    } catch (error) {
      if (!ids || cursor === undefined || !isProblem(error, 'cursor-expired')) throw error;
      // All who saw a project begin again when it is closed: not all at once.
      await pause(error.retryAfterMs, signal);
      return undefined;
    }
  }

  async #pageOfCopy(
    since: string | undefined,
    page: PageOf<Types>,
    start: Position,
    end: Position,
    { ids }: PullOptions,
  ): Promise<PageOf<Types>> {
    const { given } = start;
    if (given && since !== undefined && page.hasMore) {
      const cursor = numberedCursor(since);
      this.#positions = new Map([
        [since, start],
        [cursor, end],
      ]);
      return { ...page, cursor };
    }
    const removed = new Set(page.removed);
    if (given) for (const id of (await ids?.()) ?? []) if (!given.has(id)) removed.add(id);
    const whole = { ...page, removed: [...removed] };
    // A library that stores no cursor of an empty page asks with the one before it again.
    this.#positions = new Map([[since, isEmptyPage(whole) ? { cursor: page.cursor } : start]]);
    return whole;
  }
}
