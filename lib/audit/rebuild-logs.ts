/** Writes the columns of the list engine again. */

import { openLog } from '../../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { fillAllHoles, rebuild } from '../../functions/engine/columns/compact/rebuild.ts';
import { type SegmentRow, toValues } from '../../functions/engine/columns/compact/row-block.ts';
import {
  type LogIdentity,
  logPartition,
  manifestSortKey,
  parseLogPartition,
  recordPrefix,
  sequencerKey,
} from '../../functions/engine/model/change-log.ts';
import { storedRow } from '../../functions/engine/model/deletion.ts';
import { type AnyEntity, isWhole } from '../../functions/engine/model/entity.ts';
import { UnknownFormat } from '../../functions/engine/model/errors.ts';
import { decodeAnyEntity, withText } from '../../functions/engine/model/item-codec.ts';
import { entityKey, entitySortKey, textKey } from '../../functions/engine/model/keys.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import { withOtherWords } from '../../functions/engine/model/words.ts';
import type { Item } from '../../functions/engine/model/writes.ts';
import { countOf, type Database } from '../../functions/engine/table/database.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { openTable, type ScannedTable, scanTable } from '../hosting/scan-table.ts';
import { tenantOf } from './trees.ts';

type ScannedLogs = ReadonlyMap<string, LogIdentity & { readonly ids: Set<string> }>;

/** Reads the ids of the entities of logs. @param only the partitions of these logs; by default, all. */
async function scanLogs(table: ScannedTable, only?: ReadonlySet<string>): Promise<ScannedLogs> {
  const logs = new Map<string, LogIdentity & { readonly ids: Set<string> }>();
  const idsOf = (tenant: string, kind: Kind): Set<string> | undefined => {
    const partition = logPartition(tenant, kind);
    if (only && !only.has(partition)) return undefined;
    const log = logs.get(partition) ?? { tenant, kind, ids: new Set<string>() };
    logs.set(partition, log);
    return log.ids;
  };
  const addItem = (item: Item): void => {
    // A log can have rows although no entity is left, in its columns or in its records.
    const isOfLog = item.sk === manifestSortKey || item.sk.startsWith(recordPrefix);
    const log = isOfLog ? parseLogPartition(item.pk) : undefined;
    if (log) idsOf(log.tenant, log.kind);
    if (item.sk !== entitySortKey) return;
    const { kind, entity, deletion } = decodeAnyEntity(item);
    if (!deletion?.isErased) idsOf(tenantOf(item), kind)?.add(entity.id);
  };
  await scanTable(table, (items) => {
    for (const item of items) addItem(item);
  });
  return logs;
}

/** Reads the long texts of entities, as far as they match. */
async function withTexts(
  database: Database,
  { tenant, kind }: LogIdentity,
  stored: readonly AnyEntity[],
): Promise<AnyEntity[]> {
  const keyOf = ({ entity }: AnyEntity) => textKey(tenant, kind, entity.id);
  const items = await database.getMany(stored.filter((one) => !isWhole(one)).map(keyOf));
  const texts = new Map(items.map((item) => [item.pk, item]));
  return stored.map((one) => withText(one, texts.get(keyOf(one).pk)) ?? one);
}

/** Reads entities, and deleted ones, without their long texts. */
export async function readStored(
  database: Database,
  { tenant, kind }: LogIdentity,
  ids: readonly string[],
): Promise<AnyEntity[]> {
  const keys = ids.map((id) => entityKey(tenant, kind, id));
  return (await database.getMany(keys, true, { withDeleted: true })).map(decodeAnyEntity);
}

/** Entities that are read at the same time: eight calls. */
const maxEntities = 800;

/** Reads entities as rows of new columns, with their words. @param open returns a database with a deadline of its own. */
async function readNewRows(
  open: () => Database,
  log: LogIdentity,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SegmentRow>> {
  const rows = new Map<string, SegmentRow>();
  for (let first = 0; first < ids.length; first += maxEntities) {
    const stored = await readStored(open(), log, ids.slice(first, first + maxEntities));
    for (const one of await withTexts(open(), log, stored)) {
      const row = storedRow(one);
      const { entity, version } = one;
      if (row) rows.set(entity.id, { id: entity.id, version, values: toValues(withOtherWords(row, entity)) });
    }
  }
  return rows;
}

interface RebuildOptions extends Pick<ScannedTable, 'onItems' | 'segments'> {
  /** The partitions of the logs to rebuild. Default: all that have entities, records or columns. */
  readonly only?: ReadonlySet<string> | undefined;
}

export interface RebuildResult {
  readonly logs: number;
  readonly rows: number;
  /** Why logs were not rebuilt, by partition: a record that the columns do not have is in a format of another release. */
  readonly blocked: ReadonlyMap<string, string>;
}

/** Writes the columns of logs again, from the entities. */
export async function rebuildLogs(
  client: DynamoDb,
  tableName: string,
  { onItems, only, segments }: RebuildOptions = {},
): Promise<RebuildResult> {
  const table = { client, tableName, segments, onItems };
  const open = (): Database => openTable(table);
  // Their positions must be from before the scan of the entities.
  const found = only ?? new Set((await scanLogs(table)).keys());
  const positions = new Map<string, number>();
  const blocked = new Map<string, string>();
  const unlessBlocked = async (partition: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof UnknownFormat)) throw error;
      blocked.set(partition, error.message);
    }
  };
  for (const partition of found) {
    const log = parseLogPartition(partition);
    if (!log) continue;
    await unlessBlocked(partition, async () => {
      const database = open();
      const count = countOf(await database.get(sequencerKey(log)));
      positions.set(partition, await fillAllHoles(openLog(database, log.tenant, log.kind), count));
    });
  }
  let [logs, rows] = [0, 0];
  for (const [partition, log] of await scanLogs(table, new Set(positions.keys()))) {
    await unlessBlocked(partition, async () => {
      await rebuild({
        open: () => openLog(open(), log.tenant, log.kind),
        ids: log.ids,
        position: positions.get(partition) ?? 0,
        readRows: (ids) => readNewRows(open, log, ids),
      });
      logs += 1;
      rows += log.ids.size;
    });
  }
  return { logs, rows, blocked };
}
