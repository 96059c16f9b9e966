/** Ordered columns: the values of a field in the order of their sort keys. */
import { isLongTextField } from '../../model/long-text.ts';
import type { Column } from '../format/column.ts';
import type { RowRange } from './row-filter.ts';
import { compareSortKeys, type SortKey, textKey, toSortKey, type ValueOrder } from './sort-key.ts';
import { PositionCounts } from './sort-key-counts.ts';

/** All rows of a column by the positions of their values, those of one position in their order. */
interface RowsByPosition {
  readonly rows: Uint32Array;
  /** For each position the number of rows with lower ones; at last the number of all rows. */
  readonly starts: Uint32Array;
}

/** A column whose distinct values are numbered in the order of their sort keys: by their positions. */
export class OrderedColumn {
  readonly #column: Column;
  readonly #order: ValueOrder;
  /** Ordinals by position. Without it, the dictionary has that order already. */
  readonly #ordinals: readonly number[] | undefined;
  readonly #positions: Uint32Array | undefined;
  /** The counts of all rows, and the rows by position. A column never changes, and a process keeps it for many lists. */
  #allCounts: PositionCounts | undefined;
  #rowsByPosition: RowsByPosition | undefined;

  constructor(column: Column, order: ValueOrder) {
    this.#column = column;
    this.#order = order;
    const { size, special } = column.dictionary;
    // Only ranks, and a default in place of an absent value, differ from the dictionary's order.
    if (!order.ranks && !special.includes(undefined)) return;
    const keys = Array.from({ length: size }, (_, ordinal) =>
      toSortKey(order, column.dictionary.at(ordinal)),
    );
    this.#ordinals = [...keys.keys()].sort((one, other) =>
      compareSortKeys(keys[one] as SortKey, keys[other] as SortKey),
    );
    this.#positions = new Uint32Array(size);
    for (const [position, ordinal] of this.#ordinals.entries()) this.#positions[ordinal] = position;
  }

  /** Bytes in memory, with the counts of all rows and the rows by position. */
  get bytes(): number {
    return (this.size + 1) * (this.#positions ? 16 : 8) + this.#column.ordinals.length * 4;
  }

  get size(): number {
    return this.#column.dictionary.size;
  }

  positionOf(row: number): number {
    const ordinal = this.#column.ordinals[row] as number;
    return this.#positions ? (this.#positions[ordinal] as number) : ordinal;
  }

  countsOf(rows: Uint32Array): PositionCounts {
    if (!this.isWhole(rows)) return new PositionCounts(this, rows);
    this.#allCounts ??= new PositionCounts(this, rows);
    return this.#allCounts;
  }

  isWhole(rows: Uint32Array): boolean {
    return rows.length === this.#column.ordinals.length;
  }

  /** Returns the rows whose values have the positions `from` up to, but without, `to`, in ascending order. */
  rowsBetween({ from, to }: RowRange): Uint32Array {
    this.#rowsByPosition ??= this.#sortRows();
    const { rows, starts } = this.#rowsByPosition;
    const found = rows.slice(starts[from], starts[to]);
    return to - from > 1 ? found.sort() : found;
  }

  #sortRows(): RowsByPosition {
    const { length } = this.#column.ordinals;
    const starts = new Uint32Array(this.size + 1);
    for (let row = 0; row < length; row += 1) {
      const next = this.positionOf(row) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
    for (let position = 0; position < this.size; position += 1)
      starts[position + 1] = (starts[position + 1] as number) + (starts[position] as number);
    const rows = new Uint32Array(length);
    const next = starts.slice();
    for (let row = 0; row < length; row += 1) {
      const position = this.positionOf(row);
      rows[next[position] as number] = row;
      next[position] = (next[position] as number) + 1;
    }
    return { rows, starts };
  }

  /** Returns the sort key at a position. Values at several positions can have the same one. */
  keyAt(position: number): SortKey {
    const { dictionary } = this.#column;
    const { field, ranks } = this.#order;
    const ordinal = this.#ordinals ? (this.#ordinals[position] as number) : position;
    const isText = ordinal >= dictionary.special.length;
    // Searches compare many keys: the bytes of a text are its key.
    if (isText && !ranks && !isLongTextField(field)) return textKey(dictionary.textAt(ordinal));
    return toSortKey(this.#order, dictionary.at(ordinal));
  }
}
