/** Any page of all of a kind by name, off the index by name; its total comes from the counters. */

import type { Database } from '../dynamodb/database.ts';
import type { Query } from '../dynamodb/query.ts';
import { isTruncatedName } from '../model/keys.ts';
import { table } from '../model/table.ts';
import {
  type Found,
  inOrder,
  type Listing,
  rangeOf,
  readPromised,
  readTotal,
  type Window,
} from './counted-index/page.ts';

const index = 'all-by-name';

const nameQuery = (partition: string, direction: 'up' | 'down'): Query => ({
  IndexName: index,
  KeyConditionExpression: '#partition = :partition',
  ExpressionAttributeNames: { '#partition': table.indexes[index].partitionKey },
  ExpressionAttributeValues: { ':partition': partition },
  ScanIndexForward: direction === 'up',
});

async function readNames(database: Database, listing: Listing, window: Window): Promise<Found> {
  const { order, skip, limit } = window;
  if (skip === 0) {
    const query = nameQuery(listing.partition, order === 'asc' ? 'up' : 'down');
    const [total, items] = await Promise.all([readTotal(database, listing), database.slice(query, 0, limit)]);
    return { items, total };
  }
  const total = await readTotal(database, listing);
  const { from, to } = rangeOf(window, total);
  if (from >= to) return { items: [], total };
  // Names have no counters: what lies between the page and the nearer end is passed over.
  const [direction, passed] = from <= total - to ? (['up', from] as const) : (['down', total - to] as const);
  const items = await database.slice(nameQuery(listing.partition, direction), passed, to - from);
  return { items: inOrder(items, direction, order), total };
}

/**
 * Reads a window of all of a kind by name, and by creation among equal names.
 * @returns nothing when the index cannot tell the order: it holds only the beginning of a very long name.
 */
export async function readNameWindow(
  database: Database,
  listing: Listing,
  window: Window,
): Promise<Found | undefined> {
  const found = await readPromised(window, () => readNames(database, listing, window));
  return found.items.some(({ name }) => isTruncatedName(String(name))) ? undefined : found;
}
