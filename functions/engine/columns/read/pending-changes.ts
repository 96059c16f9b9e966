/** Row deltas: what pending changes add to the rows of the columns, and remove from them. */
import { deletedAtOf } from '../../model/deletion.ts';
import type { Row } from '../../model/row.ts';
import { type Manifest, placeOf } from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';
import { isInRanges } from './id-ranges.ts';
import { rowPredicate } from './row-filter.ts';
import type { RowQuery } from './row-query.ts';
import { compareSortKeys, type SortKey, toSortKey } from './sort-key.ts';

export interface MatchingChange {
  readonly id: string;
  readonly row: Row;
  /** 1 adds the row, -1 removes it. */
  readonly count: 1 | -1;
}

/** A matching change with its sort keys, one for each order of the list. */
export interface RowDelta {
  readonly id: string;
  readonly keys: readonly SortKey[];
  readonly count: 1 | -1;
  /** The position of its segment; after the last one for ids that are greater than all in the columns. */
  readonly segment: number;
}

export const sumOf = (deltas: readonly Pick<RowDelta, 'count'>[]): number =>
  deltas.reduce((sum, { count }) => sum + count, 0);

export function matchingChanges(
  pending: Iterable<RowChange>,
  { filters, ids, isOfDeleted = false }: RowQuery,
): MatchingChange[] {
  const matches = rowPredicate(filters);
  const changes: MatchingChange[] = [];
  const add = (id: string, row: Row | undefined, count: 1 | -1): void => {
    if (row && (deletedAtOf(row) !== null) === isOfDeleted && matches(row)) changes.push({ id, row, count });
  };
  for (const { id, before, after } of pending) {
    if (!isInRanges(ids, id)) continue;
    add(id, before, -1);
    add(id, after, 1);
  }
  return changes;
}

export function toDeltas(
  manifest: Manifest,
  changes: readonly MatchingChange[],
  { orders }: RowQuery,
): RowDelta[] {
  return withoutUnmoved(
    changes.map(({ id, row, count }) => ({
      id,
      keys: orders.map((order) => toSortKey(order, row[order.field])),
      count,
      segment: placeOf(manifest, id),
    })),
  );
}

const areEqual = (one: readonly SortKey[], other: readonly SortKey[]): boolean =>
  one.every((key, level) => compareSortKeys(key, other[level] as SortKey) === 0);

/** Leaves out rows that are removed and added with equal sort keys: their chunk of ids need not be read. */
function withoutUnmoved(deltas: readonly RowDelta[]): RowDelta[] {
  const kept: RowDelta[] = [];
  for (const delta of deltas) {
    const previous = kept.at(-1);
    const isUnmoved = previous?.id === delta.id && areEqual(previous.keys, delta.keys);
    if (isUnmoved) kept.pop();
    else kept.push(delta);
  }
  return kept;
}
