/** Random numbers from a seed (mulberry32), so that a failing history can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 up to, but without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 up to, but without, a limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}
