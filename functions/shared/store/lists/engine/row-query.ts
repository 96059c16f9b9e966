/** Queries of rows. */
import type { RowFilter } from './row-filter.ts';
import type { SortOrder } from './sort-key.ts';

/** Ids from one on, up to, but without, another. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** All ids are in this range. A sort key cannot be empty. */
export const allIds: IdRange = { from: '0', to: 'g' };

/** Returns whether an id is in a range; without a range, every id is. */
export const isInRange = (range: IdRange | undefined, id: string): boolean =>
  range === undefined || (id >= range.from && id < range.to);

export interface RowQuery {
  readonly filters: readonly RowFilter[];
  readonly ids?: IdRange | undefined;
  /** Without it, the order is that of creation. */
  readonly order?: SortOrder | undefined;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
}
