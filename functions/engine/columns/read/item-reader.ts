/** The immutable items that one read of a log needs: from the memory of the process, or from the table. */
import { forEach } from '../../../runtime/for-each.ts';
import { type DecodedItem, decodeItem } from '../format/decode-item.ts';
import { type ItemName, queriedColumns, type Segment } from '../format/manifest.ts';
import type { LogMemory } from '../process-memory.ts';
import type { LogReader } from '../storage.ts';
import { StaleRead } from './stale-read.ts';

/** The patches that something was derived from, if any. */
const patchesOf = new WeakMap<object, string>();

/** Columns in buckets that are read at the same time, at most. */
const columnsAtOnce = 16;

export class ItemReader {
  readonly #segments: readonly Segment[];
  readonly #reader: LogReader;
  readonly #memory: LogMemory;
  /** The memory of the process may drop an item during the read. */
  readonly #items = new Map<string, object>();

  /** @param segments of the manifest that refers to the items. */
  constructor(segments: readonly Segment[], reader: LogReader, memory: LogMemory) {
    this.#segments = segments;
    this.#reader = reader;
    this.#memory = memory;
  }

  has(name: ItemName): boolean {
    return this.#items.has(name) || this.#memory.get(name) !== undefined;
  }

  /**
   * Reads items unless they are in memory.
   * @throws StaleRead when one does not exist any more.
   */
  async load(names: readonly ItemName[]): Promise<void> {
    const missing = new Set<ItemName>();
    for (const name of names) {
      if (this.#items.has(name)) continue;
      const known = this.#memory.get(name);
      if (known === undefined) missing.add(name);
      else this.#items.set(name, known as DecodedItem);
    }
    if (missing.size === 0) return;
    await this.#read(missing, false);
    // A replica may not have an item yet that was written a moment ago.
    if (missing.size > 0) await this.#read(missing, true);
    for (const name of missing) throw new StaleRead(`the item ${name} is gone`);
  }

  /** Reads items, and removes the names of those that exist. */
  async #read(missing: Set<ItemName>, isConsistent: boolean): Promise<void> {
    const columns = queriedColumns(this.#segments, missing);
    const buckets = new Set(columns.flatMap((column) => column.buckets));
    const others = [...missing].filter((name) => !buckets.has(name));
    const readOthers = async (): Promise<void> => {
      if (others.length > 0) this.#keep(missing, await this.#reader.readItems(others, isConsistent));
    };
    const readColumns = forEach(columns, columnsAtOnce, async ({ name }) =>
      this.#keep(missing, await this.#reader.readBuckets(name, isConsistent)),
    );
    await Promise.all([readOthers(), readColumns]);
  }

  #keep(missing: Set<ItemName>, found: ReadonlyMap<ItemName, Uint8Array>): void {
    for (const [name, encoded] of found) {
      this.#reader.requireTime();
      const { value, bytes } = decodeItem(name, encoded);
      this.#items.set(name, value);
      this.#memory.set(name, value, bytes);
      missing.delete(name);
    }
  }

  get<Item extends DecodedItem>(name: ItemName): Item {
    const item = this.#items.get(name);
    if (item === undefined) throw new Error(`The item ${name} was not loaded.`);
    return item as Item;
  }

  /** Returns what is derived from columns. The memory has the last one of each name. @param patches that it is derived from too. */
  derived<Item extends object>(
    name: string,
    patches: string,
    derive: () => Item,
    bytesOf: (item: Item) => number,
  ): Item {
    const known = (this.#items.get(name) ?? this.#memory.get(name)) as Item | undefined;
    const isCurrent = known && (patchesOf.get(known) ?? '') === patches;
    const item = isCurrent ? known : derive();
    this.#items.set(name, item);
    if (isCurrent) return item;
    if (patches) patchesOf.set(item, patches);
    this.#memory.set(name, item, bytesOf(item));
    return item;
  }
}
