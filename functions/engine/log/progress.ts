/** How far a reader of a log is: lists, compaction and the feed have the same notion of it. */
import assert from 'node:assert/strict';

export interface Progress {
  /** The greatest position that the reader has seen. */
  readonly position: number;
  /** The positions below it that had no record yet, in ascending order. */
  readonly holes: readonly number[];
}

/** Holes that a reader remembers, at most. It does not go past more. */
export const maxHoles = 200;

export const positionsOf = (records: readonly { readonly position: number }[]): number[] =>
  records.map(({ position }) => position);

/**
 * Returns the progress of a reader that sees some more records.
 * @param seen their positions, in any order. Those behind too many holes count as not seen.
 */
export function advance({ position, holes }: Progress, seen: Iterable<number>): Progress {
  const positions = new Set(seen);
  const left = holes.filter((hole) => !positions.has(hole));
  const above = [...positions].filter((one) => one > position).sort((one, other) => one - other);
  let last = position;
  for (const one of above) {
    if (left.length + one - last - 1 > maxHoles) break;
    for (let hole = last + 1; hole < one; hole += 1) left.push(hole);
    last = one;
  }
  assert(
    left.every((hole, place) => hole < (left[place + 1] ?? last)),
    'Holes are below the position, in order.',
  );
  return { position: last, holes: left };
}

/** Returns the first positions above one and below another that have no record. */
export function missingBetween(above: number, below: number, seen: Iterable<number>, max: number): number[] {
  const positions = new Set(seen);
  const missing: number[] = [];
  for (let one = above + 1; one < below && missing.length < max; one += 1)
    if (!positions.has(one)) missing.push(one);
  return missing;
}

/** Returns the position up to which no record is missing. */
export const completeUpTo = ({ position, holes: [first] }: Progress): number =>
  first === undefined ? position : first - 1;

/** Returns the progress of a reader that has seen all records up to a position. */
export const upTo = (position: number): Progress => ({ position, holes: [] });
