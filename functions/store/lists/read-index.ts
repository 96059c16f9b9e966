/** Entities from an index. The list engine has chosen them: an index delivers several in one read unit, a read by key delivers one in half a unit. */
import type { Database } from '../dynamodb/database.ts';
import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { type IndexName, table } from '../model/table.ts';

/** A part of an index that has all entities of a list, in the order of creation. */
export interface IndexPartition {
  readonly index: IndexName;
  readonly partition: string;
  /** The beginning of the sort keys, before the id. */
  readonly prefix: string;
}

/** Reads the entities from the lowest to the highest of some ids, at most `max`. There can be others between them. */
export async function readFromIndex(
  database: Database,
  { index, partition, prefix }: IndexPartition,
  { ids, max }: { readonly ids: readonly string[]; readonly max: number },
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
    Limit: max,
  });
  return items.map(decodeEntity);
}
