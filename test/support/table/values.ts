/** The values of attributes as the DocumentClient gives them, and their order and equality in DynamoDB. */
import { types } from 'node:util';
import { invalid } from './errors.ts';

export type Attributes = Readonly<Record<string, unknown>>;

export type Type = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'L' | 'M';

/** Levels of lists and maps in an item. */
const maxDepth = 32;

const primitiveTypes: Readonly<Record<string, Type>> = { string: 'S', number: 'N', boolean: 'BOOL' };

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** @throws TypeError for values that the DocumentClient does not send, and those that this table does not have, as sets. */
export function typeOf(value: unknown): Type {
  const type = primitiveTypes[typeof value];
  if (type) return type;
  if (value === null) return 'NULL';
  if (types.isUint8Array(value)) return 'B';
  if (Array.isArray(value)) return 'L';
  if (typeof value === 'object' && isPlain(value)) return 'M';
  throw new TypeError(`An item of this table cannot contain ${String(value)}.`);
}

function checkNumber(value: number): number {
  if (!Number.isFinite(value)) throw new TypeError(`Special numeric value ${value} is not allowed`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new TypeError(`Number ${value} is greater than Number.MAX_SAFE_INTEGER. Use BigInt.`);
  // DynamoDB has no negative zero.
  return value + 0;
}

/** Bytes as the SDK returns them: a view of a larger buffer, and never a `Buffer`. */
function copyBytes(value: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(value);
  return new Uint8Array(buffer, byteOffset, length);
}

/** Returns a copy without `undefined`, which the DocumentClient removes. */
export function copyValue<Value>(value: Value, depth?: number): Value;
export function copyValue(value: unknown, depth = 0): unknown {
  // Most values are texts.
  if (typeof value === 'string') return value;
  switch (typeOf(value)) {
    case 'N':
      return checkNumber(value as number);
    case 'B':
      return copyBytes(value as Uint8Array);
    case 'L':
      if (depth > maxDepth) throw invalid('Nesting Levels have exceeded supported limits');
      return (value as unknown[]).flatMap((element) =>
        element === undefined ? [] : [copyValue(element, depth + 1)],
      );
    case 'M':
      return copyAttributes(value as Attributes, depth + 1);
    default:
      return value;
  }
}

/** Returns a copy of an item, or of a map. */
export function copyAttributes(attributes: Attributes, depth = 0): Record<string, unknown> {
  if (depth > maxDepth) throw invalid('Nesting Levels have exceeded supported limits');
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value === undefined) continue;
    const copied = copyValue(value, depth);
    // A name such as "__proto__" is a name like any other.
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: copied, enumerable: true, configurable: true });
    else copy[name] = copied;
  }
  return copy;
}

function areEqualMaps(one: Attributes, other: Attributes): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && areEqual(one[name], other[name]))
  );
}

const areEqualLists = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((element, place) => areEqual(element, other[place]));

export function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  const type = typeOf(one);
  if (type !== typeOf(other)) return false;
  if (type === 'B') return Buffer.compare(one as Uint8Array, other as Uint8Array) === 0;
  if (type === 'L') return areEqualLists(one as unknown[], other as unknown[]);
  return areEqualMaps(one as Attributes, other as Attributes);
}

/** Characters from which on UTF-16, in which JavaScript compares, has another order than UTF-8. */
const outOfOrder = /[\ud800-\uffff]/g;

/** Moves surrogates behind the characters that precede them in UTF-8. */
const reorder = (character: string): string => {
  const code = character.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
};

/** Returns a text with whose code units `<` compares as DynamoDB compares the given texts: by the bytes of UTF-8. */
export const toOrder = (text: string): string => text.replace(outOfOrder, reorder);

/** Returns a negative number, 0 or a positive one; `undefined` for values that have no order. */
export function compare(one: unknown, other: unknown): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'string' && typeof other === 'string') {
    const [left, right] = [toOrder(one), toOrder(other)];
    return left === right ? 0 : left < right ? -1 : 1;
  }
  if (types.isUint8Array(one) && types.isUint8Array(other)) return Buffer.compare(one, other);
  return undefined;
}
