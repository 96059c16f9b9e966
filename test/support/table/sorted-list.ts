/** Returns the first position at which a condition holds that holds at all later ones. */
export function firstPosition<Element>(
  elements: readonly Element[],
  holds: (element: Element) => boolean,
): number {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(elements[middle] as Element)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const maxBlockLength = 1_024;

/** A sorted list in blocks: an insertion into one array of a million elements moves half of them. */
export class SortedList<Element> {
  readonly #blocks: Element[][] = [];

  get length(): number {
    return this.#blocks.reduce((sum, block) => sum + block.length, 0);
  }

  /** Returns the block of a position, and the place in it. A position behind the last element is at the end of the last block. */
  #locate(position: number): { readonly block: number; readonly place: number } {
    let place = position;
    let block = 0;
    for (; block < this.#blocks.length - 1 && place >= (this.#blocks[block]?.length ?? 0); block += 1)
      place -= this.#blocks[block]?.length ?? 0;
    return { block, place };
  }

  at(position: number): Element | undefined {
    const { block, place } = this.#locate(position);
    return this.#blocks[block]?.[place];
  }

  /** Returns the first position at which a condition holds that holds at all later ones. */
  firstPosition(holds: (element: Element) => boolean): number {
    const block = firstPosition(this.#blocks, (one) => holds(one.at(-1) as Element));
    const before = this.#blocks.slice(0, block).reduce((sum, { length }) => sum + length, 0);
    return before + firstPosition(this.#blocks[block] ?? [], holds);
  }

  insert(position: number, element: Element): void {
    if (this.#blocks.length === 0) this.#blocks.push([]);
    const { block, place } = this.#locate(position);
    const elements = this.#blocks[block] as Element[];
    elements.splice(place, 0, element);
    if (elements.length <= maxBlockLength) return;
    // Most insertions are behind all others: they fill the blocks.
    const kept = place === elements.length - 1 ? place : elements.length >> 1;
    this.#blocks.splice(block, 1, elements.slice(0, kept), elements.slice(kept));
  }

  replace(position: number, element: Element): void {
    const { block, place } = this.#locate(position);
    (this.#blocks[block] as Element[])[place] = element;
  }

  remove(position: number): void {
    const { block, place } = this.#locate(position);
    const elements = this.#blocks[block] as Element[];
    elements.splice(place, 1);
    if (elements.length === 0) this.#blocks.splice(block, 1);
  }

  /** Yields the elements from one position up to, but without, another one, forwards or backwards. */
  *slice(from: number, to: number, isForward = true): Generator<Element> {
    for (let step = 0; step < to - from; step += 1)
      yield this.at(isForward ? from + step : to - 1 - step) as Element;
  }

  [Symbol.iterator](): Generator<Element> {
    return this.slice(0, this.length);
  }
}
