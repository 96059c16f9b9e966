/**
 * The pace of the jobs of a tenant: how many entities they change in a second, all together. Each change is a record of the change log, and
 * every list of the tenant reads the records of the last moments.
 */
import { formatAttributes, requireReadable } from './stored-format.ts';
import type { Item, Key } from './writes.ts';

export interface Pace {
  readonly tenant: string;
  readonly version: number;
  /** When the changes that were reserved so far end, milliseconds since 1970. */
  readonly freeAt: number;
  /** How much slower than the setting the jobs are: 1 without throttles. */
  readonly slowdown: number;
}

/** A throttle doubles the slowdown, up to this. */
const maxSlowdown = 16;

/** A step without a throttle multiplies the slowdown by this. */
const recovery = 0.75;

/** Reservations further in the future than this are of a wrong clock, in milliseconds. */
const maxAheadMs = 600_000;

/** Seconds after the last reservation for which the item is kept. */
const keptSeconds = 3_600;

interface Reservation {
  readonly nowMs: number;
  /** Number of entities that the step changes. */
  readonly changes: number;
  readonly changesPerSecond: number;
  /** Whether DynamoDB has refused calls of this worker since its last reservation. */
  readonly isThrottled: boolean;
}

export const newPace = (tenant: string): Pace => ({ tenant, version: 0, freeAt: 0, slowdown: 1 });

/**
 * Returns the pace after a reservation. The step may begin when the previous reservations end (the generic cell rate algorithm).
 * @returns the pace, and the milliseconds until the step may begin.
 */
export function reserve(pace: Pace, { nowMs, changes, changesPerSecond, isThrottled }: Reservation) {
  const slowdown = isThrottled
    ? Math.min(maxSlowdown, 2 * pace.slowdown)
    : Math.max(1, recovery * pace.slowdown);
  const isAhead = pace.freeAt > nowMs && pace.freeAt <= nowMs + maxAheadMs;
  const startsAt = isAhead ? pace.freeAt : nowMs;
  const freeAt = startsAt + (slowdown * changes * 1_000) / changesPerSecond;
  return { pace: { ...pace, version: pace.version + 1, freeAt, slowdown }, waitMs: startsAt - nowMs };
}

export const paceKey = (tenant: string): Key => ({ pk: `${tenant}#pace`, sk: 'pace' });

/** Returns the item of a pace. DynamoDB deletes it some time after its last change. */
export const encodePace = (pace: Pace): Item => ({
  ...paceKey(pace.tenant),
  ...formatAttributes('pace'),
  ...pace,
  expiresAt: Math.ceil(pace.freeAt / 1_000) + keptSeconds,
});

/** Returns the pace that an item stores. @throws UnknownFormat. */
export function decodePace(item: Item): Pace {
  requireReadable('pace', item, encodePace(newPace('')));
  const { tenant, version, freeAt, slowdown } = item as unknown as Pace;
  return { tenant, version, freeAt, slowdown };
}
