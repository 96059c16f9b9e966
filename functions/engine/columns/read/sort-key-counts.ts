/** Rows counted by sort key. Binary searches in these counts find the keys of a page without sorting rows. */
import { firstPosition } from '../format/binary-search.ts';
import { compareSortKeys, type SortKey } from './sort-key.ts';

/** Distinct keys in their order, and the number of rows before each. Neighbours can be equal. */
export interface SortKeyCounts {
  readonly size: number;
  keyAt(position: number): SortKey;
  /** Returns the number of rows whose keys are at lower positions. */
  before(position: number): number;
}

export const lowerBound = (counts: SortKeyCounts, key: SortKey): number =>
  firstPosition(0, counts.size, (position) => compareSortKeys(counts.keyAt(position), key) >= 0);

export const upperBound = (counts: SortKeyCounts, key: SortKey): number =>
  firstPosition(0, counts.size, (position) => compareSortKeys(counts.keyAt(position), key) > 0);

/** Rows below this share of the positions are sorted. Otherwise, all positions are counted. */
const sparseShare = 1 / 16;

interface OrderedValues {
  readonly size: number;
  positionOf(row: number): number;
  keyAt(position: number): SortKey;
}

/** Some rows of one segment, counted by the positions of their values. The cost depends on the number of the rows. */
export class PositionCounts implements SortKeyCounts {
  readonly #values: OrderedValues;
  /** The positions in the column that the rows have, in ascending order. Without it, all positions of the column are counted. */
  readonly #columnPositions: Uint32Array | undefined;
  readonly #before: Uint32Array;

  constructor(values: OrderedValues, rows: Uint32Array) {
    this.#values = values;
    const { size } = values;
    if (rows.length < size * sparseShare) {
      const positions = rows.map((row) => values.positionOf(row)).sort();
      const before = new Uint32Array(rows.length + 1);
      let distinct = 0;
      for (const position of positions) {
        if (distinct === 0 || positions[distinct - 1] !== position) positions[distinct++] = position;
        before[distinct] = (before[distinct] as number) + 1;
      }
      this.#columnPositions = positions.subarray(0, distinct);
      this.#before = before;
    } else {
      this.#before = new Uint32Array(size + 1);
      for (const row of rows) {
        const next = values.positionOf(row) + 1;
        this.#before[next] = (this.#before[next] as number) + 1;
      }
    }
    for (let position = 0; position < this.size; position += 1) {
      this.#before[position + 1] =
        (this.#before[position + 1] as number) + (this.#before[position] as number);
    }
  }

  get size(): number {
    return this.#columnPositions ? this.#columnPositions.length : this.#values.size;
  }

  columnPositionAt(position: number): number {
    return this.#columnPositions ? (this.#columnPositions[position] as number) : position;
  }

  keyAt(position: number): SortKey {
    return this.#values.keyAt(this.columnPositionAt(position));
  }

  before(position: number): number {
    return this.#before[position] as number;
  }
}

/** Counts of keys that are few enough to be listed. Removed rows count as -1. */
export class ListedKeys implements SortKeyCounts {
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

const countUpTo = (all: readonly SortKeyCounts[], key: SortKey): number =>
  all.reduce((sum, counts) => sum + counts.before(upperBound(counts, key)), 0);

export const countBelow = (all: readonly SortKeyCounts[], key: SortKey): number =>
  all.reduce((sum, counts) => sum + counts.before(lowerBound(counts, key)), 0);

/**
 * Returns the sort key of the row at a position of the order, which must exist. Halves the keys that come into question, beginning
 * with the largest part: the cost grows with the logarithm of the number of rows.
 */
export function rowKeyAt(all: readonly SortKeyCounts[], position: number): SortKey {
  const ranges = all.map((counts) => ({ counts, low: 0, high: counts.size }));
  let found: SortKey = null;
  for (;;) {
    const widest = ranges.reduce((one, other) => (other.high - other.low > one.high - one.low ? other : one));
    if (widest.high <= widest.low) return found;
    const key = widest.counts.keyAt((widest.low + widest.high) >> 1);
    const isReached = countUpTo(all, key) > position;
    if (isReached) found = key;
    for (const range of ranges) {
      if (isReached) range.high = Math.min(range.high, lowerBound(range.counts, key));
      else range.low = Math.max(range.low, upperBound(range.counts, key));
    }
  }
}
