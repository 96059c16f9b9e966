/** The one client of DynamoDB that a process has. */
import type { Readable } from 'node:stream';
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../runtime/environment.ts';

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
 * Says which operation failed, and where, when a response has no error that the SDK knows. Services that take the place of DynamoDB lack
 * operations; the SDK's message is "UnknownError".
 */
function nameUnknownErrors({ config, middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        try {
          return await next(sent);
        } catch (error) {
          if (error instanceof DynamoDBServiceException && error.message === 'UnknownError') {
            const { hostname, port } = (await config.endpoint?.()) ?? {
              hostname: 'DynamoDB',
              port: undefined,
            };
            const place = port === undefined ? hostname : `${hostname}:${port}`;
            const operation = commandName?.replace(/Command$/, '');
            error.message = `${place} responded with the status ${error.$metadata.httpStatusCode} to ${operation}. Does it have this operation?`;
          }
          throw error;
        }
      },
    { step: 'initialize', name: 'nameUnknownErrors' },
  );
}

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
  nameUnknownErrors(client);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/**
 * Opens the first connection of a client with a request that DynamoDB answers without credentials and without charge. When it fails, the
 * first call opens a connection of its own.
 */
async function openConnection({ config }: DynamoDBDocumentClient): Promise<void> {
  const Region = await config.region();
  const url = new URL(environment.databaseEndpoint() ?? config.endpointProvider({ Region }).url);
  const { protocol, hostname, port } = url;
  const address = { protocol, hostname, ...(port && { port: Number(port) }) };
  const request = { ...address, method: 'GET', path: '/', query: {}, headers: {} };
  const { response } = await config.requestHandler.handle(
    request as Parameters<typeof config.requestHandler.handle>[0],
  );
  // A connection is free for the next request when the response has been read.
  (response.body as Readable).resume();
}

/** Returns a client that is created, and connects, while Lambda initialises the environment. */
function warmClient(): DynamoDBDocumentClient {
  const client = connect();
  openConnection(client).catch(ignore);
  return client;
}

/** Other hosts set the environment variables, or share a client of their own, after they have loaded this module. */
let shared: DynamoDBDocumentClient | undefined = environment.isOnLambda() ? warmClient() : undefined;

/** Returns the process's one client: its connections stay open from request to request. */
export function sharedClient(): DynamoDBDocumentClient {
  shared ??= connect();
  return shared;
}

/** Replaces the process's one client, for a host of the functions, before it calls them. */
export function shareClient(client: DynamoDBDocumentClient): void {
  shared = client;
}
