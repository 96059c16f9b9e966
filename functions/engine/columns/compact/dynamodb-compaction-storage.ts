/** The log and the columns of one kind in the table, for compaction. */
import { forEach } from '../../../runtime/for-each.ts';
import { now } from '../../../runtime/time-and-chance.ts';
import { fillerWrite, logPartition, manifestSortKey, recordKey } from '../../model/change-log.ts';
import { conditionHolds } from '../../model/errors.ts';
import type { Kind } from '../../model/schema.ts';
import { hasVersion, type Key, notExists } from '../../model/writes.ts';
import type { Database } from '../../table/database.ts';
import { bytesItem, encodedItems, itemKey, openLogReader } from '../dynamodb-storage.ts';
import { encodeManifest, manifestVersion } from '../format/manifest.ts';
import type { LogWriter } from '../storage.ts';

const concurrency = 8;

export function openLog(database: Database, tenant: string, kind: Kind): LogWriter {
  const manifestKey: Key = { pk: logPartition(tenant, kind), sk: manifestSortKey };
  const reader = openLogReader(database, tenant, kind);
  return {
    ...reader,
    fill: async (positions) => {
      const keys = positions.map((position) => recordKey({ tenant, kind }, position));
      await forEach(keys, concurrency, async (key) => {
        const { put, condition } = fillerWrite(key, now());
        await conditionHolds(database.putItem(put, condition));
      });
      return reader.recordsAt(positions);
    },
    remainingMs: () => database.deadline.remaining(),
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
        database.putItem(bytesItem(itemKey(tenant, kind, name), name, bytes)),
      ),
    deleteItems: (names) =>
      forEach(names, concurrency, (name) => database.deleteItem(itemKey(tenant, kind, name))),
    readManifestVersion: async () => {
      const item = await database.get(manifestKey);
      return item ? manifestVersion(item) : 0;
    },
    replaceManifest: (manifest) => {
      const condition = manifest.version === 1 ? notExists : hasVersion(manifest.version - 1);
      return conditionHolds(database.putItem({ ...manifestKey, ...encodeManifest(manifest) }, condition));
    },
  };
}
