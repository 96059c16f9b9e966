/** The log and the columns of one kind in the table, for compaction. */
import { forEach } from '../../../../for-each.ts';
import type { Database } from '../../../dynamodb/database.ts';
import { decodeRecord, logPartition, manifestSortKey } from '../../../model/change-log.ts';
import { hasVersion, notExists } from '../../../model/condition-expressions.ts';
import { ConditionFailed } from '../../../model/errors.ts';
import { type Kind, referencesOf } from '../../../model/relations.ts';
import { encodeManifest, type FacetFields } from '../manifest.ts';
import type { LogWriter } from '../storage.ts';
import { encodedItems, itemKey, openLogReader, readLogItems, recordRange } from '../table-log.ts';

/** Items that are written or deleted at the same time. */
const concurrency = 8;

/** Returns what is counted of a kind: the filters that indexes serve in the order of creation. */
function facetsOf(kind: Kind): FacetFields[] {
  const parents = referencesOf(kind).flatMap(({ field, index }) => (index ? [field] : []));
  return [['status'], ...parents.flatMap((field) => [[field], [field, 'status']])];
}

/** Returns the log of a kind, for compaction. */
export function openLog(database: Database, tenant: string, kind: Kind): LogWriter {
  const partition = logPartition(tenant, kind);
  return {
    ...openLogReader(database, tenant, kind),
    facets: facetsOf(kind),
    readOldestRecords: async (above, upTo, max) => {
      const items = await readLogItems(database, partition, recordRange(above, upTo, true), max);
      return items.map(decodeRecord);
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
