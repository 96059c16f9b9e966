/** Merges the records of a page of the feed by entity. */
import type { LogRecord } from '../../model/change-log.ts';
import type { Row } from '../../model/row.ts';
import type { LogCursor } from './cursor.ts';
import { changedKeys } from './key-hashes.ts';

/** An entry of the log. */
interface EntryPlace {
  readonly key: string;
  /** Its number in the record. */
  readonly entry: number;
}

const compare = (one: EntryPlace, other: EntryPlace): number =>
  one.key === other.key ? one.entry - other.entry : one.key < other.key ? -1 : 1;

/** What the records of a page say about one entity. */
export interface MergedChange {
  readonly id: string;
  /** The highest one. Records can be stored in another order than that of the versions. */
  readonly version: number;
  readonly stamp: number;
  /** The row of this version; absent if it is a deletion. */
  readonly after: Row | undefined;
  /** The entry of this version. */
  readonly last: EntryPlace;
  /** Whether the entity matched the filters before one of the changes, or after it. */
  readonly hasMatched: boolean;
  /** The first entry that was not given before; absent if all were. */
  readonly firstNew: EntryPlace | undefined;
}

/** A change that was not given before. */
type NewChange = MergedChange & { readonly firstNew: EntryPlace };

const isGivenNext = (change: MergedChange): change is NewChange =>
  change.hasMatched && change.firstNew !== undefined;

/** Where a page ends. */
export interface PageEnd {
  /** The keys of the records that the page has, also of those that were given before. */
  readonly keys: readonly string[];
  /** How many entries of the last record the page has; 0 for all of them. */
  readonly atEntries: number;
  /** Whether records that were read belong to the next page. */
  readonly isCut: boolean;
  /** Whether the page has an entity in a version that belongs to the next page. */
  readonly isAhead: boolean;
}

export type RowMatcher = (id: string, row: Row) => boolean;

/**
 * Takes the records above the `from` of a cursor, in the order of their keys, until the page is full. Records up to the `at` of the cursor were
 * given before. All of them are merged again: a record that appears late must not bring back an older version.
 */
export class ChangesMerger {
  readonly cursor: LogCursor;
  readonly #matches: RowMatcher;
  readonly maxChanges: number;
  readonly #changes = new Map<string, MergedChange>();
  /** The records up to `at`, until all of them are known. */
  #given: LogRecord[] | undefined = [];
  #newChanges = 0;
  #matched = 0;
  #isGivenRead = false;
  readonly keys: string[] = [];

  /** @param maxChanges changes after which the page is full. */
  constructor(cursor: LogCursor, matches: RowMatcher, maxChanges: number) {
    this.cursor = cursor;
    this.#matches = matches;
    this.maxChanges = maxChanges;
  }

  /** The changes of the page that were not given before and concern an entity that matches, or matched, in the order of their entries. */
  get changes(): NewChange[] {
    this.#mergeGiven();
    const found = [...this.#changes.values()].filter(isGivenNext);
    return found.sort((one, other) => compare(one.firstNew, other.firstNew));
  }

  /** Number of changes that the page can still take. */
  get wanted(): number {
    if (this.hasAllGiven) this.#mergeGiven();
    return this.maxChanges - this.#newChanges;
  }

  /** Number of entities that matched, also of those that were given before. */
  get matched(): number {
    return this.#matched;
  }

  /** Whether all records are known that were given before. */
  get hasAllGiven(): boolean {
    return this.#isGivenRead || (this.keys.at(-1) ?? '') >= (this.cursor.at ?? '');
  }

  /** Notes that no more records were given before. The last one of them can have expired. */
  endGiven(): void {
    this.#isGivenRead = true;
  }

  /** Takes the next record. Returns false when the page is full: the record belongs to the next one. */
  add(record: LogRecord): boolean {
    if (record.key <= (this.cursor.at ?? '')) {
      this.#given?.push(record);
    } else {
      this.#mergeGiven();
      if (this.wanted <= 0) return false;
      this.#merge(record, 0);
    }
    this.keys.push(record.key);
    return true;
  }

  /** Returns where the page ends if it has so many of the changes, the first ones. */
  endAfter(count: number): PageEnd {
    const { changes } = this;
    const next = changes[count]?.firstNew;
    if (!next) return { keys: this.keys, atEntries: 0, isCut: false, isAhead: false };
    const { at = '' } = this.cursor;
    const isFromNext = ({ last }: MergedChange) => compare(last, next) >= 0;
    return {
      keys: this.keys.filter((key) => compare({ key, entry: 0 }, next) < 0),
      atEntries: next.entry,
      isCut: true,
      // Entries up to `at` were given, and now belong to the next page.
      isAhead: next.key <= at || changes.slice(0, count).some(isFromNext),
    };
  }

  #mergeGiven(): void {
    const given = this.#given;
    if (!given) return;
    this.#given = undefined;
    const { from, at, atEntries, hashes } = this.cursor;
    const changed = changedKeys(
      given.map(({ key }) => key),
      from,
      hashes,
    );
    for (const record of given) {
      const entriesGiven = record.key === at && atEntries > 0 ? atEntries : record.entries.length;
      this.#merge(record, changed.has(record.key) ? 0 : entriesGiven);
    }
  }

  /** @param entriesGiven number of entries that were given before, the first ones. */
  #merge({ key, stamp, entries }: LogRecord, entriesGiven: number): void {
    for (const [entry, { id, version, before, after }] of entries.entries()) {
      const known = this.#changes.get(id);
      const place = { key, entry };
      const isLast = !known || version >= known.version;
      const matched = [before, after].some((row) => row !== undefined && this.#matches(id, row));
      const merged: MergedChange = {
        ...(isLast ? { id, version, stamp, after, last: place } : known),
        hasMatched: matched || known?.hasMatched === true,
        firstNew: known?.firstNew ?? (entry >= entriesGiven ? place : undefined),
      };
      if (isGivenNext(merged) && !(known && isGivenNext(known))) this.#newChanges += 1;
      if (matched && !known?.hasMatched) this.#matched += 1;
      this.#changes.set(id, merged);
    }
  }
}
