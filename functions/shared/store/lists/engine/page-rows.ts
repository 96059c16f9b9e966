/**
 * Page rows: which rows are on a page. Only the groups of rows that overlap the page are divided further: by sort key, by segment,
 * by chunk of ids, and at last by id. Changes that the columns do not contain yet add rows to these groups or remove rows from them.
 */
import { chunkOf, chunkOfRow } from './ids.ts';
import type { Segment } from './manifest.ts';
import { groupDeltas, type RowDelta, sumOf } from './row-delta.ts';
import type { RowRange } from './row-filter.ts';
import type { Snapshot } from './snapshot.ts';
import {
  compareSortKeys,
  countBelow,
  type KeyCounts,
  keyAtRank,
  ListedKeys,
  lowerBound,
  type SortedColumn,
  type SortKey,
  upperBound,
} from './sort-key.ts';

/** The rows of one segment that match. */
export interface SegmentRows {
  readonly segment: Segment;
  /** Number of rows that match. */
  readonly count: number;
  /** Absent when the page has no row of the segment. */
  readonly rows?: Uint32Array | undefined;
  /** Absent when the list is in the order of creation. */
  readonly sorted?: SortedColumn | undefined;
}

/** A row of a page: in the columns, or from the log. */
export type PageRow = { readonly segment: Segment; readonly row: number } | { readonly id: string };

/** Rows and deltas that are next to each other in the order, and the part of them that is on the page. */
interface Group {
  readonly key: SortKey;
  readonly segment: SegmentRows | undefined;
  readonly rows: Uint32Array;
  readonly deltas: readonly RowDelta[];
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

type Counted = Omit<Group, 'from' | 'to'>;

const noRows = new Uint32Array(0);

/** Returns the groups that overlap a window, each with the part of the window that is in it. */
export function overlapping<Counts extends { readonly count: number }>(
  groups: Iterable<Counts>,
  from: number,
  to: number,
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

/** Returns the distinct keys between two keys, both included, in their order. */
function keysBetween(all: readonly KeyCounts[], first: SortKey, last: SortKey): SortKey[] {
  const keys: SortKey[] = [];
  for (const counts of all) {
    const end = upperBound(counts, last);
    for (let position = lowerBound(counts, first); position < end; position += 1) {
      // Most keys of a large dictionary have no matching rows.
      if (counts.before(position + 1) !== counts.before(position)) keys.push(counts.keyAt(position));
    }
  }
  keys.sort(compareSortKeys);
  return keys.filter(
    (key, position) => position === 0 || compareSortKeys(keys[position - 1] as SortKey, key) !== 0,
  );
}

/** Returns the rows of a segment with one sort key. */
function rowsWithKey({ segment, rows, sorted }: SegmentRows, key: SortKey): Uint32Array {
  if (!rows) throw new Error(`The rows of the segment ${segment.id} were not read.`);
  if (!sorted) return rows;
  const first = lowerBound(sorted, key);
  const end = upperBound(sorted, key);
  const count = sorted.before(end) - sorted.before(first);
  if (count === 0) return noRows;
  const found = new Uint32Array(count);
  let next = 0;
  for (const row of rows) {
    const position = sorted.positionOf(row);
    if (position >= first && position < end) found[next++] = row;
  }
  return found;
}

/** Returns the number of rows of a segment with one sort key. */
function countWithKey({ count, sorted }: SegmentRows, key: SortKey): number {
  return sorted ? sorted.before(upperBound(sorted, key)) - sorted.before(lowerBound(sorted, key)) : count;
}

/** The rows of all segments, and the deltas. */
export interface Rows {
  readonly segments: readonly SegmentRows[];
  readonly deltas: readonly RowDelta[];
  readonly isSorted: boolean;
}

/** Returns the window by sort key: the key of each group and the part of it that is on the page. */
function groupsByKey({ segments, deltas, isSorted }: Rows, from: number, to: number) {
  if (!isSorted) return [{ key: null, deltas, from, to }];
  const all: KeyCounts[] = segments.flatMap(({ sorted }) => sorted ?? []);
  all.push(new ListedKeys(deltas));
  const first = keyAtRank(all, from);
  const last = keyAtRank(all, to - 1);
  const groups = keysBetween(all, first, last).map((key): Counted => {
    const own = deltas.filter((delta) => compareSortKeys(delta.key, key) === 0);
    const count = segments.reduce((sum, segment) => sum + countWithKey(segment, key), sumOf(own));
    return { key, segment: undefined, rows: noRows, deltas: own, count };
  });
  const skipped = countBelow(all, first);
  return overlapping(groups, from - skipped, to - skipped);
}

/** Divides a group of one sort key by segment. */
function divideBySegment(
  { segments }: Rows,
  { key, deltas, from, to }: Pick<Group, 'key' | 'deltas' | 'from' | 'to'>,
): Group[] {
  const bySegment = groupDeltas(deltas, ({ segment }) => segment);
  const groups = segments.map((segment, position): Counted => {
    const own = bySegment.get(position) ?? [];
    return { key, segment, rows: noRows, deltas: own, count: countWithKey(segment, key) + sumOf(own) };
  });
  const added = bySegment.get(segments.length) ?? [];
  groups.push({ key, segment: undefined, rows: noRows, deltas: added, count: sumOf(added) });
  return overlapping(groups, from, to).map((group) =>
    group.segment ? { ...group, rows: rowsWithKey(group.segment, key) } : group,
  );
}

/** Divides a group of one sort key and one segment by chunk of ids. */
function divideByChunk(fence: Buffer, { rows, deltas, from, to, ...group }: Group): Group[] {
  const byChunk = groupDeltas(deltas, ({ id }) => chunkOf(fence, id));
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  for (const [position, row] of rows.entries()) {
    const chunk = chunkOfRow(row);
    if (!starts.has(chunk)) starts.set(chunk, position);
    ends.set(chunk, position + 1);
  }
  const chunks = [...new Set([...byChunk.keys(), ...starts.keys()])].sort((one, other) => one - other);
  const groups = chunks.map((chunk): Counted => {
    const own = byChunk.get(chunk) ?? [];
    const part = rows.subarray(starts.get(chunk) ?? 0, ends.get(chunk) ?? 0);
    return { ...group, rows: part, deltas: own, count: part.length + sumOf(own) };
  });
  return overlapping(groups, from, to);
}

/** Returns the rows of a group without deltas, or of one whose chunk of ids was read. */
function rowsOfGroup(snapshot: Snapshot, { segment, rows, deltas, from, to }: Group): PageRow[] {
  if (!segment || rows.length === 0) {
    const added = deltas.filter(({ count }) => count > 0).map(({ id }) => ({ id }));
    return added.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(from, to);
  }
  if (deltas.length === 0)
    return Array.from(rows.subarray(from, to), (row) => ({ segment: segment.segment, row }));
  const removed = new Set(deltas.filter(({ count }) => count < 0).map(({ id }) => id));
  const kept = Array.from(rows, (row) => ({ id: snapshot.idOf(segment.segment, row), row })).filter(
    ({ id }) => !removed.has(id),
  );
  const added = deltas.filter(({ count }) => count > 0).map(({ id }) => ({ id, row: undefined }));
  return [...kept, ...added]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(from, to)
    .map(({ id, row }) => (row === undefined ? { id } : { segment: segment.segment, row }));
}

const needsIds = ({ rows, deltas, segment }: Group): boolean =>
  segment !== undefined && rows.length > 0 && deltas.length > 0;

/**
 * Returns the rows at positions of an ascending order.
 * @param from position of the first row.
 * @param to position after the last row, which must not exceed the total.
 */
export async function selectRows(
  snapshot: Snapshot,
  rows: Rows,
  from: number,
  to: number,
): Promise<PageRow[]> {
  if (to <= from) return [];
  const bySegment = groupsByKey(rows, from, to).flatMap((group) => divideBySegment(rows, group));
  await snapshot.loadFences(
    bySegment.filter(needsIds).map(({ segment }) => (segment as SegmentRows).segment),
  );
  const byChunk = bySegment.flatMap((group) =>
    needsIds(group) ? divideByChunk(snapshot.fence((group.segment as SegmentRows).segment), group) : [group],
  );
  await snapshot.loadIds(
    byChunk.filter(needsIds).map((group) => ({
      segment: (group.segment as SegmentRows).segment,
      chunk: chunkOfRow(group.rows[0] as number),
    })),
  );
  return byChunk.flatMap((group) => rowsOfGroup(snapshot, group));
}
