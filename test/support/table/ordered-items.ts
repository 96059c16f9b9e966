/** Items in the order of a table or an index: partitions by their keys, and in each partition the items by their sort keys. */
import { SortedList } from './sorted-list.ts';
import type { Attributes } from './values.ts';
import { toOrder } from './values.ts';

export interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey: string;
}

/** An item as it is stored. It never changes: a write replaces it. */
export interface StoredItem {
  /** Identifies the item in the table. */
  readonly id: string;
  readonly item: Attributes;
  readonly bytes: number;
}

/** The place of an item in a partition. Items of an index can have the same sort key; their ids decide then. */
export interface Place {
  readonly sort: string;
  readonly id: string;
}

export interface Entry extends Place {
  readonly stored: StoredItem;
}

export interface Partition {
  readonly key: string;
  /** The place of the partition in a scan, from 0 up to, but without, 1. */
  readonly hash: number;
  readonly entries: SortedList<Entry>;
}

/** Identifies an item by its key. Ids have the order of keys. */
export const toId = (partition: string, sort: string): string =>
  `${toOrder(partition)}\u0000${toOrder(sort)}`;

const isBefore = (one: Place, other: Place): boolean =>
  one.sort < other.sort || (one.sort === other.sort && one.id < other.id);

/** FNV-1a, mixed: similar keys are far apart, as in DynamoDB. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < key.length; position += 1)
    hash = Math.imul(hash ^ key.charCodeAt(position), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export class OrderedItems {
  readonly names: KeyNames;
  readonly #partitions = new Map<string, Partition>();
  /** The partitions in the order of scans; `undefined` when one was added or removed. */
  #scanOrder: readonly Partition[] | undefined;

  constructor(names: KeyNames) {
    this.names = names;
  }

  partition(key: string): Partition | undefined {
    return this.#partitions.get(key);
  }

  /** Returns all partitions in the order of scans. */
  partitions(): readonly Partition[] {
    this.#scanOrder ??= [...this.#partitions.values()].sort(
      (one, other) => one.hash - other.hash || (one.key < other.key ? -1 : 1),
    );
    return this.#scanOrder;
  }

  /** Returns the item with a key. */
  find(partition: string, sort: string): StoredItem | undefined {
    const entries = this.#partitions.get(partition)?.entries;
    const place = { sort: toOrder(sort), id: toId(partition, sort) };
    const entry = entries?.at(entries.firstPosition((other) => !isBefore(other, place)));
    return entry?.id === place.id ? entry.stored : undefined;
  }

  /** Returns the place of an item here; `undefined` when it lacks one of the keys. */
  placeOf({ id, item }: Pick<StoredItem, 'id' | 'item'>): (Place & { partition: string }) | undefined {
    const { [this.names.partitionKey]: partition, [this.names.sortKey]: sort } = item;
    if (typeof partition !== 'string' || typeof sort !== 'string') return undefined;
    return { partition, sort: toOrder(sort), id };
  }

  /** Replaces an item by another one with the same id. Either can be absent. */
  replace(before: StoredItem | undefined, after: StoredItem | undefined): void {
    const from = before && this.placeOf(before);
    const to = after && this.placeOf(after);
    const hasMoved = from?.partition !== to?.partition || from?.sort !== to?.sort;
    if (from && hasMoved) this.#remove(from.partition, from);
    if (to) this.#set(to.partition, { sort: to.sort, id: to.id, stored: after as StoredItem });
  }

  clear(): void {
    this.#partitions.clear();
    this.#scanOrder = undefined;
  }

  *[Symbol.iterator](): Generator<StoredItem> {
    for (const { entries } of this.partitions()) for (const { stored } of entries) yield stored;
  }

  #set(key: string, entry: Entry): void {
    let partition = this.#partitions.get(key);
    if (!partition) {
      partition = { key, hash: hashOf(key), entries: new SortedList() };
      this.#partitions.set(key, partition);
      this.#scanOrder = undefined;
    }
    const { entries } = partition;
    const position = entries.firstPosition((other) => !isBefore(other, entry));
    if (entries.at(position)?.id === entry.id) entries.replace(position, entry);
    else entries.insert(position, entry);
  }

  #remove(key: string, place: Place): void {
    const entries = this.#partitions.get(key)?.entries;
    const position = entries?.firstPosition((other) => !isBefore(other, place)) ?? 0;
    if (entries?.at(position)?.id === place.id) entries.remove(position);
    if (entries && entries.length > 0) return;
    this.#partitions.delete(key);
    this.#scanOrder = undefined;
  }
}
