/** Entities from an index, which lists them in the order of creation. An index may lag behind the table. */
import type { Database } from '../dynamodb/database.ts';
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

/** A part of a listing. */
export interface ListingPart {
  /** Ids from this one up to, but without, the other. */
  readonly from: string;
  readonly to: string;
  readonly isBackwards?: boolean;
  /** Number of entities after which reading stops. */
  readonly max?: number;
}

/** Reads the entities of a part of a listing. */
export async function readListing(
  database: Database,
  { family, partition, status }: IndexListing,
  { from, to, isBackwards = false, max = Number.POSITIVE_INFINITY }: ListingPart,
): Promise<StoredEntity[]> {
  const index = status === undefined ? family : (`${family}-by-status` as const);
  const { partitionKey, sortKey } = table.indexes[index];
  const prefix = status === undefined ? '' : statusPrefix(status);
  const pages = database.pages({
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #key BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#partition': partitionKey, '#key': sortKey },
    ExpressionAttributeValues: { ':partition': partition, ':from': prefix + from, ':to': prefix + to },
    ScanIndexForward: !isBackwards,
    // A query includes both ends of the range.
    ...(Number.isFinite(max) && { Limit: max + 1 }),
  });
  const found: StoredEntity[] = [];
  for await (const items of pages) {
    found.push(...items.map(decodeEntity).filter(({ entity }) => entity.id < to));
    if (found.length >= max) break;
  }
  return found.slice(0, max);
}

/**
 * Reads the part of a listing that begins and ends with entities of a page: only entities of the page lie between them. It costs half a read
 * unit for 4 KB, where a read by key costs half a unit for each entity.
 */
export async function readListed(
  database: Database,
  listing: IndexListing,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  if (ids.length === 0) return [];
  const sorted = [...ids].sort();
  const [from = '', last = ''] = [sorted[0], sorted.at(-1)];
  // A lagging index can return entities that have left the list: `max` limits what they cost.
  return readListing(database, listing, { from, to: `${last}~`, max: ids.length });
}
