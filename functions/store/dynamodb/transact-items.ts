/** Writes in the form of a `TransactWriteItems` request. */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Condition, Write } from '../model/writes.ts';

type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Returns the condition of a write as a part of a request, without the names and values that it does not have. */
export const toConditionInput = (condition: Condition | undefined) =>
  condition && {
    ConditionExpression: condition.expression,
    ...(condition.names && { ExpressionAttributeNames: { ...condition.names } }),
    ...(condition.values && { ExpressionAttributeValues: condition.values }),
  };

export function toTransactItem(write: Write, TableName: string): TransactWriteItem {
  const condition = {
    TableName,
    ...toConditionInput(write.condition),
  };
  return 'put' in write
    ? { Put: { ...condition, Item: write.put } }
    : { Delete: { ...condition, Key: write.remove } };
}
