/** Writes, apart from sending them. */
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { PartOf } from '../dynamodb/spread.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Key & { readonly [attribute: string]: unknown };

/** What must hold of the item, as it is, for a write to happen. */
export interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Adds to the numbers of an item, which comes to be with the first addition. Where many add at once the item is
 * spread over several, `<sk>#0`, `<sk>#1` …, whose sum counts.
 */
export interface Addition {
  readonly addTo: Key;
  readonly numbers: Readonly<Record<string, number>>;
}

type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One write of a transaction. */
export type Write =
  | ((
      | { readonly put: Item }
      | { readonly remove: Key }
      | { readonly set: Key; readonly attributes: Readonly<Record<string, unknown>> }
    ) & { readonly condition: Condition })
  | Addition;

/** DynamoDB's own limit. */
export const largestTransaction = 100;

/** Placeholders for attributes and their values: no name and no value is ever part of an expression. */
function placeholders(attributes: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(attributes);
  return {
    pairs: entries.map((_, position) => [`#${position}`, `:${position}`] as const),
    names: Object.fromEntries(entries.map(([name], position) => [`#${position}`, name])),
    values: Object.fromEntries(entries.map(([, value], position) => [`:${position}`, value])),
  };
}

function additionItem({ addTo, numbers }: Addition, TableName: string, part: number): TransactWriteItem {
  const { pairs, names, values } = placeholders(numbers);
  return {
    Update: {
      TableName,
      Key: { pk: addTo.pk, sk: `${addTo.sk}#${part}` },
      UpdateExpression: `ADD ${pairs.map((pair) => pair.join(' ')).join(', ')}`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
  };
}

/** A write as DynamoDB takes it. */
export function transactItem(write: Write, TableName: string, partOf: PartOf): TransactWriteItem {
  if ('addTo' in write) return additionItem(write, TableName, partOf(write.addTo));
  const condition = {
    TableName,
    ConditionExpression: write.condition.expression,
    ...(write.condition.names && { ExpressionAttributeNames: { ...write.condition.names } }),
    ...(write.condition.values && { ExpressionAttributeValues: write.condition.values }),
  };
  if ('put' in write) return { Put: { ...condition, Item: write.put } };
  if ('remove' in write) return { Delete: { ...condition, Key: write.remove } };
  const { pairs, names, values } = placeholders(write.attributes);
  return {
    Update: {
      ...condition,
      Key: write.set,
      UpdateExpression: `SET ${pairs.map((pair) => pair.join(' = ')).join(', ')}`,
      ExpressionAttributeNames: { ...names, ...write.condition.names },
      ExpressionAttributeValues: { ...values, ...write.condition.values },
    },
  };
}
