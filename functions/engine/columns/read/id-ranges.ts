/**
 * Sets of ids, as ranges of their order. Conditions on `id` and `createdAt` are such sets: rows outside are never looked at. The ranges of a
 * set are in ascending order, not empty, and do not touch each other.
 */
import { firstPosition } from '../format/binary-search.ts';

/** Ids from one on, up to, but without, another. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** All ids are in this range. A sort key cannot be empty. */
export const allIds: IdRange = { from: '0', to: 'g' };

export const rangeOfId = (id: string): IdRange => ({ from: id, to: `${id}\u0000` });

/** Returns the ids that are in one of several ranges, in any order. */
export function unionRanges(ranges: readonly IdRange[]): IdRange[] {
  const union: IdRange[] = [];
  for (const { from, to } of ranges.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const start = from > allIds.from ? from : allIds.from;
    const end = to < allIds.to ? to : allIds.to;
    const last = union.at(-1);
    if (start >= end) continue;
    if (!last || last.to < start) union.push({ from: start, to: end });
    else if (last.to < end) union[union.length - 1] = { from: last.from, to: end };
  }
  return union;
}

export const idsAfter = (id: string): IdRange[] => unionRanges([{ from: rangeOfId(id).to, to: allIds.to }]);

export function complementRanges(ranges: readonly IdRange[]): IdRange[] {
  const complement: IdRange[] = [];
  let start = allIds.from;
  for (const { from, to } of ranges) {
    if (start < from) complement.push({ from: start, to: from });
    start = to;
  }
  if (start < allIds.to) complement.push({ from: start, to: allIds.to });
  return complement;
}

export function intersectRanges(one: readonly IdRange[], other: readonly IdRange[]): IdRange[] {
  const outside = [...complementRanges(one), ...complementRanges(other)];
  return complementRanges(unionRanges(outside));
}

/** Returns whether an id is in a set; without a set, every id is. */
export function isInRanges(ranges: readonly IdRange[] | undefined, id: string): boolean {
  if (!ranges) return true;
  const range = ranges[firstPosition(0, ranges.length, (position) => (ranges[position] as IdRange).to > id)];
  return range !== undefined && id >= range.from;
}
