/** Filters: which rows of a segment match. */
import type { Row } from '../../model/row.ts';
import type { Column } from './column.ts';
import type { ColumnValue } from './dictionary.ts';
import { deletedVersion } from './manifest.ts';

/** A condition on the value of one field. */
export interface RowFilter {
  readonly field: string;
  /** Decides a value; `undefined` is a row that is older than the field. */
  readonly accepts: (value: ColumnValue) => boolean;
  /** The only text that the filter accepts, if there is one: it is searched for instead of deciding every value. */
  readonly text?: string | undefined;
}

/** Returns whether a row matches all filters. */
export const matchesRow = (filters: readonly RowFilter[], row: Row): boolean =>
  filters.every(({ field, accepts }) => accepts(row[field]));

/** Returns for each ordinal of a column whether the filter accepts its value; `undefined` when it accepts none. */
function acceptedOrdinals({ dictionary }: Column, { accepts, text }: RowFilter): Uint8Array | undefined {
  const accepted = new Uint8Array(dictionary.size);
  const decided = text === undefined ? dictionary.size : dictionary.special.length;
  for (let ordinal = 0; ordinal < decided; ordinal += 1) {
    if (accepts(dictionary.at(ordinal))) accepted[ordinal] = 1;
  }
  const ordinal = text === undefined ? -1 : dictionary.ordinalOf(text);
  if (ordinal >= 0) accepted[ordinal] = 1;
  return accepted.includes(1) ? accepted : undefined;
}

/** A range of rows: `from` up to, but without, `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the rows that match all filters, in their order.
 * @param columns the column of each filter.
 */
export function matchingRows(
  filters: readonly RowFilter[],
  columns: readonly Column[],
  { from, to }: RowRange,
): Uint32Array {
  const rows = new Uint32Array(Math.max(0, to - from));
  let count = 0;
  for (let row = from; row < to; row += 1) rows[count++] = row;
  for (const [position, filter] of filters.entries()) {
    const column = columns[position] as Column;
    const accepted = acceptedOrdinals(column, filter);
    if (!accepted) return rows.subarray(0, 0);
    if (!accepted.includes(0)) continue;
    const { ordinals } = column;
    let kept = 0;
    for (let place = 0; place < count; place += 1) {
      const row = rows[place] as number;
      if (accepted[ordinals[row] as number] === 1) rows[kept++] = row;
    }
    count = kept;
  }
  return rows.subarray(0, count);
}

/** Accepts rows that are not deleted, for a column of versions. */
export const isNotDeleted = (field: string): RowFilter => ({
  field,
  accepts: (version) => version !== deletedVersion,
});
