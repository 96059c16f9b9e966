/**
 * Columns: the values of one field for the rows of a segment, as a sorted dictionary and one ordinal for each row. Search engines
 * and column stores use the same form: a filter is decided once for each distinct value, and ordinals compare as the values do.
 */
import assert from 'node:assert/strict';
import { ByteReader, ByteWriter } from '../../model/bytes.ts';
import { deflate, inflate } from '../../model/deflate.ts';
import { UnknownFormat } from '../../model/errors.ts';
import { buildDictionary, type ColumnValue, Dictionary } from './dictionary.ts';

export type Ordinals = Uint8Array | Uint16Array | Uint32Array;

export interface Column {
  readonly dictionary: Dictionary;
  readonly ordinals: Ordinals;
}

/** Values of some rows that replace those of a column. */
export type ColumnPatch = ReadonlyMap<number, ColumnValue>;

export const columnBytes = ({ dictionary, ordinals }: Column): number =>
  dictionary.bytes + ordinals.byteLength;

const maxByte = 0xff;
export const maxTwoBytes = 0xffff;

/** Returns zeros for some rows, wide enough for the ordinals of a dictionary. @param size number of values of the dictionary. */
export function newOrdinals(rows: number, size: number): Ordinals {
  if (size <= maxByte + 1) return new Uint8Array(rows);
  return size <= maxTwoBytes + 1 ? new Uint16Array(rows) : new Uint32Array(rows);
}

export function buildColumn(values: readonly ColumnValue[]): Column {
  const dictionary = buildDictionary(values);
  const ordinalOf = new Map<ColumnValue, number>();
  for (let ordinal = 0; ordinal < dictionary.size; ordinal += 1)
    ordinalOf.set(dictionary.at(ordinal), ordinal);
  const ordinals = newOrdinals(values.length, dictionary.size);
  for (const [row, value] of values.entries()) ordinals[row] = ordinalOf.get(value) as number;
  return { dictionary, ordinals };
}

export const valueAt = ({ dictionary, ordinals }: Column, row: number): ColumnValue =>
  dictionary.at(ordinals[row] as number);

export function columnValues({ dictionary, ordinals }: Column): ColumnValue[] {
  const values = Array.from({ length: dictionary.size }, (_, ordinal) => dictionary.at(ordinal));
  return Array.from(ordinals, (ordinal) => values[ordinal]);
}

export function patchColumn(column: Column, patch: ColumnPatch): Column {
  if (patch.size === 0) return column;
  const added = [...new Set(patch.values())].filter((value) => column.dictionary.ordinalOf(value) < 0);
  const extended = column.dictionary.extend(added);
  const { dictionary } = extended;
  const ordinals = newOrdinals(column.ordinals.length, dictionary.size);
  for (const [row, ordinal] of column.ordinals.entries())
    ordinals[row] = extended.ordinals[ordinal] as number;
  for (const [row, value] of patch) {
    assert(row < ordinals.length, 'A patch has values of rows of its column.');
    ordinals[row] = dictionary.ordinalOf(value);
  }
  return { dictionary, ordinals };
}

export function sharedBytes(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < length && one[shared] === other[shared]) shared += 1;
  return shared;
}

/** Returns the bytes of ordinals: the low bytes of all rows, then the high ones. Equal bytes side by side deflate better. */
function ordinalBytes(ordinals: Ordinals): Buffer {
  const width = ordinals.BYTES_PER_ELEMENT;
  const bytes = Buffer.alloc(ordinals.length * width);
  for (let plane = 0; plane < width; plane += 1) {
    for (let row = 0; row < ordinals.length; row += 1) {
      bytes[plane * ordinals.length + row] = (ordinals[row] as number) >>> (8 * plane);
    }
  }
  return bytes;
}

function readOrdinals(bytes: Buffer, rows: number, size: number): Ordinals {
  const ordinals = newOrdinals(rows, size);
  for (let plane = 0; plane < ordinals.BYTES_PER_ELEMENT; plane += 1) {
    for (let row = 0; row < rows; row += 1) {
      ordinals[row] = (ordinals[row] as number) | ((bytes[plane * rows + row] as number) << (8 * plane));
    }
  }
  return ordinals;
}

/**
 * Encodes a column: numbers of rows and texts, a mark for absent and null, for each text the number of bytes that it shares with the
 * one before and the number of further bytes, these bytes, and the ordinals; all of it deflated.
 */
export function encodeColumn({ dictionary, ordinals }: Column): Buffer {
  const { special, size } = dictionary;
  const numbers = new ByteWriter();
  numbers.number(ordinals.length);
  numbers.number(size - special.length);
  numbers.number((special.includes(undefined) ? 1 : 0) + (special.includes(null) ? 2 : 0));
  const suffixes: Buffer[] = [];
  let previous: Buffer = Buffer.alloc(0);
  for (let ordinal = special.length; ordinal < size; ordinal += 1) {
    const text = dictionary.textAt(ordinal);
    const shared = sharedBytes(previous, text);
    numbers.number(shared);
    numbers.number(text.length - shared);
    suffixes.push(text.subarray(shared));
    previous = text;
  }
  return deflate(Buffer.concat([numbers.bytes(), ...suffixes, ordinalBytes(ordinals)]));
}

/** Decodes what `encodeColumn` returns. @throws UnknownFormat. */
export function decodeColumn(encoded: Uint8Array): Column {
  const bytes = inflate(encoded);
  const numbers = new ByteReader(bytes);
  const rows = numbers.number();
  const count = numbers.number();
  const marks = numbers.number();
  if (marks > 3) throw new UnknownFormat(`A column has the mark ${marks}.`);
  const special = [...(marks & 1 ? [undefined] : []), ...(marks & 2 ? [null] : [])];
  const shared = new Uint32Array(count);
  const offsets = new Uint32Array(count + 1);
  for (let position = 0; position < count; position += 1) {
    shared[position] = numbers.number();
    offsets[position + 1] = (offsets[position] as number) + (shared[position] as number) + numbers.number();
  }
  const texts = Buffer.allocUnsafeSlow(offsets[count] as number);
  let source = numbers.position;
  for (let position = 0; position < count; position += 1) {
    const start = offsets[position] as number;
    const prefix = shared[position] as number;
    if (prefix > 0) {
      const previous = offsets[position - 1] as number;
      texts.copyWithin(start, previous, previous + prefix);
    }
    const length = (offsets[position + 1] as number) - start - prefix;
    bytes.copy(texts, start + prefix, source, source + length);
    source += length;
  }
  const dictionary = new Dictionary(special, texts, offsets);
  const ordinals = readOrdinals(bytes.subarray(source), rows, dictionary.size);
  const end = source + ordinals.byteLength;
  if (end !== bytes.length)
    throw new UnknownFormat(`A column has ${bytes.length} bytes, and this release reads ${end} of them.`);
  return { dictionary, ordinals };
}
