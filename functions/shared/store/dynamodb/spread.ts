import type { Key } from '../model/writes.ts';

/** How counters are spread; the benchmark of contention compares with one that is not. */
export const spreading = {
  /** Most parts that a counter is spread over; each is read with every page. */
  mostParts: 32,
};

/** Milliseconds for which this process remembers that a counter is contended. */
const remembered = 5_000;

/** What this process knows of contended counters: over how many parts they are spread, and until when. */
const widths = new Map<string, { width: number; until: number }>();

/** Until when this process remembers that there was a conflict in a partition. */
const conflicts = new Map<string, number>();

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Which part of a counter a transaction adds to. */
export type PartOf = (counter: Key) => number;

/**
 * Draws the parts that one transaction adds to. DynamoDB refuses a transaction that meets another on any item: a
 * counter is one item while it is quiet, and more after a conflict.
 *
 * One draw decides for all of its counters. Two transactions that add to the same ten then meet on all or on none,
 * as likely as on one; had each counter a draw of its own, they would meet on some of them far more often.
 */
export function drawParts(): PartOf {
  const draw = Math.random();
  return (counter) => {
    const known = widths.get(nameOf(counter));
    return known && known.until > Date.now() ? Math.floor(draw * known.width) : 0;
  };
}

/** Whether counters of a partition are likely to be spread, as far as this process knows. */
export const isSpread = (partition: string): boolean => (conflicts.get(partition) ?? 0) > Date.now();

/**
 * Spreads counters on which there was a conflict over more parts.
 * @returns whether there were any.
 */
export function widen(counters: readonly Key[]): boolean {
  const now = Date.now();
  if (widths.size > 1_000) {
    for (const [name, { until }] of widths) if (until <= now) widths.delete(name);
    for (const [partition, until] of conflicts) if (until <= now) conflicts.delete(partition);
  }
  for (const counter of counters) {
    const name = nameOf(counter);
    const known = widths.get(name);
    const width = Math.min(spreading.mostParts, 2 * (known && known.until > now ? known.width : 4));
    widths.set(name, { width, until: now + remembered });
    conflicts.set(counter.pk, now + remembered);
  }
  return counters.length > 0;
}
