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

/** Where a page of a query begins. */
type Start = QueryPage['next'];

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
 * Merges the beginnings of the same range of several shards.
 * @param isAscending the direction in which they were read.
 * @returns what is complete, in this direction: the items up to the first place at which a shard was not read further.
 */
export function mergeShards<Entry>(
  shards: readonly { readonly items: readonly Entry[]; readonly hasMore: boolean }[],
  keyOf: (entry: Entry) => string,
  isAscending: boolean,
): { readonly items: Entry[]; readonly hasMore: boolean } {
  const sign = isAscending ? 1 : -1;
  const compare = (one: string, other: string): number => sign * (one < other ? -1 : Number(one > other));
  const ends = shards.flatMap(({ items, hasMore }) => (hasMore ? [keyOf(items.at(-1) as Entry)] : []));
  const [end] = ends.sort(compare);
  const items = shards
    .flatMap((shard) => shard.items)
    .filter((entry) => end === undefined || compare(keyOf(entry), end) <= 0)
    .sort((one, other) => compare(keyOf(one), keyOf(other)));
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

  /**
   * Reads the manifest, and the records above a stamp. Unless others than the first shard can have such records, this is one query.
   *
   * The others are read as soon as the first page tells them. If they were read after all pages of the first shard, more entities would
   * change twice meanwhile, first there and then in another shard: each such list has a gap, and must be read again.
   */
  async readHead(above: number): Promise<LogHead> {
    const range = { first: stampPrefix(above + 1), last: manifestSortKey, isAscending: false };
    const { items: newest, next } = await this.#readPage(0, range);
    const shards = decodeShards(newest.find(isShards));
    this.#shards = shards;
    const [rest, others] = await Promise.all([
      next ? this.#readShard(0, range, { start: next }) : undefined,
      this.#readShards(countAbove(shards, above), range, { from: 1 }),
    ]);
    const items = [...newest, ...(rest?.items ?? []), ...others.flatMap((shard) => shard.items)];
    const manifest = newest.find(isManifest);
    return {
      manifest: manifest && decodeManifest(manifest),
      shards,
      records: items.filter(({ sk }) => sk.startsWith(recordPrefix)).map(decodeRecord),
    };
  }

  /**
   * Reads the latest items of records in a range, without a gap: healing takes a deletion for missing that is in a gap.
   * @param max number of items after which it stops. Of several shards, it reads the same number each.
   */
  async readNewest(above: number, upTo: number, max = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const count = countAbove(await this.#readShardsItem(), above);
    const shards = await this.#readShards(count, recordRange(above, upTo, false), { max: max / count });
    return mergeShards(shards, ({ sk }) => sk, false).items;
  }

  /** Reads the oldest records of a range. @param max number of records after which it stops. */
  async readOldest(above: number, upTo: number, max: number): Promise<OldestRecords> {
    const count = countAbove(await this.#readShardsItem(), above);
    const shards = await this.#readShards(count, recordRange(above, upTo, true), { max: max / count });
    const { items, hasMore } = mergeShards(shards, ({ sk }) => sk, true);
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
    return Promise.all(numbers.map((shard) => this.#readShard(shard, range, { max })));
  }

  /** Reads whole pages of a shard. @param max number of items after which it stops. */
  async #readShard(
    shard: number,
    range: KeyRange,
    { start, max = Number.POSITIVE_INFINITY }: { readonly start?: Start; readonly max?: number | undefined },
  ): Promise<ShardItems> {
    const items: Item[] = [];
    let next = start;
    do {
      const page = await this.#readPage(shard, range, next);
      items.push(...page.items);
      next = page.next;
    } while (next && items.length < max);
    return { items, hasMore: next !== undefined };
  }

  /** Reads a page of a shard, consistently. */
  #readPage(shard: number, { first, last, isAscending }: KeyRange, start?: Start): Promise<QueryPage> {
    const partition = logPartition(this.#tenant, this.#kind, shard);
    const query = {
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
      ConsistentRead: true,
      ScanIndexForward: isAscending,
    };
    return this.#database.query(query, start);
  }
}
