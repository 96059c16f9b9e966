/** Compares the rows of the list engine with the entities, and writes its columns again. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../functions/store/dynamodb/database.ts';
import { Deadline } from '../../functions/store/dynamodb/deadline.ts';
import { openLog } from '../../functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { rebuild, type ScannedRows } from '../../functions/store/lists/engine/compaction/rebuild.ts';
import type { SegmentRow } from '../../functions/store/lists/engine/compaction/row-block.ts';
import { ProcessMemory } from '../../functions/store/lists/engine/process-memory.ts';
import {
  type KnownRow,
  type LogContents,
  readLogContents,
} from '../../functions/store/lists/engine/read/read-all-rows.ts';
import { StaleRead } from '../../functions/store/lists/engine/read/stale-read.ts';
import {
  logPartition,
  manifestSortKey,
  parseLogPartition,
  recordPrefix,
} from '../../functions/store/model/change-log.ts';
import { isDeletedItem } from '../../functions/store/model/deletion.ts';
import { UnknownFormat } from '../../functions/store/model/errors.ts';
import { decodeEntity } from '../../functions/store/model/item-codec.ts';
import { entityKey, entitySortKey } from '../../functions/store/model/keys.ts';
import { marginMs as defaultMarginMs } from '../../functions/store/model/log-timing.ts';
import type { Kind } from '../../functions/store/model/relations.ts';
import { toRow } from '../../functions/store/model/row.ts';
import type { Item } from '../../functions/store/model/writes.ts';
import { tenantOf } from './snapshot.ts';

/** Deadline of one call, retries included. */
const maxCallMs = 60_000;

interface Log {
  readonly tenant: string;
  readonly kind: Kind;
}

interface ScannedLogs {
  readonly logs: ReadonlyMap<string, Log & { readonly rows: Map<string, SegmentRow> }>;
  readonly beganAt: number;
}

async function scanLogs(
  client: DynamoDBDocumentClient,
  TableName: string,
  onItems: (count: number) => void = () => {},
): Promise<ScannedLogs> {
  const logs = new Map<string, Log & { readonly rows: Map<string, SegmentRow> }>();
  const logOf = (tenant: string, kind: Kind): Map<string, SegmentRow> => {
    const partition = logPartition(tenant, kind);
    const log = logs.get(partition) ?? { tenant, kind, rows: new Map<string, SegmentRow>() };
    logs.set(partition, log);
    return log.rows;
  };
  const beganAt = await new Database(client, TableName, new Deadline(maxCallMs)).time();
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const item of Items as Item[]) {
      // A log can have rows although no entity is left, in its columns or in its records.
      const isOfLog = item.sk === manifestSortKey || item.sk.startsWith(recordPrefix);
      const log = isOfLog ? parseLogPartition(item.pk) : undefined;
      if (log) logOf(log.tenant, log.kind);
      if (item.sk !== entitySortKey || isDeletedItem(item)) continue;
      const { kind, entity, version } = decodeEntity(item);
      logOf(tenantOf(item), kind).set(entity.id, { id: entity.id, version, values: toRow(entity) });
    }
    onItems(Items.length);
  }
  return { logs, beganAt };
}

interface RebuildOptions {
  readonly onItems?: ((count: number) => void) | undefined;
  /** The partitions of the logs to rebuild. Default: all that have entities, records or columns. */
  readonly only?: ReadonlySet<string>;
  /** Milliseconds after which a record is settled. Tests that write nothing meanwhile need not wait. */
  readonly marginMs?: number;
}

interface RebuildResult {
  readonly logs: number;
  readonly rows: number;
}

export async function rebuildLogs(
  client: DynamoDBDocumentClient,
  tableName: string,
  { onItems, only, marginMs = defaultMarginMs }: RebuildOptions = {},
): Promise<RebuildResult> {
  const { logs, beganAt } = await scanLogs(client, tableName, onItems);
  let count = 0;
  let total = 0;
  for (const [partition, { tenant, kind, rows }] of logs) {
    if (only && !only.has(partition)) continue;
    const scanned: ScannedRows = { rows, beganAt };
    const database = new Database(client, tableName, new Deadline(10 * maxCallMs));
    const writer = openLog(database, tenant, kind);
    while (!(await rebuild(writer, scanned, await database.time(), marginMs)));
    count += 1;
    total += rows.size;
  }
  return { logs: count, rows: total };
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
  readonly ids: readonly string[];
  /** The total that lists without filters have, if it is wrong. */
  readonly wrongTotal?: number;
  /** Why the log cannot be read, if it cannot: a part of it is missing, as in a table that was restored, or is in a format of another release. */
  readonly unreadable?: string;
}

interface Comparison {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly pauseMs: number;
}

/** Reads of a log before it is reported as unreadable. A step of compaction between two items of a read also makes a read fail. */
const maxReads = 3;

/** Reads all of a log. @returns why it cannot be read: its format is unknown, or several reads, with pauses, find that a part is missing. */
async function readContents(
  { client, tableName, pauseMs }: Comparison,
  { tenant, kind }: Log,
): Promise<LogContents | string> {
  for (let read = 1; ; read += 1) {
    const database = new Database(client, tableName, new Deadline(10 * maxCallMs));
    try {
      return await readLogContents({
        reader: openLog(database, tenant, kind),
        memory: new ProcessMemory().of(tenant, kind),
        nowMs: await database.time(),
      });
    } catch (error) {
      if (error instanceof UnknownFormat) return error.message;
      if (!(error instanceof StaleRead)) throw error;
      if (read === maxReads) return error.message;
      await delay(pauseMs);
    }
  }
}

async function readRows(
  database: Database,
  { tenant, kind }: Log,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SegmentRow>> {
  const items = await database.getMany(ids.map((id) => entityKey(tenant, kind, id)));
  return new Map(
    items
      .map(decodeEntity)
      .map(({ entity, version }) => [entity.id, { id: entity.id, version, values: toRow(entity) }]),
  );
}

/** Returns how a log differs from its entities. It differs when a second comparison, after a pause, finds the same. */
async function compareLog(
  comparison: Comparison,
  log: string,
  own: Log & { readonly rows: ReadonlyMap<string, SegmentRow> },
): Promise<LogDifference | undefined> {
  const { client, tableName, pauseMs } = comparison;
  const contents = await readContents(comparison, own);
  if (typeof contents === 'string') return { log, ids: [], unreadable: contents };
  const { rows, total } = contents;
  const suspects = differingIds(rows, own.rows, new Set([...rows.keys(), ...own.rows.keys()]));
  if (suspects.length === 0 && total === rows.size) return undefined;
  await delay(pauseMs);
  const again = await readContents(comparison, own);
  if (typeof again === 'string') return { log, ids: [], unreadable: again };
  const database = new Database(client, tableName, new Deadline(10 * maxCallMs));
  const ids = differingIds(again.rows, await readRows(database, own, suspects), suspects);
  const isWrong = again.total !== again.rows.size;
  return ids.length > 0 || isWrong ? { log, ids, ...(isWrong && { wrongTotal: again.total }) } : undefined;
}

export async function compareLogs(
  client: DynamoDBDocumentClient,
  tableName: string,
  pauseMs: number,
): Promise<{ readonly logs: readonly LogDifference[]; readonly count: number }> {
  const { logs } = await scanLogs(client, tableName);
  const found: LogDifference[] = [];
  for (const [log, own] of logs) {
    const difference = await compareLog({ client, tableName, pauseMs }, log, own);
    if (difference) found.push(difference);
  }
  return { logs: found, count: logs.size };
}
