/** A change log for tests: it derives records from the rows after each transaction. */

import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { type CompactionSizes, defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import type { RowPage } from '#functions/store/lists/engine/read/list-rows.ts';
import type { RowQuery } from '#functions/store/lists/engine/read/row-query.ts';
import { type LogRecord, stampPrefix } from '#functions/store/model/change-log.ts';
import { firstIdAt } from '#functions/store/model/ids.ts';
import type { LogEntry } from '#functions/store/model/log-entry.ts';
import type { Row } from '#functions/store/model/row.ts';
import { MemoryLog } from '../simulation/memory-log.ts';
import { readRows } from './read-rows.ts';

/** The first stamp of tests, in milliseconds since 1970. */
export const startMs = 1_700_000_000_000;

/** Returns an id. Ids with greater numbers are greater. */
export const idOf = (number: number): string =>
  firstIdAt(startMs + number).replace('0000-0000-0000', '7000-8000-0000');

/** All rows in the order of creation. */
export const allRows: RowQuery = {
  filters: [],
  orders: [],
  isDescending: false,
  skip: 0,
  limit: 1_000,
  countBy: [],
};

interface Known {
  readonly version: number;
  readonly stamp: number;
  /** Absent for a deleted row. */
  readonly row: Row | undefined;
}

export class LogBuilder {
  readonly log = new MemoryLog();
  readonly #known = new Map<string, Known>();
  readonly #memory = new ProcessMemory().of('acme', 'task');

  #entry(id: string, after: Row | undefined): LogEntry {
    const { version = 0, stamp = 0, row } = this.#known.get(id) ?? {};
    return { id, version: version + 1, previousStamp: stamp, before: row, after };
  }

  #versions(ids: readonly string[]): Map<string, number> {
    return new Map(
      ids.flatMap((id) => {
        const known = this.#known.get(id);
        return known?.row ? [[id, known.version] as const] : [];
      }),
    );
  }

  build(stamp: number, rows: Readonly<Record<string, Row | undefined>>): LogRecord {
    const entries = Object.entries(rows).map(([id, row]) => this.#entry(id, row));
    for (const { id, version, after } of entries) this.#known.set(id, { version, stamp, row: after });
    return { key: `${stampPrefix(stamp)}#${entries.map(({ id }) => id).join()}`, stamp, entries };
  }

  /** Commits a transaction. */
  commit(stamp: number, rows: Readonly<Record<string, Row | undefined>>): void {
    this.log.records.push(this.build(stamp, rows));
  }

  /**
   * Takes one step of compaction that absorbs all records with a stamp before a time.
   * @param late records that may be late.
   */
  compact(
    nowMs: number,
    sizes: Partial<CompactionSizes> = {},
    late: readonly LogRecord[] = [],
  ): ReturnType<typeof compact> {
    return compact({
      late: { records: late, readVersions: async (ids) => this.#versions(ids) },
      writer: this.log.open(),
      memory: this.#memory,
      nowMs,
      marginMs: 0,
      isForced: true,
      sizes: { ...defaultSizes, ...sizes },
    });
  }

  /** Takes steps of compaction until nothing is left to do. */
  async compactAll(nowMs: number, sizes: Partial<CompactionSizes> = {}): Promise<void> {
    while ((await this.compact(nowMs, sizes))?.hasMore);
  }

  list(query: Partial<RowQuery> = {}): Promise<RowPage> {
    const memory = new ProcessMemory().of('acme', 'task');
    return readRows({ reader: this.log.open(), memory, nowMs: startMs }, { ...allRows, ...query });
  }

  async ids(query: Partial<RowQuery> = {}): Promise<string[]> {
    return (await this.list(query)).rows.map(({ id }) => id);
  }
}
