/** The log and the columns of one kind in the table, for lists: it only reads. */
import type { Database } from '../../dynamodb/database.ts';
import { decodeRecord } from '../../model/change-log.ts';
import { StoreUnavailable } from '../../model/errors.ts';
import type { Kind } from '../../model/relations.ts';
import type { Item, Key } from '../../model/writes.ts';
import { LogShards } from './log-shards.ts';
import { bucketPrefix, type ItemName } from './manifest.ts';
import type { LogReader } from './storage.ts';

/** Returns the key of an immutable item. A segment's columns have a partition of their own: one partition serves 3,000 read units a second. */
export function itemKey(tenant: string, kind: Kind, name: ItemName): Key {
  const end = name.indexOf('/');
  return { pk: `${tenant}#${kind}#columns#${name.slice(0, end)}`, sk: name.slice(end + 1) };
}

/** Returns the name of an immutable item. */
export const itemName = ({ pk, sk }: Item): ItemName => `${pk.slice(pk.lastIndexOf('#') + 1)}/${sk}`;

/** Returns the bytes of immutable items by their names. */
export const encodedItems = (items: readonly Item[]): Map<ItemName, Uint8Array> =>
  new Map(items.map((item) => [itemName(item), item['bytes'] as Uint8Array]));

/** Returns the log of a kind, for lists. */
export function openLogReader(
  database: Database,
  tenant: string,
  kind: Kind,
  shards = new LogShards(database, tenant, kind),
): LogReader {
  return {
    readHead: (above) => shards.readHead(above),
    readRecords: async (above, upTo, max) => (await shards.readNewest(above, upTo, max)).map(decodeRecord),
    readItems: async (names, isConsistent) => {
      const keys = names.map((name) => itemKey(tenant, kind, name));
      const items = await database.getMany(keys, isConsistent);
      return encodedItems(items);
    },
    readBuckets: async (column, isConsistent) => {
      const { pk, sk } = itemKey(tenant, kind, column);
      const pages = database.pages({
        KeyConditionExpression: 'pk = :partition AND begins_with(sk, :buckets)',
        ExpressionAttributeValues: { ':partition': pk, ':buckets': bucketPrefix(sk) },
        ConsistentRead: isConsistent,
      });
      const items: Item[] = [];
      for await (const page of pages) items.push(...page);
      return encodedItems(items);
    },
    requireTime: () => {
      if (database.deadline.remaining() <= 0) throw new StoreUnavailable('the list takes too long');
    },
  };
}
