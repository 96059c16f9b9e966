import type { Place } from '../../model/list-query.ts';
import type { CountedField, RowSum } from './count-values.ts';
import type { IdRange } from './id-ranges.ts';
import type { RowFilter } from './row-filter.ts';
import type { SortOrder } from './sort-key.ts';

export type ShownFields = 'all' | ReadonlySet<string>;

export interface RowQuery {
  /** All of them must hold. */
  readonly filters: readonly RowFilter[];
  /** Only these ids, as a set of ranges. */
  readonly ids?: readonly IdRange[] | undefined;
  /** The first one decides, then the next ones, then the id. Without any, the order is that of creation. */
  readonly orders: readonly SortOrder[];
  /** The direction of the ids of rows that are equal in all orders. */
  readonly isDescending: boolean;
  /** Whether the rows are those of deleted entities, instead of those that exist. */
  readonly isOfDeleted?: boolean;
  readonly skip: number;
  /** The page begins behind this place. `skip` is ignored. */
  readonly after?: Place | undefined;
  readonly limit: number;
  /** The fields whose values are counted over all rows that match. */
  readonly countBy: readonly CountedField[];
  /** The fields whose numbers are added over all rows that match, and over each counted value. */
  readonly sumBy: readonly RowSum[];
  /** What the rows of the page are for; absent when only their ids and versions are. */
  readonly shows?: ShownFields | undefined;
}

/** What a query of rows has that takes all rows, in the order of their creation. */
export const allRows = {
  filters: [],
  orders: [],
  isDescending: false,
  skip: 0,
  countBy: [],
  sumBy: [],
} as const;
