/** Sorted dictionaries: the distinct values of a column, null first, then texts by Unicode code point. */
import { UnknownFormat } from '../../model/errors.ts';
import type { Value } from '../../model/row.ts';
import { firstPosition } from './binary-search.ts';

/** What a column holds for a row: a value, or `undefined` where the entity is older than the field. */
export type ColumnValue = Value | undefined;

/** A value in JSON, which has no `undefined`: 0 stands for it. */
export type StoredValue = Value | 0;

/** Bytes of a character of a text in memory, at most. */
const characterBytes = 2;

/** Returns the bytes of the text of a value in memory, about. */
export const bytesOfValue = (value: ColumnValue): number => characterBytes * (value?.length ?? 0);

export const toStored = (value: ColumnValue): StoredValue => (value === undefined ? 0 : value);

/** @throws UnknownFormat for what `toStored` does not return. */
export function fromStored(value: unknown): ColumnValue {
  if (value === 0) return undefined;
  if (typeof value === 'string' || value === null) return value;
  throw new UnknownFormat(`A column has the value ${JSON.stringify(value)}.`);
}

/** Bytes that the objects of a dictionary take in memory, besides their contents. */
const overheadBytes = 200;

/** Texts as one buffer: a million strings would take twice the memory. */
export class Dictionary {
  /** Values before the texts: absent, then null, if the column has them. */
  readonly special: readonly (null | undefined)[];
  readonly #texts: Buffer;
  /** Where each text begins; the last number is the end of the last text. */
  readonly #offsets: Uint32Array;

  constructor(special: readonly (null | undefined)[], texts: Buffer, offsets: Uint32Array) {
    this.special = special;
    this.#texts = texts;
    this.#offsets = offsets;
  }

  get size(): number {
    return this.special.length + this.#offsets.length - 1;
  }

  get bytes(): number {
    return this.#texts.length + this.#offsets.byteLength + overheadBytes;
  }

  at(ordinal: number): ColumnValue {
    const position = ordinal - this.special.length;
    if (position < 0) return this.special[ordinal];
    return this.#texts.toString('utf8', this.#offsets[position], this.#offsets[position + 1]);
  }

  /** @param ordinal of a text: not of null, and not of an absent value. */
  textAt(ordinal: number): Buffer {
    const position = ordinal - this.special.length;
    return this.#texts.subarray(this.#offsets[position], this.#offsets[position + 1]);
  }

  /** Returns the number of values that sort before a text. */
  positionOf(text: Buffer): number {
    const isNotLess = (position: number): boolean =>
      this.#texts.compare(text, 0, text.length, this.#offsets[position], this.#offsets[position + 1]) >= 0;
    return this.special.length + firstPosition(0, this.#offsets.length - 1, isNotLess);
  }

  /** Returns the ordinal of a value; -1 if the dictionary does not have it. */
  ordinalOf(value: ColumnValue): number {
    if (typeof value !== 'string') return this.special.indexOf(value);
    const text = Buffer.from(value);
    const ordinal = this.positionOf(text);
    return ordinal < this.size && this.textAt(ordinal).equals(text) ? ordinal : -1;
  }

  /**
   * Returns the dictionary that also has some values which this one does not have, and for each ordinal of this dictionary the
   * ordinal in the new one.
   */
  extend(added: readonly ColumnValue[]): { readonly dictionary: Dictionary; readonly ordinals: Uint32Array } {
    const special = [undefined, null].filter(
      (value) => this.special.includes(value) || added.includes(value),
    );
    const texts = toSortedTexts(added);
    const positions = texts.map((text) => this.positionOf(text));
    const ordinals = new Uint32Array(this.size);
    for (const [ordinal, value] of this.special.entries()) ordinals[ordinal] = special.indexOf(value);
    const pieces: Buffer[] = [];
    let next = 0;
    for (let ordinal = this.special.length; ordinal <= this.size; ordinal += 1) {
      for (; positions[next] === ordinal; next += 1) pieces.push(texts[next] as Buffer);
      if (ordinal === this.size) break;
      ordinals[ordinal] = special.length + pieces.length;
      pieces.push(this.textAt(ordinal));
    }
    return { dictionary: fromTexts(special, pieces), ordinals };
  }
}

const toSortedTexts = (values: Iterable<ColumnValue>): Buffer[] =>
  [...values]
    .filter((value) => typeof value === 'string')
    .map((text) => Buffer.from(text))
    .sort(Buffer.compare);

function fromTexts(special: readonly (null | undefined)[], texts: readonly Buffer[]): Dictionary {
  const offsets = new Uint32Array(texts.length + 1);
  for (const [position, text] of texts.entries())
    offsets[position + 1] = (offsets[position] ?? 0) + text.length;
  return new Dictionary(special, Buffer.concat(texts), offsets);
}

export function buildDictionary(values: Iterable<ColumnValue>): Dictionary {
  const distinct = new Set(values);
  const special = [undefined, null].filter((value) => distinct.has(value));
  return fromTexts(special, toSortedTexts(distinct));
}
