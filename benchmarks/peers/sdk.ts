/** The SDK alone: makes the recorded calls of the service for each request. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

const commands = {
  GetItem: GetCommand,
  PutItem: PutCommand,
  DeleteItem: DeleteCommand,
  UpdateItem: UpdateCommand,
  Query: QueryCommand,
  BatchGetItem: BatchGetCommand,
  TransactWriteItems: TransactWriteCommand,
};

/** A recorded call. */
export interface Call {
  readonly operation: keyof typeof commands;
  readonly input: never;
}

/** Makes the calls of one request. The calls of a wave run in parallel. */
export async function handler({
  waves,
}: {
  readonly waves: readonly (readonly Call[])[];
}): Promise<{ statusCode: number }> {
  for (const wave of waves) {
    await Promise.all(
      wave.map(({ operation, input }) => client.send(new commands[operation](input) as never)),
    );
  }
  return { statusCode: 200 };
}
