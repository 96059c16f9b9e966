/**
 * The words of the rows of a segment, as an inverted index: for each word the rows that have it. A large index is several items: the first one has the first
 * word of each other one, so a search for a beginning of words reads the items that can have it.
 */
import { ByteReader, ByteWriter } from '../../model/bytes.ts';
import { deflate, inflate } from '../../model/deflate.ts';
import { splitWords } from '../../model/words.ts';
import { firstPosition } from './binary-search.ts';
import type { ColumnValue } from './dictionary.ts';

/** Bytes of an item for each byte that is left of it when it is deflated, about. */
const deflation = 1.25;

/** Rows between two looks at the time: texts of 10,000 characters take a millisecond each. */
const rowsPerLook = 100;

/** Returns the number of words of all rows. The time to encode and to decode an index is in proportion to it. */
export function countWords(values: readonly ColumnValue[]): number {
  let count = 0;
  for (const value of values) {
    if (!value) continue;
    for (let at = 0; at >= 0; at = value.indexOf(' ', at + 1)) count += 1;
  }
  return count;
}

/** Returns the words in their order, each with its rows in theirs. */
function invert(values: readonly ColumnValue[], requireTime: () => void) {
  const rowsOf = new Map<string, number[]>();
  for (const [row, value] of values.entries()) {
    if (row % rowsPerLook === 0) requireTime();
    for (const word of splitWords(value)) {
      const rows = rowsOf.get(word);
      if (rows) rows.push(row);
      else rowsOf.set(word, [row]);
    }
  }
  return [...rowsOf].sort(([one], [other]) => (one < other ? -1 : 1));
}

function encodeFirstWords(firstWords: readonly string[]): Buffer {
  const writer = new ByteWriter();
  for (const [position, word] of firstWords.entries()) writer.textAfter(word, firstWords[position - 1] ?? '');
  return deflate(writer.bytes());
}

/**
 * Encodes the words of rows: one item, or one with the first words of the others and these.
 * @param values the words of each row, separated by spaces.
 * @param itemBytes bytes of an item, about.
 */
export function encodeWordIndex(
  values: readonly ColumnValue[],
  itemBytes: number,
  requireTime: () => void,
): Buffer[] {
  const firstWords: string[] = [];
  const items: Buffer[] = [];
  let writer = new ByteWriter();
  let previous = '';
  const end = (): void => {
    requireTime();
    if (writer.length > 0) items.push(deflate(writer.bytes()));
    writer = new ByteWriter();
    previous = '';
  };
  for (const [word, rows] of invert(values, requireTime)) {
    // A row takes a byte or more.
    if (writer.length + rows.length > deflation * itemBytes) end();
    if (writer.length === 0) firstWords.push(word);
    writer.textAfter(word, previous);
    previous = word;
    writer.number(rows.length);
    let last = 0;
    for (const row of rows) {
      writer.number(row - last);
      last = row;
    }
  }
  end();
  return items.length > 1 ? [encodeFirstWords(firstWords), ...items] : [items[0] ?? deflate('')];
}

export function decodeFirstWords(encoded: Uint8Array): readonly string[] {
  const reader = new ByteReader(inflate(encoded));
  const words: string[] = [];
  while (reader.hasMore) words.push(reader.textAfter(words.at(-1) ?? ''));
  return words;
}

/** Returns the positions of the items that can have words with a beginning. */
export function itemsOfWord(firstWords: readonly string[], beginning: string): number[] {
  const wordAt = (position: number): string => firstWords[position] as string;
  const after = firstPosition(0, firstWords.length, (position) => wordAt(position) > beginning);
  const end = firstPosition(after, firstWords.length, (position) => !wordAt(position).startsWith(beginning));
  const from = Math.max(0, after - 1);
  // The first words are in the item at position 0.
  return Array.from({ length: end - from }, (_, position) => from + position + 1);
}

/** Calls a function for each word of an inflated item and each row that has it. @param isWanted skips the rows of other words. */
function visitRows(
  item: Uint8Array,
  isWanted: (word: string) => boolean,
  visit: (row: number, word: string) => void,
): void {
  const reader = new ByteReader(item);
  let word = '';
  while (reader.hasMore) {
    word = reader.textAfter(word);
    const wanted = isWanted(word);
    let row = 0;
    for (let left = reader.number(); left > 0; left -= 1) {
      row += reader.number();
      if (wanted) visit(row, word);
    }
  }
}

/** Marks the rows that have a word with a beginning. @param items inflated. */
export function markWord(marked: Uint8Array, items: readonly Uint8Array[], beginning: string): void {
  for (const item of items)
    visitRows(
      item,
      (word) => word.startsWith(beginning),
      (row) => {
        marked[row] = 1;
      },
    );
}

/** Returns the words of each row. @param items inflated. */
export function wordsOfRows(items: readonly Uint8Array[], rows: number, requireTime: () => void): string[] {
  const words = Array.from({ length: rows }, (): string[] => []);
  for (const item of items) {
    requireTime();
    visitRows(
      item,
      () => true,
      (row, word) => words[row]?.push(word),
    );
  }
  return words.map((own) => own.join(' '));
}
