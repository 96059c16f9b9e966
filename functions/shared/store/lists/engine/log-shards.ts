/**
 * The records of one log in the table. They are in one partition, or spread over several while the log is written often. The item that tells
 * the shards is older than every record outside of the first one, and tells the stamp up to which there are such records. It never decreases.
 * So a reader that has read the item knows all partitions that have records of earlier transactions.
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
  recordWriteUnits,
  type Shards,
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

/** Returns the number of shards that can have records above a stamp. */
const countAbove = ({ count, until }: Shards, above: number): number => (above < until ? count : 1);

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
  #shards: Shards | undefined;

  constructor(database: Database, tenant: string, kind: Kind) {
    this.#database = database;
    this.#tenant = tenant;
    this.#kind = kind;
  }

  /** Reads the manifest, and the records above a stamp. Unless others than the first shard can have such records, this is one query. */
  async readHead(above: number): Promise<LogHead> {
    const range = { first: stampPrefix(above + 1), last: manifestSortKey, isAscending: false };
    const { items: own } = await this.#readShard(0, range);
    const shards = decodeShards(own.find(isShards));
    this.#shards = shards;
    const others =
      countAbove(shards, above) > 1 ? await this.#readShards(shards.count, range, { from: 1 }) : [];
    const items = [...own, ...others.flatMap((shard) => shard.items)];
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
    const count = countAbove(await this.#readShardsItem(), above);
    const shards = await this.#readShards(count, recordRange(above, upTo, false), { max: max / count });
    return shards.flatMap(({ items }) => items);
  }

  /** Reads the oldest records of a range. @param max number of records after which it stops. */
  async readOldest(above: number, upTo: number, max: number): Promise<OldestRecords> {
    const count = countAbove(await this.#readShardsItem(), above);
    const shards = await this.#readShards(count, recordRange(above, upTo, true), { max: max / count });
    const { items, hasMore } = mergeShards(shards, ({ sk }) => sk);
    return {
      records: items.map(decodeRecord),
      hasMore,
      writeUnits: items.reduce((sum, item) => sum + recordWriteUnits(item), 0),
    };
  }

  async #readShardsItem(): Promise<Shards> {
    this.#shards ??= decodeShards(await this.#database.get(shardsKey(this.#tenant, this.#kind)));
    return this.#shards;
  }

  /** Reads a range of the shards up to a number, at the same time. */
  async #readShards(
    count: number,
    range: KeyRange,
    { from = 0, max }: { readonly from?: number; readonly max?: number },
  ): Promise<ShardItems[]> {
    const numbers = Array.from({ length: count - from }, (_, place) => from + place);
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
