/** Writes in the form of a `TransactWriteItems` request. */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Write } from '../model/writes.ts';

type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Returns one item of a `TransactWriteItems` request. */
export function toTransactItem(write: Write, TableName: string): TransactWriteItem {
  const { expression, names, values } = write.condition;
  const condition = {
    TableName,
    ConditionExpression: expression,
    ...(names && { ExpressionAttributeNames: { ...names } }),
    ...(values && { ExpressionAttributeValues: values }),
  };
  return 'put' in write
    ? { Put: { ...condition, Item: write.put } }
    : { Delete: { ...condition, Key: write.remove } };
}
