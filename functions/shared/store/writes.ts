/** Writes, apart from sending them. */
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Spread } from './spread.ts';

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
  /** What the item says besides; the same for all who add to it. */
  readonly constants?: Readonly<Record<string, string | number>>;
}

/** One write of a transaction. */
export type Write =
  | (({ readonly put: Item } | { readonly remove: Key }) & { readonly condition: Condition })
  | Addition;

/** DynamoDB's own limit. */
export const largestTransaction = 100;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

function additionItem(
  { addTo, numbers, constants = {} }: Addition,
  TableName: string,
  part: number,
): TransactItem {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string, value: unknown): [string, string] => {
    const position = Object.keys(names).length;
    names[`#${position}`] = attribute;
    values[`:${position}`] = value;
    return [`#${position}`, `:${position}`];
  };
  const additions = Object.entries(numbers).map(([attribute, number]) => name(attribute, number).join(' '));
  const settings = Object.entries(constants).map(([attribute, value]) => {
    const [place, constant] = name(attribute, value);
    return `${place} = if_not_exists(${place}, ${constant})`;
  });
  return {
    Update: {
      TableName,
      Key: { pk: addTo.pk, sk: `${addTo.sk}#${part}` },
      UpdateExpression: `ADD ${additions.join(', ')}${settings.length > 0 ? ` SET ${settings.join(', ')}` : ''}`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
  };
}

/** A write as DynamoDB takes it. @param spread says which part of a counter is added to. */
export function transactItem(write: Write, TableName: string, spread: Spread): TransactItem {
  if ('addTo' in write) return additionItem(write, TableName, spread.part(write.addTo));
  const condition = {
    TableName,
    ConditionExpression: write.condition.expression,
    ...(write.condition.names && { ExpressionAttributeNames: { ...write.condition.names } }),
    ...(write.condition.values && { ExpressionAttributeValues: { ...write.condition.values } }),
  };
  return 'put' in write
    ? { Put: { ...condition, Item: write.put } }
    : { Delete: { ...condition, Key: write.remove } };
}
