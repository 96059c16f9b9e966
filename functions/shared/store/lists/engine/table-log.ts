/** The log and the columns of one kind in the table, for lists: it only reads. */
import type { Database } from '../../dynamodb/database.ts';
import { decodeRecord, logPartition, manifestSortKey, stampPrefix } from '../../model/change-log.ts';
import { StoreUnavailable } from '../../model/errors.ts';
import type { Kind } from '../../model/relations.ts';
import type { Item, Key } from '../../model/writes.ts';
import { bucketPrefix, decodeManifest, type ItemName, isManifest } from './manifest.ts';
import type { LogReader } from './storage.ts';

/** Items of the log between two sort keys. */
export interface LogRange {
  readonly first: string;
  readonly last: string;
  readonly isAscending: boolean;
}

/** Returns the range of the records with a stamp above one and not above another. */
export const recordRange = (above: number, upTo: number, isAscending: boolean): LogRange => ({
  first: stampPrefix(above + 1),
  last: stampPrefix(upTo + 1),
  isAscending,
});

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

/**
 * Reads items of a log consistently.
 * @param max number of items after which it stops.
 */
export async function readLogItems(
  database: Database,
  partition: string,
  { first, last, isAscending }: LogRange,
  max = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const pages = database.pages({
    KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
    ConsistentRead: true,
    ScanIndexForward: isAscending,
  });
  const items: Item[] = [];
  for await (const page of pages) {
    items.push(...page);
    if (items.length >= max) break;
  }
  return items;
}

/** Returns the log of a kind, for lists. */
export function openLogReader(database: Database, tenant: string, kind: Kind): LogReader {
  const partition = logPartition(tenant, kind);
  return {
    readHead: async (above) => {
      const range = { first: stampPrefix(above + 1), last: manifestSortKey, isAscending: false };
      const items = await readLogItems(database, partition, range);
      const manifest = items.find(isManifest);
      return {
        manifest: manifest && decodeManifest(manifest),
        records: items.filter((item) => item !== manifest).map(decodeRecord),
      };
    },
    readRecords: async (above, upTo, max) => {
      const items = await readLogItems(database, partition, recordRange(above, upTo, false), max);
      return items.map(decodeRecord);
    },
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
