import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { SdkDynamoDb } from '#functions/engine/table/client.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';

/** The operations, and commands of the SDK. */
export interface TestClient extends DynamoDb {
  send: DynamoDBDocumentClient['send'];
}

/** Returns a client of an engine. */
export function testClient(endpoint: string): TestClient {
  const dynamodb = new SdkDynamoDb(new DynamoDBClient({ endpoint }));
  return Object.assign(dynamodb, { send: dynamodb.documents.send.bind(dynamodb.documents) }) as TestClient;
}

/** The commands that tests send to a table in their process, and its operations. */
const operations = {
  GetCommand: 'getItem',
  BatchGetCommand: 'batchGetItem',
  QueryCommand: 'query',
  ScanCommand: 'scan',
  PutCommand: 'putItem',
  UpdateCommand: 'updateItem',
  DeleteCommand: 'deleteItem',
  TransactWriteCommand: 'transactWriteItems',
} as const satisfies Record<string, keyof DynamoDb>;

/** Returns a client of a table in the process. */
export function tableClient(dynamodb: DynamoDb): TestClient {
  const send = (command: { readonly input: object }): Promise<object> => {
    const name = operations[command.constructor.name as keyof typeof operations];
    return (dynamodb[name] as (input: object) => Promise<object>)(command.input);
  };
  return Object.assign(dynamodb, { send }) as unknown as TestClient;
}
