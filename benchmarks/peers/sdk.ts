/** The SDK alone, as its users call it: for every request, the calls that the service makes for it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

const commands = {
  GetItem: GetCommand,
  Query: QueryCommand,
  BatchGetItem: BatchGetCommand,
  TransactWriteItems: TransactWriteCommand,
};

/** A call as it was recorded. */
export interface Call {
  readonly operation: keyof typeof commands;
  readonly input: never;
}

/** @param event calls of one request; those of a wave are made at once. */
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
