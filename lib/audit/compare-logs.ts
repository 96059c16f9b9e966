/** Compares the rows of the list engine with the entities. */

import { isDeepStrictEqual } from 'node:util';
import { openLog } from '../../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import type { SegmentRow } from '../../functions/engine/columns/compact/row-block.ts';
import { ProcessMemory } from '../../functions/engine/columns/process-memory.ts';
import {
  type KnownRow,
  type RowCounts,
  visitRows,
} from '../../functions/engine/columns/read/read-all-rows.ts';
import { StaleRead } from '../../functions/engine/columns/read/stale-read.ts';
import type { LogIdentity } from '../../functions/engine/model/change-log.ts';
import { UnknownFormat } from '../../functions/engine/model/errors.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { delay } from '../../functions/runtime/time-and-chance.ts';
import { defaultSegments, openTable, type ScannedTable } from '../hosting/scan-table.ts';
import { readStored } from './rebuild-logs.ts';
import {
  type AuditedLog,
  comparedRow,
  copyOfRow,
  type Inventory,
  maxFindings,
  rowOfEntity,
} from './snapshot.ts';

/** Deadline of the reads of one log, retries included. */
const maxLogMs = 600_000;

async function readEntities(
  database: Database,
  log: LogIdentity,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, SegmentRow>> {
  const stored = await readStored(database, log, ids);
  return new Map(
    stored.flatMap((one): [string, SegmentRow][] => {
      const row = rowOfEntity(one, nowMs);
      const { entity, version } = one;
      return row ? [[entity.id, { id: entity.id, version, values: row }]] : [];
    }),
  );
}

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
  table: ScannedTable,
  { tenant, kind }: LogIdentity,
  nowMs: number,
  visit: (id: string, known: KnownRow) => void,
): Promise<RowCounts> {
  const source = {
    reader: openLog(openTable(table, maxLogMs), tenant, kind),
    memory: new ProcessMemory(maxMemoryBytes).of(tenant, kind),
  };
  return visitRows(source, nowMs, (id, { version, row }) => visit(id, { version, row: comparedRow(row) }));
}

/** Subtracts the rows of all logs from the checksums to which the first scan has added those of the entities. */
export async function subtractRows(table: ScannedTable, inventory: Inventory): Promise<void> {
  await forEach(inventory.logs, table.segments ?? defaultSegments, async ([partition, log]) => {
    try {
      const { rows, total } = await visitLog(table, log, inventory.nowMs, (id, known) =>
        inventory.change(partition, copyOfRow(partition, id, known, -1)),
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
  { table, inventory, pauseMs }: Comparison,
  log: LogIdentity,
  isWanted: (id: string, found: ReadonlyMap<string, KnownRow>) => boolean,
): Promise<FoundRows | string> {
  for (let read = 1; ; read += 1) {
    const found = new Map<string, KnownRow>();
    try {
      const counts = await visitLog(table, log, inventory.nowMs, (id, known) => {
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
  const database = openTable(table, maxLogMs);
  const candidates = [...new Set([...first.found.keys(), ...own.suspects])];
  /** Returns those whose rows differ from the entities. */
  const differingIds = async (rows: FoundRows['found'], ids: readonly string[]): Promise<string[]> => {
    const entities = await readEntities(database, own, ids, inventory.nowMs);
    return ids.filter((id) => {
      const row = rows.get(id);
      const entity = entities.get(id);
      return !isDeepStrictEqual(row && { ...row }, entity && { version: entity.version, row: entity.values });
    });
  };
  const differing = await differingIds(first.found, candidates);
  const suspects = new Set(differing);
  if (suspects.size === 0 && first.total === first.rows) {
    const isIncomplete = Math.max(first.found.size, own.suspects.size) >= maxFindings;
    return isIncomplete ? { log, ids: [], isIncomplete } : undefined;
  }
  await delay(pauseMs);
  const again = await readRowsOf(comparison, own, (id) => suspects.has(id));
  if (typeof again === 'string') return { log, ids: [], unreadable: again };
  const ids = await differingIds(again.found, differing);
  const isWrong = again.total !== again.rows;
  return ids.length > 0 || isWrong ? { log, ids, ...(isWrong && { wrongTotal: again.total }) } : undefined;
}

/** Compares the logs that differ by their checksums with their entities, row by row. */
export async function compareLogs(comparison: Comparison): Promise<LogDifference[]> {
  const { inventory } = comparison;
  const found: LogDifference[] = [];
  for (const [log, own] of inventory.logs) {
    if (!inventory.mayDiffer(log)) continue;
    const difference = await compareLog(comparison, log, own);
    if (difference) found.push(difference);
  }
  return found;
}
