/** Writes in the form of a `TransactWriteItems` request. */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Addition, Write } from '../model/writes.ts';
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

/**
 * Returns one item of a `TransactWriteItems` request.
 * @param partOf returns the shard of a counter that this transaction adds to.
 */
export function toTransactItem(write: Write, TableName: string, partOf: PartOf): TransactWriteItem {
  if ('addTo' in write) return toAddition(write, TableName, partOf(write.addTo));
  const { expression, names, values } = write.condition ?? {};
  const condition = {
    TableName,
    ...(expression !== undefined && { ConditionExpression: expression }),
    ...(names && { ExpressionAttributeNames: { ...names } }),
    ...(values && { ExpressionAttributeValues: values }),
  };
  if ('put' in write) return { Put: { ...condition, Item: write.put } };
  if ('remove' in write) return { Delete: { ...condition, Key: write.remove } };
  const set = placeholders(write.attributes);
  return {
    Update: {
      ...condition,
      Key: write.set,
      UpdateExpression: `SET ${set.pairs.map((pair) => pair.join(' = ')).join(', ')}`,
      ExpressionAttributeNames: { ...set.names, ...names },
      ExpressionAttributeValues: { ...set.values, ...values },
    },
  };
}
