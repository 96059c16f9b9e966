/** Checksums of what is stored in two places. They need the same memory for a table of any size. */

/** A value that two places store under one key: one place adds it to a checksum, and the other one subtracts it. */
export interface StoredCopy {
  readonly key: string;
  readonly value: string;
  readonly sign: 1 | -1;
}

/** 64 bits of a text, as two halves. */
interface Hash {
  readonly low: number;
  readonly high: number;
}

/** Returns a hash for a checksum: fast, and without a protection against texts that somebody chooses (MurmurHash3 mixes in the same way). */
function hashOf(text: string): Hash {
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

/** A sum of hashes. It is zero when every copy was added and subtracted, with a probability of error of 2^-64. */
export class Checksum {
  #low = 0;
  #high = 0;

  change({ key, value, sign }: StoredCopy): void {
    const { low, high } = hashOf(`${key} ${value}`);
    this.#low = (this.#low + sign * low) | 0;
    this.#high = (this.#high + sign * high) | 0;
  }

  get isZero(): boolean {
    return this.#low === 0 && this.#high === 0;
  }
}

/** Checksums of all keys together. */
const checksums = 2 ** 20;

/** A fixed number of checksums (8 MiB), by key: they say which keys must be compared one by one. */
export class Checksums {
  readonly #low = new Int32Array(checksums);
  readonly #high = new Int32Array(checksums);

  change({ key, value, sign }: StoredCopy): void {
    const at = this.#position(key);
    const { low, high } = hashOf(`${key} ${value}`);
    this.#low[at] = ((this.#low[at] ?? 0) + sign * low) | 0;
    this.#high[at] = ((this.#high[at] ?? 0) + sign * high) | 0;
  }

  /** Returns whether the copies of a key, or of another key of its checksum, differ. */
  differs(key: string): boolean {
    const at = this.#position(key);
    return this.#low[at] !== 0 || this.#high[at] !== 0;
  }

  #position(key: string): number {
    return (hashOf(key).high >>> 0) % checksums;
  }
}

/** Bits of a set of keys (64 MiB), and bits that each key sets. */
const filterBits = 2 ** 29;
const bitsOfKey = 6;

/**
 * A Bloom filter: a set that never forgets a key, and takes another one for a member with a probability that grows with its size: 2 in a
 * trillion with a million keys, 1 in a million with ten million.
 */
export class KeyFilter {
  readonly #bits = new Uint32Array(filterBits / 32);

  add(key: string): void {
    for (const bit of this.#bitsOf(key))
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  has(key: string): boolean {
    return this.#bitsOf(key).every((bit) => ((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0);
  }

  #bitsOf(key: string): number[] {
    const { low, high } = hashOf(key);
    return Array.from(
      { length: bitsOfKey },
      (_, number) => ((low + Math.imul(number, high | 1)) >>> 0) % filterBits,
    );
  }
}
