/** Queries of rows. */
import type { RowFilter } from './row-filter.ts';
import type { SortOrder } from './sort-key.ts';

/** Ids from one on, up to, but without, another. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

export interface RowQuery {
  readonly filters: readonly RowFilter[];
  readonly ids?: IdRange | undefined;
  /** Without it, the order is that of creation. */
  readonly order?: SortOrder | undefined;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
}
