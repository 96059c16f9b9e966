/** A log in memory, with what a real one does to its processes: calls take time, replicas lag, and processes crash. */

import {
  bucketPrefix,
  decodeManifest,
  encodeManifest,
  type ItemName,
  type Manifest,
} from '#functions/store/lists/engine/format/manifest.ts';
import type { LogHead, LogWriter } from '#functions/store/lists/engine/storage.ts';
import { type LogRecord, manifestSortKey } from '#functions/store/model/change-log.ts';

/** A compaction that crashes: everything that it wrote before stays. */
export class Crash extends Error {}

/** Bytes of an item, at most: 400 KB, without 1 KB for its key and the names of its attributes. */
const maxItemBytes = 399 * 1024;

/** What happens to the calls of one process. */
export interface Process {
  /** Returns when a call, or one page of a query, has been transmitted. */
  readonly delay?: () => Promise<void>;
  /** Called before every write. It throws to crash the process. */
  readonly beforeWrite?: () => void;
  /** Returns whether a read that is not consistent reaches a replica that does not have an item yet. */
  readonly isLagging?: () => boolean;
  /** Returns whether a response is lost: the write is sent again, and its condition fails because of the first one. */
  readonly isResponseLost?: () => boolean;
  /** Records that a query reads at one moment. The next ones are read later. */
  readonly pageSize?: number;
}

/** A process to which nothing happens. */
const faultless: Required<Process> = {
  delay: async () => undefined,
  beforeWrite: () => undefined,
  isLagging: () => false,
  isResponseLost: () => false,
  pageSize: Number.POSITIVE_INFINITY,
};

export class MemoryLog {
  readonly records: LogRecord[] = [];
  readonly items = new Map<ItemName, Uint8Array>();
  manifest: Manifest | undefined;

  add(record: LogRecord): void {
    this.records.push(record);
  }

  #between(above: number, upTo: number): LogRecord[] {
    return this.records
      .filter(({ stamp }) => stamp > above && stamp <= upTo)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Reads records downwards, each page at a moment of its own, as in the table. @param max number of records after which it stops. */
  async #readDownwards(
    process: Process,
    above: number,
    upTo: number,
    max = Number.POSITIVE_INFINITY,
  ): Promise<LogRecord[]> {
    const { delay, pageSize } = { ...faultless, ...process };
    const found: LogRecord[] = [];
    let below = manifestSortKey;
    while (found.length < max) {
      const page = this.#between(above, upTo)
        .filter(({ key }) => key < below)
        .slice(-Math.min(pageSize, max))
        .reverse();
      found.push(...page);
      if (page.length < pageSize) return found;
      below = (page.at(-1) as LogRecord).key;
      await delay();
    }
    return found;
  }

  /** Reads records upwards, each page at a moment of its own. */
  async *#readUpwards(process: Process, above: number, upTo: number) {
    const { delay, pageSize } = { ...faultless, ...process };
    let last = '';
    for (let hasMore = true; hasMore; ) {
      await delay();
      const left = this.#between(above, upTo).filter(({ key }) => key > last);
      const records = left.slice(0, pageSize);
      hasMore = left.length > records.length;
      last = records.at(-1)?.key ?? last;
      yield { records, hasMore };
    }
  }

  #put(name: ItemName, bytes: Uint8Array): void {
    if (this.items.has(name)) throw new Error(`The item ${name} was overwritten.`);
    if (bytes.length > maxItemBytes) throw new Error(`The item ${name} has ${bytes.length} bytes.`);
    this.items.set(name, bytes);
  }

  /** Returns the log as one process sees it. */
  open(process: Process = {}): LogWriter {
    const { delay, beforeWrite, isLagging, isResponseLost } = { ...faultless, ...process };
    return {
      readHead: async (above): Promise<LogHead> => {
        await delay();
        const { manifest } = this;
        return { manifest, records: await this.#readDownwards(process, above, Number.POSITIVE_INFINITY) };
      },
      readRecords: async (above, upTo, max) => {
        await delay();
        return this.#readDownwards(process, above, upTo, max);
      },
      oldestRecords: (above, upTo) => this.#readUpwards(process, above, upTo),
      remainingMs: () => Number.POSITIVE_INFINITY,
      readItems: async (names, isConsistent) => {
        await delay();
        const found = new Map<ItemName, Uint8Array>();
        for (const name of names) {
          const bytes = this.items.get(name);
          if (bytes && (isConsistent || !isLagging())) found.set(name, bytes);
        }
        return found;
      },
      readBuckets: async (column, isConsistent) => {
        await delay();
        const own = [...this.items].filter(([name]) => name.startsWith(bucketPrefix(column)));
        return new Map(own.filter(() => isConsistent || !isLagging()));
      },
      requireTime: () => undefined,
      listItems: async (partition, max) => {
        await delay();
        const own = [...this.items].filter(([name]) => name.startsWith(`${partition}/`));
        return new Map(own.sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, max));
      },
      putItems: async (items) => {
        for (const [name, bytes] of items) {
          beforeWrite();
          this.#put(name, bytes);
        }
        await delay();
      },
      deleteItems: async (names) => {
        for (const name of names) {
          beforeWrite();
          this.items.delete(name);
        }
        await delay();
      },
      readManifestVersion: async () => {
        await delay();
        return this.manifest?.version ?? 0;
      },
      replaceManifest: async (manifest) => {
        await delay();
        beforeWrite();
        if ((this.manifest?.version ?? 0) !== manifest.version - 1) return false;
        this.manifest = decodeManifest({ pk: '', sk: '', ...encodeManifest(manifest) });
        await delay();
        beforeWrite();
        return !isResponseLost();
      },
    };
  }
}
