/** Sort keys: what decides the order of rows. */
import { sortedText } from '../../model/row.ts';
import type { Column } from './column.ts';
import type { ColumnValue } from './dictionary.ts';

/** A text, the rank of an enumeration's value, or null, which is lowest. */
export type SortKey = Buffer | number | null;

/** The order of a list by one field. */
export interface SortOrder {
  readonly field: string;
  /** The values of an enumeration in their order, if the field is one. */
  readonly ranks?: readonly string[] | undefined;
  /** The value of rows that are older than the field. */
  readonly defaultValue?: string | null | undefined;
}

/** Returns the sort key of a value. */
export function toSortKey({ field, ranks, defaultValue = null }: SortOrder, value: ColumnValue): SortKey {
  const known = value === undefined ? defaultValue : value;
  if (known === null) return null;
  return ranks ? ranks.indexOf(known) : Buffer.from(sortedText(field, known));
}

/** Compares sort keys of one field. Bytes of UTF-8 compare as code points do. */
export function compareSortKeys(one: SortKey, other: SortKey): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return one.compare(other);
}

/** Rows counted by sort key: distinct keys in their order, and the number of rows before each. */
export interface KeyCounts {
  readonly size: number;
  keyAt(position: number): SortKey;
  /** Returns the number of rows whose keys are at lower positions. */
  before(position: number): number;
}

/** Returns the first position whose key is not less than a key. */
export function lowerBound(counts: KeyCounts, key: SortKey): number {
  let low = 0;
  let high = counts.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareSortKeys(counts.keyAt(middle), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first position whose key is greater than a key. */
export function upperBound(counts: KeyCounts, key: SortKey): number {
  let low = 0;
  let high = counts.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareSortKeys(counts.keyAt(middle), key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The values of one segment's rows in the order of their sort keys. */
export class SortedColumn implements KeyCounts {
  readonly #column: Column;
  readonly #order: SortOrder;
  /** Ordinals by sort key. Without it, the dictionary has that order already. */
  readonly #byKey: readonly number[] | undefined;
  readonly #positions: Uint32Array | undefined;
  readonly #before: Uint32Array;

  /** @param rows the rows to count. */
  constructor(column: Column, order: SortOrder, rows: Uint32Array) {
    this.#column = column;
    this.#order = order;
    const { size, special } = column.dictionary;
    // Only ranks, and a default in place of an absent value, differ from the dictionary's order.
    if (order.ranks || special.includes(undefined)) {
      const keys = Array.from({ length: size }, (_, ordinal) =>
        toSortKey(order, column.dictionary.at(ordinal)),
      );
      this.#byKey = [...keys.keys()].sort((one, other) =>
        compareSortKeys(keys[one] as SortKey, keys[other] as SortKey),
      );
      this.#positions = new Uint32Array(size);
      for (const [position, ordinal] of this.#byKey.entries()) this.#positions[ordinal] = position;
    }
    this.#before = new Uint32Array(size + 1);
    for (const row of rows) {
      const next = this.positionOf(row) + 1;
      this.#before[next] = (this.#before[next] as number) + 1;
    }
    for (let position = 0; position < size; position += 1) {
      this.#before[position + 1] =
        (this.#before[position + 1] as number) + (this.#before[position] as number);
    }
  }

  get size(): number {
    return this.#column.dictionary.size;
  }

  /** Returns the position of a row's value. */
  positionOf(row: number): number {
    const ordinal = this.#column.ordinals[row] as number;
    return this.#positions ? (this.#positions[ordinal] as number) : ordinal;
  }

  keyAt(position: number): SortKey {
    const ordinal = this.#byKey ? (this.#byKey[position] as number) : position;
    return toSortKey(this.#order, this.#column.dictionary.at(ordinal));
  }

  before(position: number): number {
    return this.#before[position] as number;
  }
}

/** Counts of keys that are few enough to be listed. Removed rows count as -1. */
export class ListedKeys implements KeyCounts {
  readonly #keys: SortKey[] = [];
  readonly #before: number[] = [0];

  constructor(counted: readonly { readonly key: SortKey; readonly count: number }[]) {
    let sum = 0;
    for (const { key, count } of counted.toSorted((one, other) => compareSortKeys(one.key, other.key))) {
      const last = this.#keys.at(-1);
      if (last !== undefined && compareSortKeys(last, key) === 0) this.#before.pop();
      else this.#keys.push(key);
      sum += count;
      this.#before.push(sum);
    }
  }

  get size(): number {
    return this.#keys.length;
  }

  keyAt(position: number): SortKey {
    return this.#keys[position] as SortKey;
  }

  before(position: number): number {
    return this.#before[position] as number;
  }
}

/** Returns the number of rows whose keys are not greater than a key. */
export const countUpTo = (all: readonly KeyCounts[], key: SortKey): number =>
  all.reduce((sum, counts) => sum + counts.before(upperBound(counts, key)), 0);

/** Returns the number of rows whose keys are less than a key. */
export const countBelow = (all: readonly KeyCounts[], key: SortKey): number =>
  all.reduce((sum, counts) => sum + counts.before(lowerBound(counts, key)), 0);

/**
 * Returns the sort key of the row at a position of the order, which must exist. Halves the keys that come into question, beginning
 * with the largest part: the cost grows with the logarithm of the number of rows.
 */
export function keyAtRank(all: readonly KeyCounts[], rank: number): SortKey {
  const ranges = all.map((counts) => ({ counts, low: 0, high: counts.size }));
  let found: SortKey = null;
  for (;;) {
    const widest = ranges.reduce((one, other) => (other.high - other.low > one.high - one.low ? other : one));
    if (widest.high <= widest.low) return found;
    const key = widest.counts.keyAt((widest.low + widest.high) >> 1);
    const isReached = countUpTo(all, key) > rank;
    if (isReached) found = key;
    for (const range of ranges) {
      if (isReached) range.high = Math.min(range.high, lowerBound(range.counts, key));
      else range.low = Math.max(range.low, upperBound(range.counts, key));
    }
  }
}
