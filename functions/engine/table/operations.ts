/** The operations of DynamoDB that the service and its commands use, with the values of documents. */
import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  DeleteCommandInput,
  DeleteCommandOutput,
  GetCommandInput,
  GetCommandOutput,
  PutCommandInput,
  PutCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteCommandInput,
  TransactWriteCommandOutput,
  UpdateCommandInput,
  UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';

/** One attempt at an operation. It throws the errors of the SDK. */
type Operation<Input, Output> = (
  input: Input,
  abortSignal?: AbortSignal,
) => Promise<Omit<Output, '$metadata'>>;

/** `client.ts` sends the operations to DynamoDB; the tests have a table in their process that has the same interface. */
export interface DynamoDb {
  /** Milliseconds by which the clock of this process is ahead of DynamoDB's, at least, as the last response told; a negative number when it is behind. */
  readonly clockErrorMs: number;
  readonly getItem: Operation<GetCommandInput, GetCommandOutput>;
  readonly batchGetItem: Operation<BatchGetCommandInput, BatchGetCommandOutput>;
  readonly query: Operation<QueryCommandInput, QueryCommandOutput>;
  readonly scan: Operation<ScanCommandInput, ScanCommandOutput>;
  readonly putItem: Operation<PutCommandInput, PutCommandOutput>;
  readonly updateItem: Operation<UpdateCommandInput, UpdateCommandOutput>;
  readonly deleteItem: Operation<DeleteCommandInput, DeleteCommandOutput>;
  readonly transactWriteItems: Operation<TransactWriteCommandInput, TransactWriteCommandOutput>;
  /** Closes the connections. */
  destroy(): void;
}
