/** The log and the columns of one kind in the table, for lists: it only reads. */
import type { Database } from '../../dynamodb/database.ts';
import type { Query } from '../../dynamodb/query.ts';
import {
  decodeRecord,
  logPartition,
  manifestSortKey,
  recordPrefix,
  stampPrefix,
} from '../../model/change-log.ts';
import { StoreUnavailable } from '../../model/errors.ts';
import type { Kind } from '../../model/relations.ts';
import { formatAttributes, requireReadable } from '../../model/stored-format.ts';
import type { Item, Key } from '../../model/writes.ts';
import { storedItemOf } from './format/decode-item.ts';
import { bucketPrefix, decodeManifest, type ItemName, isManifest } from './format/manifest.ts';
import type { LogReader } from './storage.ts';

/** Returns the key of an immutable item. A segment's columns have a partition of their own: one partition serves 3,000 read units a second. */
export function itemKey(tenant: string, kind: Kind, name: ItemName): Key {
  const end = name.indexOf('/');
  return { pk: `${tenant}#${kind}#columns#${name.slice(0, end)}`, sk: name.slice(end + 1) };
}

const itemName = ({ pk, sk }: Item): ItemName => `${pk.slice(pk.lastIndexOf('#') + 1)}/${sk}`;

/** Returns the item that stores bytes under a name. */
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

interface KeyRange {
  readonly first: string;
  readonly last: string;
  readonly isAscending: boolean;
}

/** Returns the range of the records with a stamp above one and not above another. */
export const recordRange = (above: number, upTo: number, isAscending: boolean): KeyRange => ({
  first: stampPrefix(above + 1),
  last: stampPrefix(upTo + 1),
  isAscending,
});

export const rangeQuery = (tenant: string, kind: Kind, { first, last, isAscending }: KeyRange): Query => ({
  KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
  ExpressionAttributeValues: { ':partition': logPartition(tenant, kind), ':first': first, ':last': last },
  ConsistentRead: true,
  ScanIndexForward: isAscending,
});

/**
 * Reads whole pages of a range of a log.
 * @param max number of items after which it stops.
 */
async function readRange(
  database: Database,
  tenant: string,
  kind: Kind,
  { max = Number.POSITIVE_INFINITY, ...range }: KeyRange & { readonly max?: number | undefined },
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of database.pages(rangeQuery(tenant, kind, range))) {
    items.push(...page.items);
    if (items.length >= max) break;
  }
  return items;
}

export function openLogReader(database: Database, tenant: string, kind: Kind): LogReader {
  return {
    readHead: async (above) => {
      const range = { first: stampPrefix(above + 1), last: manifestSortKey, isAscending: false };
      const items = await readRange(database, tenant, kind, range);
      const manifest = items.find(isManifest);
      return {
        manifest: manifest && decodeManifest(manifest),
        records: items.filter(({ sk }) => sk.startsWith(recordPrefix)).map(decodeRecord),
      };
    },
    readRecords: async (above, upTo, max) => {
      const range = { ...recordRange(above, upTo, false), max };
      return (await readRange(database, tenant, kind, range)).map(decodeRecord);
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
      for await (const page of pages) items.push(...page.items);
      return encodedItems(items);
    },
    requireTime: () => {
      if (database.deadline.remaining() <= 0) throw new StoreUnavailable('the list takes too long');
    },
  };
}
