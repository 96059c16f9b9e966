import { sortedText } from '../../model/row.ts';
import type { ColumnValue } from '../format/dictionary.ts';

/**
 * The bytes of a text in UTF-8, the rank of an enumeration's value, or null, which is lowest. Bytes are in a string of as many characters: JavaScript compares
 * such strings several times as fast as buffers.
 */
export type SortKey = string | number | null;

export const textKey = (utf8: Buffer): SortKey => utf8.toString('latin1');

export interface ValueOrder {
  readonly field: string;
  /** The values of an enumeration in their order, if the field is one. */
  readonly ranks?: readonly string[] | undefined;
  /** The value of rows that are older than the field. */
  readonly defaultValue?: string | null | undefined;
}

export interface SortOrder extends ValueOrder {
  readonly isDescending: boolean;
}

export function toSortKey({ field, ranks, defaultValue = null }: ValueOrder, value: ColumnValue): SortKey {
  const known = value === undefined ? defaultValue : value;
  if (known === null) return null;
  return ranks ? ranks.indexOf(known) : textKey(Buffer.from(sortedText(field, known)));
}

/** Compares sort keys of one field. Bytes of UTF-8 compare as code points do, and strings of JavaScript would not. */
export function compareSortKeys(one: SortKey, other: SortKey): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return one < other ? -1 : Number(one > other);
}
