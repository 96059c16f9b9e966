/** Checksums of what is stored in two places. They need 80 MiB for a large table of any size, and less for a small one. */

import { groupBy } from '../../functions/runtime/group-by.ts';

/** A value that two places store under one key: one place adds it to a checksum, and the other one subtracts it. */
export interface StoredCopy {
  readonly key: string;
  readonly value: string;
  readonly sign: 1 | -1;
}

/** Copies of the keys that may differ. */
export class StoredCopies {
  readonly #copies: StoredCopy[] = [];

  add(copy: StoredCopy): void {
    this.#copies.push(copy);
  }

  /** The copies of each key that has not just two equal ones, one in each place. Those that are added come first. */
  get differing(): Map<string, readonly StoredCopy[]> {
    const isEqual = ([one, other, ...others]: readonly StoredCopy[]): boolean =>
      others.length === 0 && one?.value === other?.value && one?.sign !== other?.sign;
    const copies = this.#copies.toSorted((one, other) => other.sign - one.sign);
    const byKey = groupBy(copies, ({ key }) => key);
    return new Map([...byKey].filter(([, ofKey]) => !isEqual(ofKey)));
  }
}

/** Returns a hash of 64 bits for a checksum: fast, and without a protection against texts that somebody chooses (MurmurHash3 mixes in the same way). */
function hashOf(text: string): { low: number; high: number } {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return { low, high };
}

/** Checksums of all keys together (8 MiB), and of a page (2 KiB). */
const checksums = 2 ** 20;
const checksumsOfPage = 2 ** 8;

/**
 * A limited number of checksums, sums of hashes, by key: they say which keys must be compared one by one. A checksum is zero when every copy was added and
 * subtracted, with a probability of error of 2^-64.
 */
export class Checksums {
  /** Each page is allocated with its first checksum. It has the lower halves, and then the upper ones. */
  readonly #pages = new Map<number, Int32Array>();

  change({ key, value, sign }: StoredCopy): void {
    const { page, at } = this.#position(key);
    const sums = this.#pages.get(page) ?? new Int32Array(2 * checksumsOfPage);
    this.#pages.set(page, sums);
    const { low, high } = hashOf(`${key} ${value}`);
    sums[at] = ((sums[at] ?? 0) + sign * low) | 0;
    sums[at + checksumsOfPage] = ((sums[at + checksumsOfPage] ?? 0) + sign * high) | 0;
  }

  /** Returns whether the copies of a key, or of another key of its checksum, differ. */
  differs(key: string): boolean {
    const { page, at } = this.#position(key);
    const sums = this.#pages.get(page);
    return sums !== undefined && (sums[at] !== 0 || sums[at + checksumsOfPage] !== 0);
  }

  #position(key: string): { page: number; at: number } {
    const position = (hashOf(key).high >>> 0) % checksums;
    return { page: Math.floor(position / checksumsOfPage), at: position % checksumsOfPage };
  }
}

/** Keys of a filter that has no bits yet. They need about 100 bytes each, a tenth of what the bits need. */
export const maxExactKeys = 2 ** 16;

/** Bits of a set of keys (64 MiB), and bits that each key sets. */
const filterBits = 2 ** 29;
const bitsOfKey = 6;

/**
 * A set that never forgets a key. It has the keys themselves while they are few. With more of them it is a Bloom filter, which takes another key
 * for a member with a probability that grows with its size: 2 in a trillion with a million keys, 1 in a million with ten million.
 */
export class KeyFilter {
  readonly #keys = new Set<string>();
  #bits: Uint32Array | undefined;

  add(key: string): void {
    if (this.#bits) this.#setBits(this.#bits, key);
    else this.#keys.add(key);
    if (this.#keys.size > maxExactKeys) this.#replaceKeys();
  }

  has(key: string): boolean {
    const bits = this.#bits;
    if (!bits) return this.#keys.has(key);
    return this.#bitsOf(key).every((bit) => ((bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0);
  }

  #replaceKeys(): void {
    this.#bits = new Uint32Array(filterBits / 32);
    for (const key of this.#keys) this.#setBits(this.#bits, key);
    this.#keys.clear();
  }

  #setBits(bits: Uint32Array, key: string): void {
    for (const bit of this.#bitsOf(key)) bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  #bitsOf(key: string): number[] {
    const { low, high } = hashOf(key);
    return Array.from(
      { length: bitsOfKey },
      (_, number) => ((low + Math.imul(number, high | 1)) >>> 0) % filterBits,
    );
  }
}
