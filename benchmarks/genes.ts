/** Random choices that can be repeated and mutated: a search makes a request from them. */

/** More than any request takes. */
const length = 400;

export class Genes {
  readonly #values: readonly number[];
  #position = 0;

  /** @param values from 0 to 1. */
  constructor(values: readonly number[]) {
    this.#values = values;
  }

  /** Begins again with the first choice. */
  restart(): void {
    this.#position = 0;
  }

  next(): number {
    const value = this.#values[this.#position % this.#values.length] as number;
    this.#position += 1;
    return value;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** Returns genes of which one to four differ, most often among the first, which decide most. */
  mutated(random: () => number): Genes {
    const values = [...this.#values];
    const used = Math.max(1, Math.min(this.#position, values.length));
    const changes = 1 + Math.floor(random() * 4);
    for (let change = 0; change < changes; change += 1) values[Math.floor(random() ** 2 * used)] = random();
    return new Genes(values);
  }
}

export const newGenes = (random: () => number): Genes => new Genes(Array.from({ length }, random));
