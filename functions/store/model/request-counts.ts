/**
 * Counts of requests for the rate limit of tenants: one item for each process and window. All items of a tenant are in one partition, so
 * one query reads those of a window. `docs/decisions/0017-approximate-rate-limit.md` has the reasons.
 */
import type { Item } from './writes.ts';

/** Milliseconds of a window. Windows begin at multiples of it since 1970, so they are the same in all processes. */
export const windowMs = 10_000;

/** The beginning of the partition keys. No tenant begins with "#". Roles permit keys with this beginning only. */
export const countPrefix = '#rate#';

/** Seconds after which DynamoDB may delete a count. */
const retentionSeconds = 60;

const partitionOf = (tenant: string): string => `${countPrefix}${tenant}`;

/** What a process knows of its own requests when it publishes them. */
export interface PublishedCount {
  readonly tenant: string;
  readonly process: string;
  /** Number of the window since 1970. */
  readonly window: number;
  readonly count: number;
}

/** Returns the item of a count. Each publication replaces the one before, so a lost one does no lasting harm. */
export const encodeCount = ({ tenant, process, window, count }: PublishedCount): Item => ({
  pk: partitionOf(tenant),
  sk: `${window}#${process}`,
  count,
  expiresAt: Math.ceil(((window + 1) * windowMs) / 1_000) + retentionSeconds,
});

/** Returns the query of the counts of all processes in a window. */
export const countsQuery = ({ tenant, window }: PublishedCount) => ({
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :window)',
  ExpressionAttributeValues: { ':pk': partitionOf(tenant), ':window': `${window}#` },
});

export const sumOfOthers = (items: readonly Item[], { window, process }: PublishedCount): number =>
  items
    .filter(({ sk }) => sk !== `${window}#${process}`)
    .reduce((sum, { count }) => sum + (count as number), 0);
