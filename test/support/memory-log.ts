/** A log in memory, for tests of the list engine. Nothing happens to its calls, unless a test says so. */

import {
  bucketPrefix,
  decodeManifest,
  encodeManifest,
  type ItemName,
  type Manifest,
} from '#functions/engine/columns/format/manifest.ts';
import type { LogWriter } from '#functions/engine/columns/storage.ts';
import type { LogRecord } from '#functions/engine/model/change-log.ts';

/** Bytes of an item, at most: 400 KB, without 1 KB for its key and the names of its attributes. */
const maxItemBytes = 399 * 1024;

interface LogOptions {
  /** Returns whether a read that is not consistent reaches a replica that does not have an item yet. */
  readonly isLagging?: () => boolean;
  /** Records of one page of a query, at most. */
  readonly pageSize?: number;
}

export class MemoryLog {
  readonly items = new Map<ItemName, Uint8Array>();
  manifest: Manifest | undefined;
  readonly #records = new Map<number, LogRecord>();

  /** In the order of their positions. */
  get records(): LogRecord[] {
    return [...this.#records.values()].sort((one, other) => one.position - other.position);
  }

  add(record: LogRecord): void {
    if (this.#records.has(record.position)) throw new Error(`The position ${record.position} has a record.`);
    this.#records.set(record.position, record);
  }

  #above(position: number): LogRecord[] {
    return this.records.filter((record) => record.position > position);
  }

  #put(name: ItemName, bytes: Uint8Array): void {
    if (this.items.has(name)) throw new Error(`The item ${name} was overwritten.`);
    if (bytes.length > maxItemBytes) throw new Error(`The item ${name} has ${bytes.length} bytes.`);
    this.items.set(name, bytes);
  }

  open({ isLagging = () => false, pageSize = Number.POSITIVE_INFINITY }: LogOptions = {}): LogWriter {
    const isVisible = (isConsistent: boolean): boolean => isConsistent || !isLagging();
    const above = (position: number): LogRecord[] => this.#above(position);
    return {
      readHead: async (position) => {
        const records = above(position).reverse();
        return {
          manifest: this.manifest,
          records: records.slice(0, pageSize),
          isComplete: records.length <= pageSize,
        };
      },
      readManifest: async () => this.manifest,
      oldestRecords: async (position, isEnough = () => false) => {
        const all = above(position);
        let count = pageSize;
        while (count < all.length && !isEnough(all.slice(0, count))) count += pageSize;
        return all.slice(0, count);
      },
      recordsAt: async (positions) => positions.flatMap((position) => this.#records.get(position) ?? []),
      fill: async (positions) =>
        positions.map((position) => {
          if (!this.#records.has(position)) this.add({ position, time: 0, entries: [] });
          return this.#records.get(position) as LogRecord;
        }),
      remainingMs: () => Number.POSITIVE_INFINITY,
      readItems: async (names, isConsistent) => {
        const found = new Map<ItemName, Uint8Array>();
        for (const name of names) {
          const bytes = this.items.get(name);
          if (bytes && isVisible(isConsistent)) found.set(name, bytes);
        }
        return found;
      },
      readBuckets: async (column, isConsistent) => {
        const own = [...this.items].filter(([name]) => name.startsWith(bucketPrefix(column)));
        return new Map(own.filter(() => isVisible(isConsistent)));
      },
      requireTime: () => undefined,
      listItems: async (partition, max) => {
        const own = [...this.items].filter(([name]) => name.startsWith(`${partition}/`));
        return new Map(own.sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, max));
      },
      putItems: async (items) => {
        for (const [name, bytes] of items) this.#put(name, bytes);
      },
      deleteItems: async (names) => {
        for (const name of names) this.items.delete(name);
      },
      readManifestVersion: async () => this.manifest?.version ?? 0,
      replaceManifest: async (manifest) => {
        if ((this.manifest?.version ?? 0) !== manifest.version - 1) return false;
        this.manifest = decodeManifest({ pk: '', sk: '', ...encodeManifest(manifest) });
        return true;
      },
    };
  }
}
