/** Rows: what lists know of an entity. The list engine filters and sorts by rows and reads entities only for the page it returns. */
import type { ItemFields } from './entity.ts';
import { beginningOf, Digest, digestText, isLongTextField } from './long-text.ts';

/** Begins the texts of numbers and flags, whose code points sort as the values do. No text of an entity begins with it. */
const mark = '\u0001';
const flags = { true: `${mark}true`, false: `${mark}false` } as const;

/** Returns the bits of a number in an order in which bytes compare as numbers do: a negative one has all inverted, another one its sign. */
function orderedBits(bits: Buffer, isNegative: boolean): Buffer {
  for (let byte = 0; byte < bits.length; byte += 1)
    bits[byte] = (bits[byte] as number) ^ (isNegative ? 0xff : byte === 0 ? 0x80 : 0);
  return bits;
}

/** Returns the ordered bits in hexadecimal digits, without zeros at the end: they decide no order. */
function numberText(number: number): string {
  const bits = Buffer.alloc(8);
  // There is one zero.
  bits.writeDoubleBE(number + 0);
  const digits = orderedBits(bits, number < 0).toString('hex');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return mark + digits.slice(0, end);
}

/** Returns the text of a number or a flag; `undefined` for another value. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? flags.true : flags.false;
  return typeof value === 'number' ? numberText(value) : undefined;
}

/** Returns the number or the flag that a text stands for; another text as it is. */
export function scalarOf(text: string): string | number | boolean {
  if (!text.startsWith(mark)) return text;
  if (text === flags.true || text === flags.false) return text === flags.true;
  const bits = Buffer.from(text.slice(1).padEnd(16, '0'), 'hex');
  return orderedBits(bits, (bits[0] as number) < 0x80).readDoubleBE(0);
}

/** A value of a row. An array of ids is one text, separated by commas; numbers and flags are texts too. */
export type Value = string | null;

export type FieldValue = string | number | boolean | null | readonly string[];

/** The fields of an entity that lists filter and sort by. The id is not part of it, and tells `createdAt`. */
export type Row = Readonly<Record<string, Value>>;

/** Fields that rows do not repeat. */
const keyFields = new Set(['id', 'createdAt']);

/** Returns how rows hold a text of a field: of a long one, its digest. */
export const rowText = (field: string, text: string): string =>
  isLongTextField(field) ? digestText(text) : text;

/** Returns what decides the order of a row's text: of a long text, its beginning. */
export const sortedText = (field: string, text: string): string =>
  isLongTextField(field) ? beginningOf(text) : text;

const splitIds = (text: string): string[] => (text === '' ? [] : text.split(','));

/**
 * Returns how rows hold the value of a field.
 * @throws TypeError for a value that is neither a text, a number or a flag, nor null, nor an array of ids.
 */
export function toValue(field: string, value: unknown): Value {
  if (typeof value === 'string') return rowText(field, value);
  if (value instanceof Digest) return value.text;
  if (Array.isArray(value)) return value.join(',');
  if (value === null) return null;
  const text = scalarText(value);
  if (text === undefined) throw new TypeError(`Rows cannot hold the value of "${field}".`);
  return text;
}

/** Returns the value of a field that is no long text. @param isArray whether it is an array of ids. */
export function fromValue(value: Value, isArray = false): FieldValue {
  if (value === null) return null;
  return isArray ? splitIds(value) : scalarOf(value);
}

/** Returns the row of an entity. @throws TypeError when a field has a value that rows cannot hold. */
export function toRow(entity: ItemFields): Row {
  const row: Record<string, Value> = {};
  for (const field of Object.keys(entity)) {
    if (!keyFields.has(field) && entity[field] !== undefined) row[field] = toValue(field, entity[field]);
  }
  return row;
}
