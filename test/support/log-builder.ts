/** A change log for tests: it derives records from the rows after each transaction. */

import { compact } from '#functions/engine/columns/compact/compact.ts';
import { type CompactionSizes, defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import type { RowPage } from '#functions/engine/columns/read/list-rows.ts';
import type { RowQuery } from '#functions/engine/columns/read/row-query.ts';
import type { LogRecord } from '#functions/engine/model/change-log.ts';
import { firstIdAt } from '#functions/engine/model/ids.ts';
import type { LogEntry } from '#functions/engine/model/record-codec.ts';
import type { Row } from '#functions/engine/model/row.ts';
import { MemoryLog } from './memory-log.ts';
import { readRows } from './read-rows.ts';

/** The first time of tests, in milliseconds since 1970. */
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
  sumBy: [],
};

interface Known {
  readonly version: number;
  readonly position: number;
  /** Absent for a deleted row. */
  readonly row: Row | undefined;
}

export class LogBuilder {
  readonly log = new MemoryLog();
  readonly #known = new Map<string, Known>();
  readonly #memory = new ProcessMemory().of('acme', 'task');
  #position = 0;

  /** Takes the next position. One without a record is a hole. */
  takePosition(): number {
    this.#position += 1;
    return this.#position;
  }

  #entry(id: string, after: Row | undefined): LogEntry {
    const { version = 0, position = 0, row } = this.#known.get(id) ?? {};
    return { id, version: version + 1, previousPosition: position, before: row, after };
  }

  /** Returns the record of a transaction at the next position. */
  build(time: number, rows: Readonly<Record<string, Row | undefined>>): LogRecord {
    const position = this.takePosition();
    const entries = Object.entries(rows).map(([id, row]) => this.#entry(id, row));
    for (const { id, version, after } of entries) this.#known.set(id, { version, position, row: after });
    return { position, time, entries };
  }

  /** Commits a transaction. */
  commit(time: number, rows: Readonly<Record<string, Row | undefined>>): void {
    this.log.add(this.build(time, rows));
  }

  /** Takes one step of compaction, however few records there are. */
  compact(nowMs: number, sizes: Partial<CompactionSizes> = {}): ReturnType<typeof compact> {
    return compact({
      writer: this.log.open(),
      memory: this.#memory,
      nowMs,
      isForced: true,
      // New rows do not wait: most tests are about the columns of a few rows.
      sizes: { ...defaultSizes, minSegmentRows: 1, ...sizes },
    });
  }

  /** Takes steps of compaction until nothing is left to do. */
  async compactAll(nowMs: number, sizes: Partial<CompactionSizes> = {}): Promise<void> {
    while ((await this.compact(nowMs, sizes))?.hasMore);
  }

  list(query: Partial<RowQuery> = {}): Promise<RowPage> {
    const memory = new ProcessMemory().of('acme', 'task');
    return readRows({ reader: this.log.open(), memory }, { ...allRows, ...query });
  }

  async ids(query: Partial<RowQuery> = {}): Promise<string[]> {
    return (await this.list(query)).rows.map(({ id }) => id);
  }
}
