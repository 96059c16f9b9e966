/** Entities from an index, which lists them in the order of creation. An index may lag behind the table. */
import type { Database } from '../dynamodb/database.ts';
import type { Query } from '../dynamodb/query.ts';
import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { statusPrefix } from '../model/keys.ts';
import { type IndexFamily, table } from '../model/table.ts';

/** What an index lists. */
export interface IndexListing {
  readonly family: IndexFamily;
  readonly partition: string;
  /** Only what has this status. */
  readonly status?: string | undefined;
}

/** Ids from one up to another, both included. */
export interface IdBounds {
  readonly first: string;
  readonly last: string;
}

/** Contains all ids. */
export const allIds: IdBounds = { first: '0', last: 'g' };

/** Returns the query of a listing. */
export function listingQuery({ family, partition, status }: IndexListing, { first, last }: IdBounds): Query {
  const index = status === undefined ? family : (`${family}-by-status` as const);
  const { partitionKey, sortKey } = table.indexes[index];
  const prefix = status === undefined ? '' : statusPrefix(status);
  return {
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #key BETWEEN :first AND :last',
    ExpressionAttributeNames: { '#partition': partitionKey, '#key': sortKey },
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': prefix + first,
      ':last': prefix + last,
    },
  };
}

/**
 * Reads the entities of a listing between two ids.
 * @param max entities after which it stops. It reads whole pages of a query, so it can read some more.
 */
export async function readListing(
  database: Database,
  listing: IndexListing,
  bounds: IdBounds,
  max = Number.POSITIVE_INFINITY,
): Promise<StoredEntity[]> {
  const query = { ...listingQuery(listing, bounds), ...(Number.isFinite(max) && { Limit: max }) };
  const found: StoredEntity[] = [];
  for await (const items of database.pages(query)) {
    found.push(...items.map(decodeEntity));
    if (found.length >= max) break;
  }
  return found;
}
