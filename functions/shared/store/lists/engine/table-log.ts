/** The log and the columns of one kind in the table. */
import { forEach } from '../../../for-each.ts';
import type { Database } from '../../dynamodb/database.ts';
import { decodeRecord, logPartition, manifestSortKey, stampPrefix } from '../../model/change-log.ts';
import { hasVersion, notExists } from '../../model/condition-expressions.ts';
import { ConditionFailed, StoreUnavailable } from '../../model/errors.ts';
import { type Kind, referencesOf } from '../../model/relations.ts';
import type { Item, Key } from '../../model/writes.ts';
import { type ColumnCache, sharedColumns } from './column-cache.ts';
import { decodeManifest, encodeManifest, type FacetFields, type ItemName, isManifest } from './manifest.ts';
import type { LogWriter } from './storage.ts';

/** Items that are written or deleted at the same time. */
const concurrency = 8;

/** Items of the log between two sort keys. */
interface LogRange {
  readonly first: string;
  readonly last: string;
  readonly isAscending: boolean;
}

/** Returns what this process remembers of a log. */
export const logCache = (database: Database, tenant: string, kind: Kind): ColumnCache =>
  sharedColumns.of(`${database.tableName}#${tenant}`, kind);

/** Returns what is counted of a kind: the filters that indexes serve in the order of creation. */
function facetsOf(kind: Kind): FacetFields[] {
  const parents = referencesOf(kind).flatMap(({ field, index }) => (index ? [field] : []));
  return [['status'], ...parents.flatMap((field) => [[field], [field, 'status']])];
}

/** Returns the log of a kind. List functions use only what reads: their roles allow no more. */
export function openLog(database: Database, tenant: string, kind: Kind): LogWriter {
  const partition = logPartition(tenant, kind);

  /** A segment's columns have a partition of their own: one partition serves 3,000 read units a second. */
  const keyOf = (name: ItemName): Key => {
    const end = name.indexOf('/');
    return { pk: `${tenant}#${kind}#columns#${name.slice(0, end)}`, sk: name.slice(end + 1) };
  };
  const nameOf = ({ pk, sk }: Item): ItemName => `${pk.slice(pk.lastIndexOf('#') + 1)}/${sk}`;

  const readLog = (range: LogRange) =>
    database.pages({
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':partition': partition, ':first': range.first, ':last': range.last },
      ConsistentRead: true,
      ScanIndexForward: range.isAscending,
    });

  /** @param max number of items after which it stops. */
  const readItems = async (range: LogRange, max = Number.POSITIVE_INFINITY): Promise<Item[]> => {
    const items: Item[] = [];
    for await (const page of readLog(range)) {
      items.push(...page);
      if (items.length >= max) break;
    }
    return items;
  };

  return {
    facets: facetsOf(kind),
    readHead: async (above) => {
      const items = await readItems({
        first: stampPrefix(above + 1),
        last: manifestSortKey,
        isAscending: false,
      });
      const manifest = items.find(isManifest);
      return {
        manifest: manifest && decodeManifest(manifest),
        records: items.filter((item) => item !== manifest).map(decodeRecord),
      };
    },
    readRecords: async (above, upTo, max) => {
      const range = { first: stampPrefix(above + 1), last: stampPrefix(upTo + 1), isAscending: false };
      return (await readItems(range, max)).map(decodeRecord);
    },
    readOldestRecords: async (above, upTo, max) => {
      const range = { first: stampPrefix(above + 1), last: stampPrefix(upTo + 1), isAscending: true };
      return (await readItems(range, max)).map(decodeRecord);
    },
    readItems: async (names, isConsistent) => {
      const items = await database.getMany(names.map(keyOf), isConsistent);
      return new Map(items.map((item) => [nameOf(item), item['bytes'] as Uint8Array]));
    },
    requireTime: () => {
      if (database.deadline.remaining() <= 0) throw new StoreUnavailable('the list takes too long');
    },
    listItems: async (prefix, max) => {
      const { items } = await database.query({
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': keyOf(`${prefix}/`).pk },
        Limit: max,
      });
      return new Map(items.map((item) => [nameOf(item), item['bytes'] as Uint8Array]));
    },
    putItems: (items) =>
      forEach(items, concurrency, ([name, bytes]) => database.putItem({ ...keyOf(name), bytes })),
    deleteItems: (names) => forEach(names, concurrency, (name) => database.deleteItem(keyOf(name))),
    replaceManifest: async (manifest) => {
      const condition = manifest.version === 1 ? notExists : hasVersion(manifest.version - 1);
      try {
        await database.putItem(
          { pk: partition, sk: manifestSortKey, ...encodeManifest(manifest) },
          condition,
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionFailed) return false;
        throw error;
      }
    },
  };
}
