/**
 * Sizes of items and what operations cost.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
import { type Attributes, areEqual, typeOf } from './values.ts';

/** Bytes of one read unit and of one write unit. */
const readUnitBytes = 4_096;
const writeUnitBytes = 1_024;

/** Bytes of a list or map beyond its elements, and of each element. */
const containerBytes = 3;
const elementBytes = 1;

/**
 * A byte for two digits before the decimal point and for two digits after it, without leading and trailing zeros; one more, and one for a minus
 * sign. The authors of the embedded engine measured it on AWS.
 */
function numberBytes(value: number): number {
  if (value === 0) return 1;
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '').length;
  const whole = Math.min(Math.max(Number(exponent) + 1, 0), digits);
  return Math.ceil(whole / 2) + Math.ceil((digits - whole) / 2) + 1 + (value < 0 ? 1 : 0);
}

function valueBytes(value: unknown): number {
  switch (typeOf(value)) {
    case 'S':
      return Buffer.byteLength(value as string);
    case 'N':
      return numberBytes(value as number);
    case 'B':
      return (value as Uint8Array).length;
    case 'L':
      return (value as unknown[]).reduce<number>(
        (bytes, element) => bytes + elementBytes + valueBytes(element),
        containerBytes,
      );
    case 'M': {
      const names = Object.keys(value as Attributes);
      return containerBytes + elementBytes * names.length + itemBytes(value as Attributes);
    }
    default:
      return 1;
  }
}

export function itemBytes(item: Attributes): number {
  let bytes = 0;
  for (const name of Object.keys(item)) bytes += Buffer.byteLength(name) + valueBytes(item[name]);
  return bytes;
}

/** Returns the units of one read. Reading nothing costs as much as reading little. */
export const readUnits = (bytes: number, isConsistent: boolean | undefined): number =>
  (Math.max(1, Math.ceil(bytes / readUnitBytes)) * (isConsistent ? 2 : 1)) / 2;

/** Returns the units of a read in a transaction, which idempotent repetitions cost. */
export const transactionalReadUnits = (bytes: number): number => 2 * readUnits(bytes, true);

export const kilobytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / writeUnitBytes));

/** An item, its size, and its keys in the table and the indexes. */
interface Sized {
  readonly bytes: number;
  readonly item: Attributes;
}

/**
 * Returns the units of a write in one index that projects all attributes.
 * @param before the entry that the index has; `undefined` when it has none.
 * @param hasMoved whether the key in the index changes: then DynamoDB deletes one entry and inserts another.
 */
export function indexUnits(before: Sized | undefined, after: Sized | undefined, hasMoved: boolean): number {
  if (!before || !after || hasMoved)
    return (before ? kilobytes(before.bytes) : 0) + (after ? kilobytes(after.bytes) : 0);
  return areEqual(before.item, after.item) ? 0 : kilobytes(Math.max(before.bytes, after.bytes));
}
