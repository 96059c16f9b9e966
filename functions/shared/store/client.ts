import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * A client for the endpoint and region that the environment names (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`).
 *
 * The SDK tries once: `database.ts` retries, inside the request's time, with the same token. The SDK's own
 * retries end after a fixed number of tries and leave out transaction conflicts altogether.
 */
export function connect(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    // The environment must not choose what is left out of the bundles (`lib/infrastructure/unused-modules.ts`).
    retryMode: 'standard',
    defaultsMode: 'standard',
    // Without throwOnRequestTimeout, a request that takes too long is logged and goes on waiting.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
  return DynamoDBDocumentClient.from(client);
}

let shared: DynamoDBDocumentClient | undefined;

/** The process's one client: connections are kept alive from request to request. */
export function sharedClient(): DynamoDBDocumentClient {
  shared ??= connect();
  return shared;
}
