/** Search without case: `contains` and `startsWith` compare lower-cased texts. */
import { sortedText } from '../../model/row.ts';
import { firstPosition } from '../format/binary-search.ts';
import type { Dictionary } from '../format/dictionary.ts';

/**
 * Returns a text in lower case. JavaScript lowers a capital sigma at the end of a word to `ς` and elsewhere to `σ`. Here it is always `σ`,
 * so the result does not depend on what follows: the lower case of a text's beginning is the beginning of the text's lower case.
 */
export const toSearchText = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Precedes each text. No text in UTF-8 contains this byte. */
const mark = 0xff;

/** Texts after which the time of the request is checked. */
const textsPerCheck = 1_000;

/** Bytes that the objects take in memory, besides their contents. */
const overheadBytes = 200;

const maxAscii = 0x7f;
const upperA = 0x41;
const upperZ = 0x5a;
const caseBit = 0x20;

/** Writes the lower case of a text in ASCII. Returns false when it is not in ASCII. */
function lowerAscii(text: Uint8Array, target: Uint8Array, start: number): boolean {
  for (let position = 0; position < text.length; position += 1) {
    const byte = text[position] as number;
    if (byte > maxAscii) return false;
    target[start + position] = byte >= upperA && byte <= upperZ ? byte | caseBit : byte;
  }
  return true;
}

/** Returns the bytes of a text, or of the beginning of a long one. */
const beginningOf = (field: string, text: Buffer): Buffer =>
  text.includes(0) ? Buffer.from(sortedText(field, text.toString())) : text;

/** The texts of a dictionary in lower case, one after the other: one search finds those that contain another text. */
export class SearchTexts {
  readonly #bytes: Buffer;
  /** Where the mark of each text is; the last number is the end of the last text. */
  readonly #offsets: Uint32Array;
  readonly #first: number;

  /**
   * @param field whose texts the dictionary has. Of long texts, only the beginnings are searched.
   * @param requireTime throws when the time of the request is over: texts of other scripts take 30 microseconds each.
   */
  constructor(field: string, dictionary: Dictionary, requireTime: () => void) {
    this.#first = dictionary.special.length;
    const count = dictionary.size - this.#first;
    this.#offsets = new Uint32Array(count + 1);
    // A letter of two bytes can become one of three.
    const bytes = Buffer.allocUnsafe(2 * dictionary.bytes + count);
    let end = 0;
    for (let position = 0; position < count; position += 1) {
      if (position % textsPerCheck === 0) requireTime();
      const text = beginningOf(field, dictionary.textAt(this.#first + position));
      bytes[end] = mark;
      end += 1;
      if (lowerAscii(text, bytes, end)) end += text.length;
      else end += bytes.write(toSearchText(text.toString()), end);
      this.#offsets[position + 1] = end;
    }
    this.#bytes = Buffer.from(bytes.subarray(0, end));
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes.length + this.#offsets.byteLength + overheadBytes;
  }

  /** Marks the ordinals of the texts that contain a text, or begin with it. @param text in lower case. */
  mark(accepted: Uint8Array, text: string, isBeginning: boolean): void {
    const part = Buffer.from(text);
    const wanted = isBeginning ? Buffer.concat([Buffer.of(mark), part]) : part;
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    const count = offsets.length - 1;
    if (wanted.length === 0) {
      accepted.fill(1, this.#first, this.#first + count);
      return;
    }
    let position = 0;
    let found = bytes.indexOf(wanted);
    while (found >= 0) {
      position = this.#textAt(position, found);
      accepted[this.#first + position] = 1;
      const next = offsets[position + 1] as number;
      found = next < bytes.length ? bytes.indexOf(wanted, next) : -1;
    }
  }

  /** Returns the text that has the byte at an offset. @param position of a text that is not after it. */
  #textAt(position: number, offset: number): number {
    const offsets = this.#offsets;
    let low = position;
    let step = 1;
    // Frequent texts are near to each other, rare ones are not.
    while (low + step < offsets.length && (offsets[low + step] as number) <= offset) {
      low += step;
      step *= 2;
    }
    const end = Math.min(low + step, offsets.length - 1);
    return firstPosition(low + 1, end, (middle) => (offsets[middle] as number) > offset) - 1;
  }
}
