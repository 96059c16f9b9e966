/**
 * Values of items, and how DynamoDB's protocol writes them. The store puts strings, numbers, booleans, and lists and
 * objects of them into its items; the SDK's own conversion, which knows more types, took about as long as reading JSON.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

type Attributes = Record<string, AttributeValue>;

/** @throws TypeError for what the store does not keep: it would come back as something else. */
function toAttribute(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  // Beyond, DynamoDB keeps digits that a number here has lost.
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { N: String(value) };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return { M: toAttributes(value) };
  }
  throw new TypeError(`The store does not keep ${typeof value === 'number' ? value : `a ${typeof value}`}.`);
}

/** @throws TypeError as `toAttribute`. */
export function toAttributes(values: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(values)) attributes[name] = toAttribute(value);
  return attributes;
}

/** @throws TypeError for a type that the store never wrote. */
function fromAttribute(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.M !== undefined) return fromAttributes(attribute.M);
  if (attribute.NULL !== undefined) return null;
  throw new TypeError(`The store keeps nothing of the type ${Object.keys(attribute).join()}.`);
}

/** @throws TypeError as `fromAttribute`. */
export function fromAttributes(attributes: Readonly<Attributes>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name in attributes) values[name] = fromAttribute(attributes[name] as AttributeValue);
  return values;
}
