/**
 * Groups of rows that are next to each other in the order of a list. Only the groups that overlap the page are divided further, so the cost
 * of a division depends on the rows of the group.
 */
import { firstPosition } from '../format/binary-search.ts';
import type { OrderedColumn } from './ordered-column.ts';
import type { RowDelta } from './pending-changes.ts';
import type { RowRange } from './row-filter.ts';
import { compareSortKeys, type SortKey } from './sort-key.ts';
import {
  countBelow,
  ListedKeys,
  lowerBound,
  type PositionCounts,
  rowKeyAt,
  type SortKeyCounts,
  upperBound,
} from './sort-key-counts.ts';

/** The rows of one segment that belong to a group. */
export interface GroupPart {
  /** The position of the segment. */
  readonly segment: number;
  readonly count: number;
  /** Returns the rows, in ascending order. */
  readonly rows: () => Uint32Array;
}

/** Rows and deltas, and the part of them that is on the page: the positions `from` up to, but without, `to`. */
export interface Group extends RowRange {
  /** In the order of segments. */
  readonly parts: readonly GroupPart[];
  readonly deltas: readonly RowDelta[];
  /** Number of rows, with those that the deltas add and without those that they remove. */
  readonly count: number;
}

interface Counted {
  readonly count: number;
}

/** Returns the groups that overlap a window, each with the part of the window that is in it. */
export function overlapping<Counts extends Counted>(
  groups: Iterable<Counts>,
  { from, to }: RowRange,
): (Counts & RowRange)[] {
  const found: (Counts & RowRange)[] = [];
  let start = 0;
  for (const group of groups) {
    const end = start + group.count;
    if (Math.min(end, to) > Math.max(start, from)) {
      found.push({ ...group, from: Math.max(0, from - start), to: Math.min(group.count, to - start) });
    }
    start = end;
  }
  return found;
}

/** Returns a group whose window is counted from its other end. */
const mirror = <Windowed extends Counted & RowRange>(group: Windowed): Windowed => ({
  ...group,
  from: group.count - group.to,
  to: group.count - group.from,
});

export function divideInDirection<From extends Counted & RowRange, To extends Counted & RowRange>(
  group: From,
  isDescending: boolean,
  divide: (group: From) => To[],
): To[] {
  return isDescending ? divide(mirror(group)).map(mirror).reverse() : divide(group);
}

/** The rows of a part with one sort key. Their values have the positions of the column from `from` up to, but without, `to`. */
interface Span extends RowRange {
  readonly key: SortKey;
  readonly count: number;
}

interface Keyed {
  readonly key: SortKey;
  readonly count: number;
  readonly part?: GroupPart;
  readonly delta?: RowDelta;
}

class DividedPart {
  readonly counts: PositionCounts;
  readonly #part: GroupPart;
  readonly #column: OrderedColumn;
  readonly #spans: Span[] = [];
  #rows: readonly Uint32Array[] | undefined;

  constructor(part: GroupPart, column: OrderedColumn) {
    this.#part = part;
    this.#column = column;
    this.counts = column.countsOf(part.rows());
  }

  /** Returns the parts with one sort key each, from one key up to and including another. */
  divide(first: SortKey | undefined, last: SortKey | undefined): Keyed[] {
    const { counts } = this;
    const end = last === undefined ? counts.size : upperBound(counts, last);
    const start = first === undefined ? 0 : lowerBound(counts, first);
    for (let position = start; position < end; position += 1) {
      const count = counts.before(position + 1) - counts.before(position);
      // Most keys of a large dictionary have no matching rows.
      if (count > 0) this.#add(counts.keyAt(position), counts.columnPositionAt(position), count);
    }
    const { segment } = this.#part;
    return this.#spans.map(({ key, count }, position) => ({
      key,
      count,
      part: { segment, count, rows: () => this.#rowsOf(position) },
    }));
  }

  #add(key: SortKey, columnPosition: number, count: number): void {
    const previous = this.#spans.at(-1);
    const isEqual = previous !== undefined && compareSortKeys(previous.key, key) === 0;
    if (isEqual) this.#spans.pop();
    this.#spans.push({
      key,
      from: isEqual ? previous.from : columnPosition,
      to: columnPosition + 1,
      count: count + (isEqual ? previous.count : 0),
    });
  }

  #rowsOf(position: number): Uint32Array {
    if (this.#column.isWhole(this.#part.rows()))
      return this.#column.rowsBetween(this.#spans[position] as Span);
    this.#rows ??= this.#collect();
    return this.#rows[position] as Uint32Array;
  }

  /** Collects the rows of all spans at once: each row is looked at once, however many spans there are. */
  #collect(): readonly Uint32Array[] {
    const spans = this.#spans;
    const rows = spans.map(({ count }) => new Uint32Array(count));
    const counts = spans.map(() => 0);
    const { from, to } = { from: (spans[0] as Span).from, to: (spans.at(-1) as Span).to };
    for (const row of this.#part.rows()) {
      const columnPosition = this.#column.positionOf(row);
      if (columnPosition < from || columnPosition >= to) continue;
      const position = spanOf(spans, columnPosition);
      if (columnPosition >= (spans[position] as Span).to) continue;
      const next = counts[position] as number;
      (rows[position] as Uint32Array)[next] = row;
      counts[position] = next + 1;
    }
    return rows;
  }
}

/** Returns the position of the last span that begins at a position of the column, or before it. */
const spanOf = (spans: readonly Span[], columnPosition: number): number =>
  firstPosition(1, spans.length, (position) => (spans[position] as Span).from > columnPosition) - 1;

function groupBySortKey(keyed: readonly Keyed[]): Omit<Group, 'from' | 'to'>[] {
  const groups: { parts: GroupPart[]; deltas: RowDelta[]; count: number }[] = [];
  let previous: Keyed | undefined;
  for (const one of keyed.toSorted((a, b) => compareSortKeys(a.key, b.key))) {
    const isEqual = previous !== undefined && compareSortKeys(previous.key, one.key) === 0;
    const group = (isEqual && groups.at(-1)) || { parts: [], deltas: [], count: 0 };
    if (!isEqual) groups.push(group);
    if (one.part) group.parts.push(one.part);
    if (one.delta) group.deltas.push(one.delta);
    group.count += one.count;
    previous = one;
  }
  return groups;
}

/** Divides a group by the sort key of one level, in ascending order. */
export function divideBySortKey(
  group: Group,
  level: number,
  columnOf: (segment: number) => OrderedColumn,
): Group[] {
  const { parts, deltas, count, from, to } = group;
  if (count === 1 && deltas.length === 0) return [group];
  const divided = parts.map((part) => new DividedPart(part, columnOf(part.segment)));
  const keyed = deltas.map((delta): Keyed & { readonly delta: RowDelta } => ({
    key: delta.keys[level] as SortKey,
    count: delta.count,
    delta,
  }));
  const all: SortKeyCounts[] = [...divided.map(({ counts }) => counts), new ListedKeys(keyed)];
  const first = from > 0 ? rowKeyAt(all, from) : undefined;
  const last = to < count ? rowKeyAt(all, to - 1) : undefined;
  const isBetween = ({ key }: Keyed): boolean =>
    (first === undefined || compareSortKeys(key, first) >= 0) &&
    (last === undefined || compareSortKeys(key, last) <= 0);
  const groups = groupBySortKey([
    ...divided.flatMap((part) => part.divide(first, last)),
    ...keyed.filter(isBetween),
  ]);
  const skipped = first === undefined ? 0 : countBelow(all, first);
  return overlapping(groups, { from: from - skipped, to: to - skipped });
}
