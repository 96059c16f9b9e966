/** The one client of DynamoDB that a process has. */
import type { Readable } from 'node:stream';
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../runtime/environment.ts';
import { type Clock, CorrectedClock } from './clock.ts';

/** Milliseconds until a connection is open, and until DynamoDB continues a response. */
const connectionTimeout = 1_000;
const requestTimeout = 2_000;

const ignore = (): void => undefined;

interface Responded {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

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

const clocks = new WeakMap<DynamoDBDocumentClient, Clock>();

/** Lets a clock learn from each response of a client. */
function setClock(client: DynamoDBDocumentClient, clock: Clock): Clock {
  clocks.set(client, clock);
  client.middlewareStack.add(
    (next) => async (call) => {
      const sent = clock.read();
      const result = await next(call);
      const { headers } = result.response as Responded;
      clock.observe(sent, Date.parse(headers['date'] ?? ''));
      return result;
    },
    // Before the SDK reads the body: failed calls tell the time as well.
    { step: 'deserialize', priority: 'low', name: 'observeTime' },
  );
  return clock;
}

/** Returns the clock that a client's responses correct. */
export const clockOf = (client: DynamoDBDocumentClient): Clock =>
  clocks.get(client) ?? setClock(client, new CorrectedClock());

/**
 * Returns a client for the endpoint and region of the environment (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`).
 *
 * The SDK makes one attempt: `database.ts` retries within the time of the request and with the same token. The SDK's own
 * retries end after a fixed number of attempts and leave out transaction conflicts.
 * @param clock what the responses correct.
 */
export function connect(
  settings: DynamoDBClientConfig = {},
  clock: Clock = new CorrectedClock(),
): DynamoDBDocumentClient {
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
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  setClock(documents, clock);
  return documents;
}

/** Returns the address of DynamoDB. */
async function addressOf({ config }: DynamoDBDocumentClient): Promise<object> {
  const given = await config.endpoint?.();
  if (given) return { protocol: given.protocol, hostname: given.hostname, port: given.port };
  const Region = await config.region();
  const url = new URL(environment.databaseEndpoint() ?? config.endpointProvider({ Region }).url);
  const { protocol, hostname, port } = url;
  return { protocol, hostname, ...(port && { port: Number(port) }) };
}

/**
 * Asks DynamoDB for the time, with a request that it answers without credentials and without charge. The clock of the client learns from the
 * response. The first request opens a connection, which the next call uses.
 */
export async function askTime(client: DynamoDBDocumentClient, abortSignal?: AbortSignal): Promise<void> {
  const { requestHandler } = client.config;
  const clock = clockOf(client);
  const request = { ...(await addressOf(client)), method: 'GET', path: '/', query: {}, headers: {} };
  const sent = clock.read();
  const { response } = await requestHandler.handle(
    request as Parameters<typeof requestHandler.handle>[0],
    abortSignal && { abortSignal },
  );
  clock.observe(sent, Date.parse((response as Responded).headers['date'] ?? ''));
  // A connection is free for the next request when the response has been read.
  (response.body as Readable).resume();
}

/** Returns a client that is created, and connects, while Lambda initialises the environment. */
function warmClient(): DynamoDBDocumentClient {
  const client = connect();
  // When it fails, the first call opens a connection of its own.
  askTime(client).catch(ignore);
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
