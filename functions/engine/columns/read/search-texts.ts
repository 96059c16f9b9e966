/** Search without case: `contains` and `startsWith` compare lower-cased texts. */
import { sortedText } from '../../model/row.ts';
import { firstPosition } from '../format/binary-search.ts';
import type { Dictionary } from '../format/dictionary.ts';

/**
 * Returns a text in lower case. JavaScript lowers a capital sigma at the end of a word to `ς` and elsewhere to `σ`. Here it is always `σ`,
 * so the result does not depend on what follows: the lower case of a text's beginning is the beginning of the text's lower case.
 */
export const toSearchText = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Precedes each text. No text that is searched contains it: a long one ends before it. */
const mark = '\u0000';

/** Texts after which the time of the request is checked. */
const textsPerCheck = 1_000;

/** Bytes that the objects take in memory, besides their contents. */
const overheadBytes = 200;

/** The texts of a dictionary in lower case, one after the other: one search finds those that contain another text. */
export class SearchTexts {
  readonly #text: string;
  /** Where the mark of each text is; the last number is the end of the last text. */
  readonly #offsets: Uint32Array;
  readonly #first: number;

  /**
   * @param field whose texts the dictionary has. Of long texts, only the beginnings are searched.
   * @param requireTime throws when the time of the request is over: texts of other scripts take 30 microseconds each.
   */
  constructor(field: string, dictionary: Dictionary, requireTime: () => void) {
    this.#first = dictionary.special.length;
    const texts = Array.from({ length: dictionary.size - this.#first }, (_, position) => {
      if (position % textsPerCheck === 0) requireTime();
      const text = dictionary.at(this.#first + position) as string;
      return mark + toSearchText(sortedText(field, text));
    });
    this.#offsets = new Uint32Array(texts.length + 1);
    for (const [position, { length }] of texts.entries())
      this.#offsets[position + 1] = (this.#offsets[position] as number) + length;
    this.#text = texts.join('');
  }

  get bytes(): number {
    return 2 * this.#text.length + this.#offsets.byteLength + overheadBytes;
  }

  /** Marks the ordinals of the texts that contain a text, or begin with it. @param text in lower case. */
  mark(accepted: Uint8Array, text: string, isBeginning: boolean): void {
    if (text.includes(mark)) return;
    // Every text begins with an empty one.
    const wanted = isBeginning || text === '' ? mark + text : text;
    const offsets = this.#offsets;
    let position = 0;
    for (let found = this.#text.indexOf(wanted); found >= 0; ) {
      const at = found;
      position = firstPosition(position, offsets.length - 1, (one) => (offsets[one + 1] as number) > at);
      accepted[this.#first + position] = 1;
      const next = offsets[position + 1] as number;
      found = next < this.#text.length ? this.#text.indexOf(wanted, next) : -1;
    }
  }
}
