import type { Collection } from './collection.ts';
import type { RequestOptions } from './connection.ts';
import { isProblem } from './problems.ts';
import type { ChangesPage, ResourceTypes } from './query.ts';
import type { Versioned } from './versions.ts';

export interface PullOptions extends RequestOptions {
  /**
   * Returns the ids of the entities that the copy has from the service. With it, a cursor that is too old is no error: the pages have all
   * entities again, and the last of them removes the others.
   */
  readonly ids?: (() => Iterable<string> | Promise<Iterable<string>>) | undefined;
}

type PageOf<Types extends ResourceTypes> = ChangesPage<Versioned<Types['entity']>>;

/** Where reading has come, although the copy has the cursor `since` still. */
interface Position {
  readonly since: string | undefined;
  readonly cursor: string | undefined;
  /** While all entities come again: the ids of those that have come. */
  readonly given?: Set<string> | undefined;
}

const isEmptyPage = ({ data, removed }: ChangesPage<unknown>): boolean =>
  data.length === 0 && removed.length === 0;

/** Reads the changes of a list, and begins again when the cursor is too old. */
export class ChangeReader<Types extends ResourceTypes> {
  readonly #collection: Collection<Types>;
  readonly #filters: Types['filters'];
  #position: Position = { since: undefined, cursor: undefined };

  constructor(collection: Collection<Types>, filters: Types['filters']) {
    this.#collection = collection;
    this.#filters = filters;
  }

  /**
   * Reads the next page that is not empty, or the last one.
   * @returns the page, and what to call when the copy gets it. A page that is not accepted is read again.
   */
  async read(
    since: string | undefined,
    options: PullOptions,
  ): Promise<{ readonly page: PageOf<Types>; readonly accept: () => void }> {
    let position: Position = this.#position.since === since ? this.#position : { since, cursor: since };
    for (;;) {
      const page = await this.#page(position.cursor, options);
      if (!page) {
        // Until all entities have come again, the copy keeps its cursor: after a restart, they begin once more.
        position = { since, cursor: undefined, given: since === undefined ? undefined : new Set() };
        continue;
      }
      for (const { id } of page.data) position.given?.add(id);
      const next: Position = { ...position, cursor: page.cursor };
      if (!isEmptyPage(page) || !page.hasMore) return this.#given(page, next, options);
      // A caller that stores no cursor of an empty page continues behind it, also after a failure.
      this.#position = next;
      position = next;
    }
  }

  /** Reads a page. Returns nothing if the cursor is too old and the copy can begin again. */
  async #page(cursor: string | undefined, { ids, signal }: PullOptions): Promise<PageOf<Types> | undefined> {
    try {
      return await this.#collection.changes({ ...this.#filters, since: cursor }, { signal });
    } catch (error) {
      if (!ids || cursor === undefined || !isProblem(error, 'cursor-expired')) throw error;
      return undefined;
    }
  }

  /** Returns a page as the copy gets it. @param next the position behind the page. */
  async #given(page: PageOf<Types>, next: Position, { ids }: PullOptions) {
    const { since, cursor, given } = next;
    const accept = (position: Position) => () => {
      this.#position = position;
    };
    if (!given || since === undefined) {
      // A library that stores no cursor of an empty page asks with the one before it again.
      return { page, accept: accept(isEmptyPage(page) ? next : { since: cursor, cursor }) };
    }
    if (page.hasMore) return { page: { ...page, cursor: since }, accept: accept(next) };
    const removed = new Set(page.removed);
    for (const id of (await ids?.()) ?? []) if (!given.has(id)) removed.add(id);
    return { page: { ...page, removed: [...removed] }, accept: accept({ since, cursor }) };
  }
}
