/** Writes in the form of a `TransactWriteItems` request. */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { table } from '../model/table.ts';
import type { Condition, Write } from '../model/writes.ts';

type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Returns the condition of a write as a part of a request, without the names and values that it does not have. */
export const toConditionInput = (condition: Condition | undefined) =>
  condition && {
    ConditionExpression: condition.expression,
    ...(condition.names && { ExpressionAttributeNames: { ...condition.names } }),
    ...(condition.values && { ExpressionAttributeValues: condition.values }),
  };

/** Returns the update that sets when DynamoDB deletes an item, or that it does not. */
const expiryUpdate = (expiresAt: number | undefined) => ({
  UpdateExpression: expiresAt === undefined ? 'REMOVE #expiry' : 'SET #expiry = :expiry',
  ExpressionAttributeNames: { '#expiry': table.timeToLive },
  ...(expiresAt !== undefined && { ExpressionAttributeValues: { ':expiry': expiresAt } }),
});

export function toTransactItem(write: Write, TableName: string): TransactWriteItem {
  const condition = {
    TableName,
    ...toConditionInput(write.condition),
  };
  if ('put' in write) return { Put: { ...condition, Item: write.put } };
  if ('remove' in write) return { Delete: { ...condition, Key: write.remove } };
  // The condition of the entity's own write holds for its text.
  return { Update: { TableName, Key: write.setExpiry, ...expiryUpdate(write.expiresAt) } };
}
