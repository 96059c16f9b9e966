/** The entities of a page from an index. One read unit pays for several entities of an index, and for two that are read by key. */

import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { type IndexName, table } from '../model/table.ts';
import type { Database } from '../table/database.ts';

/** A part of an index that has all entities of a list, in the order of creation. */
export interface IndexPartition {
  readonly index: IndexName;
  readonly partition: string;
  /** The beginning of the sort keys, before the id. */
  readonly prefix: string;
}

/** Reads the entities with some ids, between which the partition has no others. */
export async function readPageFromIndex(
  database: Database,
  { index, partition, prefix }: IndexPartition,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  const sorted = [...ids].sort();
  const { partitionKey, sortKey } = table.indexes[index];
  const { items } = await database.query({
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #key BETWEEN :first AND :last',
    ExpressionAttributeNames: { '#partition': partitionKey, '#key': sortKey },
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': prefix + sorted[0],
      ':last': prefix + sorted.at(-1),
    },
    Limit: ids.length,
  });
  return items.map(decodeEntity);
}
