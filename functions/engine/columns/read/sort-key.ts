import { sortedText } from '../../model/row.ts';
import type { ColumnValue } from '../format/dictionary.ts';

/** A text, the rank of an enumeration's value, or null, which is lowest. */
export type SortKey = Buffer | number | null;

export interface ValueOrder {
  readonly field: string;
  /** The values of an enumeration in their order, if the field is one. */
  readonly ranks?: readonly string[] | undefined;
  /** The value of rows that are older than the field. */
  readonly defaultValue?: string | null | undefined;
}

/** The order of a list by one field. */
export interface SortOrder extends ValueOrder {
  readonly isDescending: boolean;
}

export function toSortKey({ field, ranks, defaultValue = null }: ValueOrder, value: ColumnValue): SortKey {
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
