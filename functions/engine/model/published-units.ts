/**
 * Capacity units that the requests of a tenant have used, for its rate limit: one item for each process and window. All items of a tenant are
 * in one partition, so one query reads those of a window. `docs/decisions/0017-approximate-rate-limit.md` has the reasons.
 */
import type { Item } from './writes.ts';

/** Milliseconds of a window. Windows begin at multiples of it since 1970, so they are the same in all processes. */
export const windowMs = 10_000;

/** The beginning of the partition keys. No tenant begins with "#". Roles permit keys with this beginning only. */
export const ratePrefix = '#rate#';

/** Seconds after which DynamoDB may delete an item. */
const retentionSeconds = 60;

const partitionOf = (tenant: string): string => `${ratePrefix}${tenant}`;

/** The beginning of the sort keys of a window. It names what is counted: a process that counts something else uses other keys. */
const sortKeyPrefix = (window: number): string => `units#${window}#`;

/** What a process publishes of its own requests. */
export interface PublishedUnits {
  readonly tenant: string;
  readonly process: string;
  /** Number of the window since 1970. */
  readonly window: number;
  readonly units: number;
}

/** Returns the item of a process. Each publication replaces the one before, so a lost one does no lasting harm. */
export const encodePublishedUnits = ({ tenant, process, window, units }: PublishedUnits): Item => ({
  pk: partitionOf(tenant),
  sk: `${sortKeyPrefix(window)}${process}`,
  units,
  expiresAt: Math.ceil(((window + 1) * windowMs) / 1_000) + retentionSeconds,
});

/** Returns the query of the units of all processes in a window. */
export const publishedUnitsQuery = ({ tenant, window }: PublishedUnits) => ({
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :window)',
  ExpressionAttributeValues: { ':pk': partitionOf(tenant), ':window': sortKeyPrefix(window) },
});

export const sumOfOthers = (items: readonly Item[], { window, process }: PublishedUnits): number =>
  items
    .filter(({ sk }) => sk !== `${sortKeyPrefix(window)}${process}`)
    .reduce((sum, { units }) => sum + (units as number), 0);
