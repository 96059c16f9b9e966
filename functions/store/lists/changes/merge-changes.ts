/** Merges the records of a page of the feed by entity. */
import type { LogRecord } from '../../model/change-log.ts';
import type { Row } from '../../model/row.ts';
import type { LogCursor } from './cursor.ts';
import { changedKeys } from './key-hashes.ts';

/** What the records of a page say about one entity. */
export interface MergedChange {
  readonly id: string;
  /** The highest one. Records can be stored in another order than that of the versions. */
  readonly version: number;
  readonly stamp: number;
  /** The row of this version; absent if it is a deletion. */
  readonly after: Row | undefined;
  /** Whether the entity matched the filters before one of the changes, or after it. */
  readonly hasMatched: boolean;
  /** Whether one of the changes was not given before. */
  readonly isNew: boolean;
}

export type RowMatcher = (id: string, row: Row) => boolean;

/**
 * Takes the records above the `from` of a cursor, in the order of their keys, until the page is full. Records up to the `at` of the cursor were
 * given before. All of them are merged again: a record that appears late must not bring back an older version.
 */
export class ChangesMerger {
  readonly #cursor: LogCursor;
  readonly #matches: RowMatcher;
  /** Changes after which the page is full. */
  readonly maxChanges: number;
  readonly #changes = new Map<string, MergedChange>();
  /** The records up to `at`, until all of them are known. */
  #given: LogRecord[] | undefined = [];
  #newChanges = 0;
  readonly keys: string[] = [];

  constructor(cursor: LogCursor, matches: RowMatcher, maxChanges: number) {
    this.#cursor = cursor;
    this.#matches = matches;
    this.maxChanges = maxChanges;
  }

  /** The changes of the page that were not given before and concern an entity that matches, or matched. */
  get changes(): MergedChange[] {
    this.#mergeGiven();
    return [...this.#changes.values()].filter(({ hasMatched, isNew }) => hasMatched && isNew);
  }

  /** Number of changes that the page can still take. */
  get wanted(): number {
    return this.maxChanges - this.#newChanges;
  }

  /** Whether all records are known that were given before. */
  get hasAllGiven(): boolean {
    const { at = '' } = this.#cursor;
    return (this.keys.at(-1) ?? '') >= at;
  }

  /** Takes the next record. Returns false when the page is full: the record belongs to the next one. */
  add(record: LogRecord): boolean {
    const { at = '' } = this.#cursor;
    if (record.key <= at) {
      this.#given?.push(record);
    } else {
      this.#mergeGiven();
      if (this.wanted <= 0) return false;
      this.#merge(record, true);
    }
    this.keys.push(record.key);
    return true;
  }

  #mergeGiven(): void {
    const given = this.#given;
    if (!given) return;
    this.#given = undefined;
    const { from, hashes } = this.#cursor;
    const changed = changedKeys(
      given.map(({ key }) => key),
      from,
      hashes,
    );
    for (const record of given) this.#merge(record, changed.has(record.key));
  }

  #merge({ key: _, stamp, entries }: LogRecord, isNew: boolean): void {
    for (const { id, version, before, after } of entries) {
      const known = this.#changes.get(id);
      const isLast = !known || version >= known.version;
      const matched = [before, after].some((row) => row !== undefined && this.#matches(id, row));
      const merged: MergedChange = {
        ...(isLast ? { id, version, stamp, after } : known),
        hasMatched: matched || known?.hasMatched === true,
        isNew: isNew || known?.isNew === true,
      };
      const wasCounted = known?.hasMatched === true && known.isNew;
      if (merged.hasMatched && merged.isNew && !wasCounted) this.#newChanges += 1;
      this.#changes.set(id, merged);
    }
  }
}
