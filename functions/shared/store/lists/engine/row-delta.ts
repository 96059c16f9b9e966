/** Row deltas: what the tail of the log adds to the rows of the columns, and removes from them. */
import type { Row } from '../../model/row.ts';
import { segmentOf } from './manifest.ts';
import type { LogState } from './read-state.ts';
import type { RowChange } from './row-change.ts';
import { matchesRow } from './row-filter.ts';
import { isInRange, type RowQuery } from './row-query.ts';
import { compareSortKeys, type SortKey, toSortKey } from './sort-key.ts';

/** A row that the columns do not contain yet, or one that they still contain. */
export interface RowDelta {
  readonly id: string;
  readonly key: SortKey;
  /** 1 adds the row, -1 removes it. */
  readonly count: 1 | -1;
  /** The position of its segment; after the last one for ids that are greater than all in the columns. */
  readonly segment: number;
}

/** Returns how many rows deltas add. */
export const sumOf = (deltas: readonly RowDelta[]): number =>
  deltas.reduce((sum, { count }) => sum + count, 0);

/** Returns deltas by a number that they belong to. */
export function groupDeltas(
  deltas: readonly RowDelta[],
  numberOf: (delta: RowDelta) => number,
): Map<number, RowDelta[]> {
  const groups = new Map<number, RowDelta[]>();
  for (const delta of deltas) {
    const number = numberOf(delta);
    const group = groups.get(number);
    if (group) group.push(delta);
    else groups.set(number, [delta]);
  }
  return groups;
}

/** Returns the deltas of a query. */
export function tailDeltas({ manifest, tail }: LogState, { filters, ids, order }: RowQuery): RowDelta[] {
  const { segments } = manifest;
  const last = segments.at(-1)?.last ?? '';
  const keyOf = (row: Row) => (order ? toSortKey(order, row[order.field]) : null);
  const deltas: RowDelta[] = [];
  const add = ({ id }: RowChange, row: Row | undefined, count: 1 | -1): void => {
    if (!row || !isInRange(ids, id) || !matchesRow(filters, row)) return;
    deltas.push({
      id,
      key: keyOf(row),
      count,
      segment: id > last ? segments.length : segmentOf(manifest, id),
    });
  };
  for (const change of tail.values()) {
    add(change, change.before, -1);
    add(change, change.after, 1);
  }
  return withoutUnmoved(deltas);
}

/** Leaves out rows that are removed and added at the same place: their chunk of ids need not be read. */
function withoutUnmoved(deltas: readonly RowDelta[]): RowDelta[] {
  const kept: RowDelta[] = [];
  for (const delta of deltas) {
    const previous = kept.at(-1);
    const isUnmoved = previous?.id === delta.id && compareSortKeys(previous.key, delta.key) === 0;
    if (isUnmoved) kept.pop();
    else kept.push(delta);
  }
  return kept;
}
