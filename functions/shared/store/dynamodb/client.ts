/** The one client of DynamoDB that a process has. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Milliseconds until a connection is open, and until DynamoDB continues a response. */
const connectionTimeout = 1_000;
const requestTimeout = 2_000;

const ignore = (): void => undefined;

/**
 * A logger without `info` and `error`. The SDK's default logger ignores all entries, but the SDK copies the whole request and response of each
 * call to build an entry. Without these methods it builds none: `test/contract/lists.test.ts` took 22 instead of 27 seconds.
 */
const silentLogger = { trace: ignore, debug: ignore, warn: ignore } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>;

/**
 * Returns a client for the endpoint and region of the environment (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`).
 *
 * The SDK makes one attempt: `database.ts` retries within the time of the request and with the same token. The SDK's own
 * retries end after a fixed number of attempts and leave out transaction conflicts.
 */
export function connect(settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    logger: silentLogger,
    // Without `throwOnRequestTimeout`, the SDK logs a warning and waits.
    requestHandler: {
      connectionTimeout,
      requestTimeout,
      throwOnRequestTimeout: true,
      socketTimeout: requestTimeout,
    },
    ...settings,
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

let shared: DynamoDBDocumentClient | undefined;

/** Returns the process's one client: its connections stay open from request to request. */
export function sharedClient(): DynamoDBDocumentClient {
  shared ??= connect();
  return shared;
}

/** Replaces the process's one client, for a host of the functions, before it calls them. */
export function shareClient(client: DynamoDBDocumentClient): void {
  shared = client;
}
