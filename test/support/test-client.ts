import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { SdkDynamoDb } from '#functions/store/dynamodb/client.ts';
import type { DynamoDb } from '#functions/store/dynamodb/operations.ts';
import { wallClock } from './wall-clock.ts';

/** The operations, and any command of the SDK. */
export interface TestClient extends DynamoDb {
  send: DynamoDBDocumentClient['send'];
}

/** Returns a client of an engine. */
export function testClient(endpoint: string): TestClient {
  const dynamodb = new SdkDynamoDb(new DynamoDBClient({ endpoint }), wallClock);
  return Object.assign(dynamodb, { send: dynamodb.documents.send.bind(dynamodb.documents) }) as TestClient;
}
