/** Writes in the form of a `TransactWriteItems` request. */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Addition, Condition, Write } from '../model/writes.ts';
import type { PartOf } from './spread.ts';

type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Returns placeholders for attributes and their values: no name and no value is ever part of an expression. */
function placeholders(attributes: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(attributes);
  return {
    pairs: entries.map((_, position) => [`#${position}`, `:${position}`] as const),
    names: Object.fromEntries(entries.map(([name], position) => [`#${position}`, name])),
    values: Object.fromEntries(entries.map(([, value], position) => [`:${position}`, value])),
  };
}

function toAddition({ addTo, numbers }: Addition, TableName: string, part: number): TransactWriteItem {
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

/** Returns the condition of a write as a part of a request, without the names and values that it does not have. */
export const toConditionInput = (condition: Condition | undefined) =>
  condition && {
    ConditionExpression: condition.expression,
    ...(condition.names && { ExpressionAttributeNames: { ...condition.names } }),
    ...(condition.values && { ExpressionAttributeValues: condition.values }),
  };

/**
 * Returns one item of a `TransactWriteItems` request.
 * @param partOf returns the shard of a counter that this transaction adds to.
 */
export function toTransactItem(write: Write, TableName: string, partOf: PartOf): TransactWriteItem {
  if ('addTo' in write) return toAddition(write, TableName, partOf(write.addTo));
  const condition = { TableName, ...toConditionInput(write.condition) };
  if ('put' in write) return { Put: { ...condition, Item: write.put } };
  if ('remove' in write) return { Delete: { ...condition, Key: write.remove } };
  const { pairs, names, values } = placeholders(write.attributes);
  return {
    Update: {
      ...condition,
      Key: write.set,
      UpdateExpression: `SET ${pairs.map((pair) => pair.join(' = ')).join(', ')}`,
      ExpressionAttributeNames: { ...names, ...write.condition?.names },
      ExpressionAttributeValues: { ...values, ...write.condition?.values },
    },
  };
}
