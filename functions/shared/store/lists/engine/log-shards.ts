/**
 * The records of one log in the table. They are in one partition, or spread over several if the log is written often. The item
 * that tells the number of shards is older than every record outside of the first shard, and their number never decreases: so a reader that
 * has read it knows all partitions that have records of earlier transactions.
 */
import type { Database } from '../../dynamodb/database.ts';
import type { QueryPage } from '../../dynamodb/query.ts';
import {
  decodeRecord,
  decodeShards,
  isShards,
  logPartition,
  manifestSortKey,
  recordPrefix,
  shardsKey,
  stampPrefix,
} from '../../model/change-log.ts';
import type { Kind } from '../../model/relations.ts';
import type { Item } from '../../model/writes.ts';
import { decodeManifest, isManifest } from './manifest.ts';
import type { LogHead, OldestRecords } from './storage.ts';

/** Items of a shard between two sort keys. */
interface KeyRange {
  readonly first: string;
  readonly last: string;
  readonly isAscending: boolean;
}

/** The beginning of a shard's records in a range. */
interface ShardItems {
  readonly items: readonly Item[];
  /** Whether the range has further items. */
  readonly hasMore: boolean;
}

/** Returns the range of the records with a stamp above one and not above another. */
const recordRange = (above: number, upTo: number, isAscending: boolean): KeyRange => ({
  first: stampPrefix(above + 1),
  last: stampPrefix(upTo + 1),
  isAscending,
});

/** Bytes that a write unit pays for. */
const writeUnitBytes = 1_024;

/** Write units of a kilobyte in a transaction. */
const transactionFactor = 2;

/** Bytes of a record beside its keys and its entries: the names of the attributes, and the time at which it expires. */
const otherBytes = 24;

function writeUnits(item: Item): number {
  const bytes = item.pk.length + item.sk.length + otherBytes + (item['e'] as Uint8Array).length;
  return transactionFactor * Math.ceil(bytes / writeUnitBytes);
}

/**
 * Merges the beginnings of the ascending ranges of several shards.
 * @returns what is complete: the items up to the first place at which a shard was not read further.
 */
export function mergeShards<Entry>(
  shards: readonly { readonly items: readonly Entry[]; readonly hasMore: boolean }[],
  keyOf: (entry: Entry) => string,
): { readonly items: Entry[]; readonly hasMore: boolean } {
  const ends = shards.flatMap(({ items, hasMore }) => (hasMore ? [keyOf(items.at(-1) as Entry)] : [])).sort();
  const [end] = ends;
  const items = shards
    .flatMap((shard) => shard.items)
    .filter((entry) => end === undefined || keyOf(entry) <= end)
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return { items, hasMore: end !== undefined };
}

export class LogShards {
  readonly #database: Database;
  readonly #tenant: string;
  readonly #kind: Kind;
  /** Known after the first read. */
  #count: number | undefined;

  constructor(database: Database, tenant: string, kind: Kind) {
    this.#database = database;
    this.#tenant = tenant;
    this.#kind = kind;
  }

  /** Reads the manifest, and the records above a stamp. In a log with one shard, this is one query. */
  async readHead(above: number): Promise<LogHead> {
    const range = { first: stampPrefix(above + 1), last: manifestSortKey, isAscending: false };
    const { items: own } = await this.#readShard(0, range);
    const shards = decodeShards(own.find(isShards));
    this.#count = shards;
    const items = [...own, ...(await this.#readShards(1, range)).flatMap((shard) => shard.items)];
    const manifest = own.find(isManifest);
    return {
      manifest: manifest && decodeManifest(manifest),
      shards,
      records: items.filter(({ sk }) => sk.startsWith(recordPrefix)).map(decodeRecord),
    };
  }

  /**
   * Reads items of records downwards.
   * @param max number of items after which it stops. Of several shards, it reads the same number each.
   */
  async readNewest(above: number, upTo: number, max = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const count = await this.#readCount();
    const shards = await this.#readShards(0, recordRange(above, upTo, false), max / count);
    return shards.flatMap(({ items }) => items);
  }

  /** Reads the oldest records of a range. @param max number of records after which it stops. */
  async readOldest(above: number, upTo: number, max: number): Promise<OldestRecords> {
    const count = await this.#readCount();
    const shards = await this.#readShards(0, recordRange(above, upTo, true), max / count);
    const { items, hasMore } = mergeShards(shards, ({ sk }) => sk);
    return {
      records: items.map(decodeRecord),
      hasMore,
      writeUnits: items.reduce((sum, item) => sum + writeUnits(item), 0),
    };
  }

  async #readCount(): Promise<number> {
    this.#count ??= decodeShards(await this.#database.get(shardsKey(this.#tenant, this.#kind)));
    return this.#count;
  }

  /** Reads a range of all shards from one on, at the same time. */
  async #readShards(from: number, range: KeyRange, max?: number): Promise<ShardItems[]> {
    const numbers = Array.from({ length: (this.#count as number) - from }, (_, place) => from + place);
    return Promise.all(numbers.map((shard) => this.#readShard(shard, range, max)));
  }

  /** Reads whole pages of a shard, consistently. @param max number of items after which it stops. */
  async #readShard(
    shard: number,
    { first, last, isAscending }: KeyRange,
    max = Number.POSITIVE_INFINITY,
  ): Promise<ShardItems> {
    const partition = logPartition(this.#tenant, this.#kind, shard);
    const query = {
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
      ConsistentRead: true,
      ScanIndexForward: isAscending,
    };
    const items: Item[] = [];
    let start: QueryPage['next'];
    do {
      const page = await this.#database.query(query, start);
      items.push(...page.items);
      start = page.next;
    } while (start && items.length < max);
    return { items, hasMore: start !== undefined };
  }
}
