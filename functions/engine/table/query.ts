import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../model/writes.ts';

export type Values = Readonly<Record<string, unknown>>;

export type Query = Omit<
  QueryCommandInput,
  'TableName' | 'ReturnConsumedCapacity' | 'ExclusiveStartKey' | 'ExpressionAttributeValues'
> & { readonly ExpressionAttributeValues: Values };

export interface QueryPage {
  readonly items: Item[];
  /** Where the next page begins, if there is one. */
  readonly next: Values | undefined;
}

/** The calls of a request, and the capacity that DynamoDB reports for them. */
export interface Consumption {
  calls: number;
  readUnits: number;
  writeUnits: number;
  durationMs: number;
}

export const newConsumption = (): Consumption => ({ calls: 0, readUnits: 0, writeUnits: 0, durationMs: 0 });
