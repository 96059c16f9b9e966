/** The log and the columns of one kind in the table, for lists: it only reads. */

import {
  decodeStoredRecord,
  type LogRecord,
  logPartition,
  manifestSortKey,
  maxPosition,
  recordKey,
  recordPrefix,
  recordSortKey,
} from '../model/change-log.ts';
import { StoreUnavailable } from '../model/errors.ts';
import type { Kind } from '../model/schema.ts';
import { formatAttributes, requireReadable, type StoredItem } from '../model/stored-format.ts';
import type { Item, Key } from '../model/writes.ts';
import type { Database } from '../table/database.ts';
import type { Query } from '../table/query.ts';
import { storedItemOf } from './format/decode-item.ts';
import { bucketPrefix, decodeManifest, type ItemName, isManifest } from './format/manifest.ts';
import type { LogReader } from './storage.ts';

/** Returns the key of an immutable item. A segment's columns have a partition of their own: one partition serves 3,000 read units a second. */
export function itemKey(tenant: string, kind: Kind, name: ItemName): Key {
  const end = name.indexOf('/');
  return { pk: `${tenant}#${kind}#columns#${name.slice(0, end)}`, sk: name.slice(end + 1) };
}

const itemName = ({ pk, sk }: Key): ItemName => `${pk.slice(pk.lastIndexOf('#') + 1)}/${sk}`;

export const kindOfImmutable = (key: Key): StoredItem => storedItemOf(itemName(key));

export const bytesItem = (key: Key, name: ItemName, bytes: Uint8Array): Item => ({
  ...key,
  ...formatAttributes(storedItemOf(name)),
  bytes,
});

const bytesFields = { bytes: true };

/** Returns the bytes of items by their names. @throws UnknownFormat. */
export const encodedItems = (items: readonly Item[]): Map<ItemName, Uint8Array> =>
  new Map(
    items.map((item) => {
      const name = itemName(item);
      requireReadable(storedItemOf(name), item, bytesFields);
      return [name, item['bytes'] as Uint8Array];
    }),
  );

/**
 * Returns the query for the records of a log above a position, the oldest first, consistently.
 * @param last sort key; by default, there are none behind the last possible record, as the manifest is.
 */
export const rangeQuery = (
  tenant: string,
  kind: Kind,
  above: number,
  last = recordSortKey(maxPosition + 1),
): Query => ({
  KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
  ExpressionAttributeValues: {
    ':partition': logPartition(tenant, kind),
    ':first': recordSortKey(above + 1),
    ':last': last,
  },
  ConsistentRead: true,
});

export function openLogReader(database: Database, tenant: string, kind: Kind): LogReader {
  return {
    readHead: async (above) => {
      const upToManifest = rangeQuery(tenant, kind, above, manifestSortKey);
      const { items, next } = await database.query({ ...upToManifest, ScanIndexForward: false });
      const manifest = items.find(isManifest);
      return {
        manifest: manifest && decodeManifest(manifest),
        records: items.filter(({ sk }) => sk.startsWith(recordPrefix)).map(decodeStoredRecord),
        isComplete: next === undefined,
      };
    },
    readManifest: async () => {
      const item = await database.get({ pk: logPartition(tenant, kind), sk: manifestSortKey });
      return item && decodeManifest(item);
    },
    oldestRecords: async (above, isEnough = () => false) => {
      const records: LogRecord[] = [];
      for await (const { items } of database.pages(rangeQuery(tenant, kind, above))) {
        records.push(...items.map(decodeStoredRecord));
        if (isEnough(records)) break;
      }
      return records;
    },
    recordsAt: async (positions) => {
      const keys = positions.map((position) => recordKey({ tenant, kind }, position));
      return (await database.getMany(keys)).map(decodeStoredRecord);
    },
    readItems: async (names, isConsistent) => {
      const keys = names.map((name) => itemKey(tenant, kind, name));
      return encodedItems(await database.getMany(keys, isConsistent));
    },
    readBuckets: async (column, isConsistent) => {
      const { pk, sk } = itemKey(tenant, kind, column);
      const pages = database.pages({
        KeyConditionExpression: 'pk = :partition AND begins_with(sk, :buckets)',
        ExpressionAttributeValues: { ':partition': pk, ':buckets': bucketPrefix(sk) },
        ConsistentRead: isConsistent,
      });
      const items: Item[] = [];
      for await (const page of pages) items.push(...page.items);
      return encodedItems(items);
    },
    requireTime: () => {
      if (database.deadline.remaining() <= 0) throw new StoreUnavailable('the list takes too long');
    },
  };
}
