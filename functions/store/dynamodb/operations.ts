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
import type { Clock } from './clock.ts';

/** One attempt at an operation. It throws the errors of the SDK. */
type Operation<Input, Output> = (
  input: Input,
  abortSignal?: AbortSignal,
) => Promise<Omit<Output, '$metadata'>>;

/** `client.ts` sends the operations to DynamoDB; the tests have a table in their process that has the same interface. */
export interface DynamoDb {
  /** Corrected by the responses. */
  readonly clock: Clock;
  readonly getItem: Operation<GetCommandInput, GetCommandOutput>;
  readonly batchGetItem: Operation<BatchGetCommandInput, BatchGetCommandOutput>;
  readonly query: Operation<QueryCommandInput, QueryCommandOutput>;
  readonly scan: Operation<ScanCommandInput, ScanCommandOutput>;
  readonly putItem: Operation<PutCommandInput, PutCommandOutput>;
  readonly updateItem: Operation<UpdateCommandInput, UpdateCommandOutput>;
  readonly deleteItem: Operation<DeleteCommandInput, DeleteCommandOutput>;
  readonly transactWriteItems: Operation<TransactWriteCommandInput, TransactWriteCommandOutput>;
  /** Asks for the time, without charge. The clock learns from the response. */
  askTime(abortSignal?: AbortSignal): Promise<void>;
  /** Closes the connections. */
  destroy(): void;
}
