/** Compares the rows of the list engine with the entities, and writes its columns again. */

import { isDeepStrictEqual } from 'node:util';
import { openLog } from '../../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { fillAllHoles, rebuild } from '../../functions/engine/columns/compact/rebuild.ts';
import { type SegmentRow, toValues } from '../../functions/engine/columns/compact/row-block.ts';
import { ProcessMemory } from '../../functions/engine/columns/process-memory.ts';
import {
  type KnownRow,
  type RowCounts,
  visitRows,
} from '../../functions/engine/columns/read/read-all-rows.ts';
import { StaleRead } from '../../functions/engine/columns/read/stale-read.ts';
import {
  logPartition,
  manifestSortKey,
  parseLogPartition,
  recordPrefix,
  sequencerKey,
} from '../../functions/engine/model/change-log.ts';
import { isDeletedItem } from '../../functions/engine/model/deletion.ts';
import { isWhole, type StoredEntity } from '../../functions/engine/model/entity.ts';
import { UnknownFormat } from '../../functions/engine/model/errors.ts';
import { decodeEntity, withText } from '../../functions/engine/model/item-codec.ts';
import { entityKey, entitySortKey, textKey } from '../../functions/engine/model/keys.ts';
import { toRow } from '../../functions/engine/model/row.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import { withOtherWords } from '../../functions/engine/model/words.ts';
import type { Item } from '../../functions/engine/model/writes.ts';
import { countOf, Database } from '../../functions/engine/table/database.ts';
import { Deadline } from '../../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { delay } from '../../functions/runtime/time-and-chance.ts';
import { defaultSegments, type ScannedTable, scanTable } from '../hosting/scan-table.ts';
import { type AuditedLog, copyOfRow, type Inventory, maxFindings, mayDiffer, tenantOf } from './snapshot.ts';

/** Deadline of one call, retries included. */
const maxCallMs = 60_000;

interface Log {
  readonly tenant: string;
  readonly kind: Kind;
}

type ScannedLogs = ReadonlyMap<string, Log & { readonly ids: Set<string> }>;

/** Reads the ids of the entities of logs. @param only the partitions of these logs; by default, all. */
async function scanLogs(table: ScannedTable, only?: ReadonlySet<string>): Promise<ScannedLogs> {
  const logs = new Map<string, Log & { readonly ids: Set<string> }>();
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
    if (item.sk !== entitySortKey || isDeletedItem(item)) return;
    const { kind, entity } = decodeEntity(item);
    idsOf(tenantOf(item), kind)?.add(entity.id);
  };
  await scanTable(table, (items) => {
    for (const item of items) addItem(item);
  });
  return logs;
}

/** Reads the long texts of entities, as far as they match. */
async function withTexts(
  database: Database,
  { tenant, kind }: Log,
  stored: readonly StoredEntity[],
): Promise<StoredEntity[]> {
  const keyOf = ({ entity }: StoredEntity) => textKey(tenant, kind, entity.id);
  const items = await database.getMany(stored.filter((one) => !isWhole(one)).map(keyOf));
  const texts = new Map(items.map((item) => [item.pk, item]));
  return stored.map((one) => withText(one, texts.get(keyOf(one).pk)) ?? one);
}

async function readStored(
  database: Database,
  { tenant, kind }: Log,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  return (await database.getMany(ids.map((id) => entityKey(tenant, kind, id)))).map(decodeEntity);
}

async function readEntities(
  database: Database,
  log: Log,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SegmentRow>> {
  const stored = await readStored(database, log, ids);
  return new Map(
    stored.map(({ entity, version }) => [entity.id, { id: entity.id, version, values: toRow(entity) }]),
  );
}

/** Entities that are read at the same time: eight calls. */
const maxEntities = 800;

/** Reads entities as rows of new columns, with their words. @param open returns a database with a deadline of its own. */
async function readNewRows(
  open: () => Database,
  log: Log,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SegmentRow>> {
  const rows = new Map<string, SegmentRow>();
  for (let first = 0; first < ids.length; first += maxEntities) {
    const stored = await readStored(open(), log, ids.slice(first, first + maxEntities));
    for (const { entity, version } of await withTexts(open(), log, stored)) {
      const values = toValues(withOtherWords(toRow(entity), entity));
      rows.set(entity.id, { id: entity.id, version, values });
    }
  }
  return rows;
}

interface RebuildOptions {
  readonly onItems?: ((count: number) => void) | undefined;
  readonly segments?: number | undefined;
  /** The partitions of the logs to rebuild. Default: all that have entities, records or columns. */
  readonly only?: ReadonlySet<string> | undefined;
}

export interface RebuildResult {
  readonly logs: number;
  readonly rows: number;
  /** Why logs were not rebuilt, by partition: a record that the columns do not have is in a format of another release. */
  readonly blocked: ReadonlyMap<string, string>;
}

export async function rebuildLogs(
  client: DynamoDb,
  tableName: string,
  { onItems, only, segments }: RebuildOptions = {},
): Promise<RebuildResult> {
  const open = (): Database => new Database(client, tableName, new Deadline(maxCallMs));
  const table = { client, tableName, segments, onItems };
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

const differingIds = (
  rows: ReadonlyMap<string, KnownRow>,
  entities: ReadonlyMap<string, SegmentRow>,
  ids: Iterable<string>,
): string[] =>
  [...ids].filter((id) => {
    const row = rows.get(id);
    const entity = entities.get(id);
    return !isDeepStrictEqual(row && { ...row }, entity && { version: entity.version, row: entity.values });
  });

export interface LogDifference {
  readonly log: string;
  /** `maxFindings` at most. */
  readonly ids: readonly string[];
  /** The total that lists without filters have, if it is wrong. */
  readonly wrongTotal?: number;
  /** Why the log cannot be read, if it cannot: a part of it is missing, as in a table that was restored, or is in a format of another release. */
  readonly unreadable?: string;
  /** Whether too many rows may differ to compare all of them in one run, and none of the first ones does. */
  readonly isIncomplete?: true;
}

interface Comparison {
  readonly table: ScannedTable;
  readonly inventory: Inventory;
  readonly pauseMs: number;
}

/** Bytes of columns that the comparison of one log keeps, at most: a quarter of what the memory gets. */
const maxMemoryBytes = 128 * 1024 * 1024;

/** Visits the rows of a log. @throws the errors of `visitRows`. */
async function visitLog(
  { client, tableName }: ScannedTable,
  { tenant, kind }: Log,
  visit: (id: string, known: KnownRow) => void,
): Promise<RowCounts> {
  const database = new Database(client, tableName, new Deadline(10 * maxCallMs));
  const source = {
    reader: openLog(database, tenant, kind),
    memory: new ProcessMemory(maxMemoryBytes).of(tenant, kind),
  };
  return visitRows(source, visit);
}

/** Subtracts the rows of all logs from the checksums to which the first scan has added those of the entities. */
export async function subtractRows(table: ScannedTable, inventory: Inventory): Promise<void> {
  await forEach(inventory.logs, table.segments ?? defaultSegments, async ([partition, log]) => {
    try {
      const { rows, total } = await visitLog(table, log, (id, known) =>
        inventory.change(log, copyOfRow(partition, id, known, -1)),
      );
      log.isUncertain = rows !== total;
    } catch (error) {
      if (!(error instanceof StaleRead) && !(error instanceof UnknownFormat)) throw error;
      log.isUncertain = true;
    }
  });
}

/** Reads of a log before it is reported as unreadable. A step of compaction between two items of a read also makes a read fail. */
const maxReads = 3;

/** What the columns and records of a log have. */
interface FoundRows extends RowCounts {
  readonly found: ReadonlyMap<string, KnownRow>;
}

/**
 * Reads some rows of a log.
 * @param isWanted whether a row is kept.
 * @returns why the log cannot be read: its format is unknown, or several reads, with pauses, find that a part is missing.
 */
async function readRowsOf(
  { table, pauseMs }: Comparison,
  log: Log,
  isWanted: (id: string, found: ReadonlyMap<string, KnownRow>) => boolean,
): Promise<FoundRows | string> {
  for (let read = 1; ; read += 1) {
    const found = new Map<string, KnownRow>();
    try {
      const counts = await visitLog(table, log, (id, known) => {
        if (isWanted(id, found)) found.set(id, known);
      });
      return { ...counts, found };
    } catch (error) {
      if (error instanceof UnknownFormat) return error.message;
      if (!(error instanceof StaleRead)) throw error;
      if (read === maxReads) return error.message;
      await delay(pauseMs);
    }
  }
}

/** Returns how a log differs from its entities. It differs when a second comparison, after a pause, finds the same. */
async function compareLog(
  comparison: Comparison,
  log: string,
  own: AuditedLog,
): Promise<LogDifference | undefined> {
  const { table, inventory, pauseMs } = comparison;
  const first = await readRowsOf(
    comparison,
    own,
    (id, { size }) => size < maxFindings && inventory.checksums.differs(`${log}#${id}`),
  );
  if (typeof first === 'string') return { log, ids: [], unreadable: first };
  const database = new Database(table.client, table.tableName, new Deadline(10 * maxCallMs));
  const candidates = [...new Set([...first.found.keys(), ...own.suspects])];
  const differing = differingIds(first.found, await readEntities(database, own, candidates), candidates);
  const suspects = new Set(differing);
  if (suspects.size === 0 && first.total === first.rows) {
    const isIncomplete = Math.max(first.found.size, own.suspects.size) >= maxFindings;
    return isIncomplete ? { log, ids: [], isIncomplete } : undefined;
  }
  await delay(pauseMs);
  const again = await readRowsOf(comparison, own, (id) => suspects.has(id));
  if (typeof again === 'string') return { log, ids: [], unreadable: again };
  const ids = differingIds(again.found, await readEntities(database, own, differing), suspects);
  const isWrong = again.total !== again.rows;
  return ids.length > 0 || isWrong ? { log, ids, ...(isWrong && { wrongTotal: again.total }) } : undefined;
}

/** Compares the logs that differ by their checksums with their entities, row by row. */
export async function compareLogs(comparison: Comparison): Promise<LogDifference[]> {
  const differing = [...comparison.inventory.logs].filter(([, log]) => mayDiffer(log));
  const found: LogDifference[] = [];
  for (const [log, own] of differing) {
    const difference = await compareLog(comparison, log, own);
    if (difference) found.push(difference);
  }
  return found;
}
