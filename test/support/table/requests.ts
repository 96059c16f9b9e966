/** What requests have in common: the table that they name, keys, and the limits of DynamoDB. */
import { table } from '#functions/engine/model/table.ts';
import { invalid, TableError } from './errors.ts';
import { Bindings, type Placeholders } from './expressions.ts';
import { type KeyNames, toId } from './ordered-items.ts';
import type { Attributes } from './values.ts';

export const tableKeys: KeyNames = { partitionKey: table.partitionKey, sortKey: table.sortKey };

const maxKeyBytes = { partitionKey: 2_048, sortKey: 1_024 };

/** Parameters that this table understands. It refuses the others, so that it does not ignore one silently. */
const parameters = new Set(
  `TableName Key Keys Item IndexName ConsistentRead ProjectionExpression FilterExpression KeyConditionExpression ConditionExpression
  UpdateExpression ExpressionAttributeNames ExpressionAttributeValues ReturnConsumedCapacity ReturnValues Limit ScanIndexForward
  ExclusiveStartKey Segment TotalSegments RequestItems TransactItems ClientRequestToken`.split(/\s+/),
);

export function checkParameters(input: object): void {
  const unknown = Object.keys(input).filter((name) => !parameters.has(name));
  if (unknown.length > 0) throw new TypeError(`This table does not support ${unknown.join(', ')}.`);
}

/** An empty string as a key of the table or an index. DynamoDB reports it without cancelling a transaction. */
export class EmptyKey extends TableError {
  constructor(name: string) {
    const message = `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`;
    super('ValidationException', message);
  }
}

/** Checks a value as a partition key or sort key. */
export function checkKeyValue(kind: keyof KeyNames, name: string, value: unknown): string {
  if (typeof value !== 'string')
    throw invalid(
      `One or more parameter values were invalid: Type mismatch for key ${name} expected: S actual: ${typeof value}`,
    );
  if (value === '') throw new EmptyKey(name);
  if (Buffer.byteLength(value) > maxKeyBytes[kind])
    throw invalid(
      `One or more parameter values were invalid: Size of ${name} has exceeded the maximum size limit of ${maxKeyBytes[kind]} bytes`,
    );
  return value;
}

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** Returns the key of an item, and its id. */
export function checkItemKey({ pk, sk }: Attributes): ItemKey & { readonly id: string } {
  if (pk === undefined || sk === undefined)
    throw invalid('One or more parameter values were invalid: Missing the key pk or sk in the item');
  const key = { pk: checkKeyValue('partitionKey', 'pk', pk), sk: checkKeyValue('sortKey', 'sk', sk) };
  return { ...key, id: toId(key.pk, key.sk) };
}

/** Checks a key, which has no other attributes. */
export function checkKey(key: Attributes | undefined): ItemKey {
  if (!key || Object.keys(key).length !== 2 || !('pk' in key && 'sk' in key))
    throw invalid('The provided key element does not match the schema');
  const { pk, sk } = checkItemKey(key);
  return { pk, sk };
}

/** Returns the names and values of a request. @throws ValidationException when it has some, but no expression. */
export function bind(input: Placeholders, ...expressions: readonly (string | undefined)[]): Bindings {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  if ((names || values) && expressions.every((expression) => expression === undefined))
    throw invalid('ExpressionAttributeNames and ExpressionAttributeValues need an expression');
  return new Bindings(input);
}
