/** A map of entries with sizes. The least recently used ones leave first: a Map has its entries in the order in which they were set. */
export class LruMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly size: number }>();
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

  get(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** Sets an entry, unless it is larger than the map may be. */
  set(name: string, value: Value, size = 1): void {
    this.delete(name);
    if (size > this.#maxSize) return;
    this.#entries.set(name, { value, size });
    this.#size += size;
    while (this.#size > this.#maxSize) this.pop();
  }

  delete(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    this.#size -= entry?.size ?? 0;
    this.#entries.delete(name);
    return entry?.value;
  }

  /** Removes the least recently used entry. */
  pop(): Value | undefined {
    const [name] = this.#entries.keys();
    return name === undefined ? undefined : this.delete(name);
  }
}
