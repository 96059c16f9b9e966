/** A log in memory, with what a real one does to its processes: calls take time, replicas lag, and processes crash. */

import { mergeShards } from '../../functions/shared/store/lists/engine/log-shards.ts';
import {
  bucketPrefix,
  decodeManifest,
  encodeManifest,
  type ItemName,
  type Manifest,
} from '../../functions/shared/store/lists/engine/manifest.ts';
import type { LogHead, LogWriter } from '../../functions/shared/store/lists/engine/storage.ts';
import {
  type LogRecord,
  manifestSortKey,
  maxShards,
  type Shards,
} from '../../functions/shared/store/model/change-log.ts';

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

/** The records with a stamp above one and not above another; as many as `max`, if it is given. */
interface RecordRange {
  readonly above: number;
  readonly upTo: number;
  readonly max?: number | undefined;
}

/** Write units of a small record in a transaction. */
const recordWriteUnits = 2;

export class MemoryLog {
  readonly records: LogRecord[] = [];
  /** The shard of each record that is not in the first one, by key. */
  readonly #shardOf = new Map<string, number>();
  /** Partitions over which writers may spread records. */
  shards: Shards = { count: 1, until: 0 };
  readonly items = new Map<ItemName, Uint8Array>();
  manifest: Manifest | undefined;

  /** Number of records that are not in the first shard. */
  get recordsInOtherShards(): number {
    return this.#shardOf.size;
  }

  /** Adds a record to a shard. */
  add(record: LogRecord, shard = 0): void {
    if (shard > 0) this.#shardOf.set(record.key, shard);
    this.records.push(record);
  }

  #between(shard: number, above: number, upTo: number): LogRecord[] {
    return this.records
      .filter(({ key, stamp }) => stamp > above && stamp <= upTo && (this.#shardOf.get(key) ?? 0) === shard)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /**
   * Reads the records of shards one after the other: in the table, each is read at a moment of its own, too.
   * @param max number of records after which it stops. Of several shards, it reads the same number each.
   */
  async #readDownwards(
    process: Process,
    { above, upTo, max = Number.POSITIVE_INFINITY }: RecordRange,
  ): Promise<LogRecord[]> {
    const count = above < this.shards.until ? this.shards.count : 1;
    const found: { items: LogRecord[]; hasMore: boolean }[] = [];
    for (let shard = 0; shard < count; shard += 1) {
      if (shard > 0) await process.delay?.();
      const items = await this.#readShardDownwards(process, shard, above, upTo);
      const ownMax = Math.ceil(max / count);
      found.push({ items: items.slice(0, ownMax), hasMore: items.length > ownMax });
    }
    return mergeShards(found, ({ key }) => key, false).items;
  }

  async #readShardDownwards(
    process: Process,
    shard: number,
    above: number,
    upTo: number,
  ): Promise<LogRecord[]> {
    const { delay, pageSize } = { ...faultless, ...process };
    const found: LogRecord[] = [];
    let below = manifestSortKey;
    for (;;) {
      const page = this.#between(shard, above, upTo)
        .filter(({ key }) => key < below)
        .slice(-pageSize)
        .reverse();
      found.push(...page);
      if (page.length < pageSize) return found;
      below = (page.at(-1) as LogRecord).key;
      await delay();
    }
  }

  #put(name: ItemName, bytes: Uint8Array): void {
    if (this.items.has(name)) throw new Error(`The item ${name} was overwritten.`);
    if (bytes.length > maxItemBytes) throw new Error(`The item ${name} has ${bytes.length} bytes.`);
    this.items.set(name, bytes);
  }

  /** Returns the log as one process sees it. @param facets what compaction counts. */
  open(
    process: Process = {},
    facets: LogWriter['facets'] = [['status'], ['projectId'], ['projectId', 'status']],
  ): LogWriter {
    const { delay, beforeWrite, isLagging, isResponseLost } = { ...faultless, ...process };
    return {
      facets,
      readHead: async (above): Promise<LogHead> => {
        await delay();
        const { manifest, shards } = this;
        const records = await this.#readDownwards(process, { above, upTo: Number.POSITIVE_INFINITY });
        return { manifest, shards, records };
      },
      readRecords: async (above, upTo, max) => {
        await delay();
        return this.#readDownwards(process, { above, upTo, max });
      },
      readOldestRecords: async (above, upTo, max) => {
        await delay();
        const count = above < this.shards.until ? this.shards.count : 1;
        const ownMax = max / count;
        const beginnings = Array.from({ length: count }, (_, shard) => {
          const items = this.#between(shard, above, upTo);
          const read = items.slice(0, Math.ceil(ownMax));
          return { items: read, hasMore: read.length < items.length };
        });
        const { items, hasMore } = mergeShards(beginnings, ({ key }) => key, true);
        return { records: items, hasMore, writeUnits: items.length * recordWriteUnits };
      },
      openShards: async (until) => {
        await delay();
        beforeWrite();
        if (until > this.shards.until) this.shards = { count: maxShards, until };
      },
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
