/** The log and the columns of one kind in the table, for compaction. */
import { forEach } from '../../../../for-each.ts';
import type { Database } from '../../../dynamodb/database.ts';
import {
  encodeShards,
  logPartition,
  manifestSortKey,
  maxShards,
  shardsKey,
} from '../../../model/change-log.ts';
import { hasVersion, notExists } from '../../../model/condition-expressions.ts';
import { ConditionFailed } from '../../../model/errors.ts';
import { type Kind, referencesOf } from '../../../model/relations.ts';
import type { Condition, Item } from '../../../model/writes.ts';
import { LogShards } from '../log-shards.ts';
import { encodeManifest, type FacetFields } from '../manifest.ts';
import type { LogWriter } from '../storage.ts';
import { encodedItems, itemKey, openLogReader } from '../table-log.ts';

/** Items that are written or deleted at the same time. */
const concurrency = 8;

/** Returns what is counted of a kind: the filters that indexes serve in the order of creation. */
function facetsOf(kind: Kind): FacetFields[] {
  const parents = referencesOf(kind).flatMap(({ field, index }) => (index ? [field] : []));
  return [['status'], ...parents.flatMap((field) => [[field], [field, 'status']])];
}

/** Returns the condition that an item of shards does not exist, or has an earlier end. */
const isUntilBefore = (until: number): Condition => ({
  expression: 'attribute_not_exists(pk) OR #until < :until',
  names: { '#until': 'until' },
  values: { ':until': until },
});

/** Returns the log of a kind, for compaction. */
export function openLog(database: Database, tenant: string, kind: Kind): LogWriter {
  const shards = new LogShards(database, tenant, kind);
  /** Puts an item under a condition. @returns whether the condition holds. */
  const putIf = async (condition: Condition, item: Item): Promise<boolean> => {
    try {
      await database.putItem(item, condition);
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  };
  return {
    ...openLogReader(database, tenant, kind, shards),
    facets: facetsOf(kind),
    readOldestRecords: (above, upTo, max) => shards.readOldest(above, upTo, max),
    openShards: async (until) => {
      const shards = { ...shardsKey(tenant, kind), ...encodeShards({ count: maxShards, until }) };
      await putIf(isUntilBefore(until), shards);
    },
    listItems: async (prefix, max) => {
      const { items } = await database.query({
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': itemKey(tenant, kind, `${prefix}/`).pk },
        Limit: max,
      });
      return encodedItems(items);
    },
    putItems: (items) =>
      forEach(items, concurrency, ([name, bytes]) =>
        database.putItem({ ...itemKey(tenant, kind, name), bytes }),
      ),
    deleteItems: (names) =>
      forEach(names, concurrency, (name) => database.deleteItem(itemKey(tenant, kind, name))),
    replaceManifest: (manifest) =>
      putIf(manifest.version === 1 ? notExists : hasVersion(manifest.version - 1), {
        pk: logPartition(tenant, kind),
        sk: manifestSortKey,
        ...encodeManifest(manifest),
      }),
  };
}
