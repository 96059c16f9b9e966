/** An index, or a replica of the table: it receives the writes of the table, and can receive them later. */
import { type KeyNames, OrderedItems, type StoredItem } from './ordered-items.ts';

interface PendingWrite {
  readonly due: number;
  readonly id: string;
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
}

export class LaggingItems {
  readonly #items: OrderedItems;
  /** In the order of the table. */
  #pending: PendingWrite[] = [];

  constructor(names: KeyNames) {
    this.#items = new OrderedItems(names);
  }

  /** @param due when the write arrives, in milliseconds. Writes of different items overtake each other, those of one item never. */
  write({ due, ...write }: PendingWrite, now: number): void {
    const earlier = this.#pending.findLast(({ id }) => id === write.id);
    const arrival = Math.max(due, earlier?.due ?? 0);
    if (!earlier && arrival <= now) this.#items.replace(write.before, write.after);
    else this.#pending.push({ ...write, due: arrival });
  }

  /** Returns what has arrived. */
  at(now: number): OrderedItems {
    if (this.#pending.length > 0) {
      for (const { due, before, after } of this.#pending) if (due <= now) this.#items.replace(before, after);
      this.#pending = this.#pending.filter(({ due }) => due > now);
    }
    return this.#items;
  }

  clear(): void {
    this.#pending = [];
    this.#items.clear();
  }
}
