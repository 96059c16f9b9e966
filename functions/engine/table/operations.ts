/** The operations of DynamoDB that the service and its commands use, with the values of documents. */
import type * as sdk from '@aws-sdk/lib-dynamodb';

/** One attempt at an operation. It throws the errors of the SDK. */
type Operation<Input, Output> = (
  input: Input,
  abortSignal?: AbortSignal,
) => Promise<Omit<Output, '$metadata'>>;

/** `client.ts` sends the operations to DynamoDB; the tests have a table in their process that has the same interface. */
export interface DynamoDb {
  /** Milliseconds by which the clock of this process is ahead of DynamoDB's, at least, as the last response told; a negative number when it is behind. */
  readonly clockErrorMs: number;
  readonly getItem: Operation<sdk.GetCommandInput, sdk.GetCommandOutput>;
  readonly batchGetItem: Operation<sdk.BatchGetCommandInput, sdk.BatchGetCommandOutput>;
  readonly query: Operation<sdk.QueryCommandInput, sdk.QueryCommandOutput>;
  readonly scan: Operation<sdk.ScanCommandInput, sdk.ScanCommandOutput>;
  readonly putItem: Operation<sdk.PutCommandInput, sdk.PutCommandOutput>;
  readonly updateItem: Operation<sdk.UpdateCommandInput, sdk.UpdateCommandOutput>;
  readonly deleteItem: Operation<sdk.DeleteCommandInput, sdk.DeleteCommandOutput>;
  readonly transactWriteItems: Operation<sdk.TransactWriteCommandInput, sdk.TransactWriteCommandOutput>;
  destroy(): void;
}
