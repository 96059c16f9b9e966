/** A map of entries with sizes. The least recently used ones leave first: a Map has its entries in the order in which they were set. */
export class LruMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly size: number; reader: number }>();
  readonly #maxSize: number;
  #size = 0;

  /** @param maxSize of all entries together. */
  constructor(maxSize = Number.POSITIVE_INFINITY) {
    this.#maxSize = maxSize;
  }

  /** The sizes of all entries together. */
  get size(): number {
    return this.#size;
  }

  get(name: string, reader = 0): Value | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    entry.reader = reader;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** Sets an entry, unless there is no room beside those that its reader has got or set: it would displace what it needs the next time. */
  set(name: string, value: Value, size = 1, reader = 0): void {
    this.delete(name);
    if (size > this.#maxSize) return;
    while (this.#size + size > this.#maxSize) {
      const [oldest] = this.#entries.values();
      if (reader > 0 && oldest?.reader === reader) return;
      this.pop();
    }
    this.#entries.set(name, { value, size, reader });
    this.#size += size;
  }

  delete(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    this.#size -= entry?.size ?? 0;
    this.#entries.delete(name);
    return entry?.value;
  }

  /** Deletes the entries with some names, and returns their sizes together. */
  deleteAll(isDeleted: (name: string) => boolean): number {
    const before = this.#size;
    for (const name of this.#entries.keys()) if (isDeleted(name)) this.delete(name);
    return before - this.#size;
  }

  /** Removes the least recently used entry. */
  pop(): Value | undefined {
    const [name] = this.#entries.keys();
    return name === undefined ? undefined : this.delete(name);
  }
}
