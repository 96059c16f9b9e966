import {
  type $Command,
  DynamoDBClient,
  type DynamoDBClientConfig,
  type DynamoDBClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb';
import { environment } from '../environment.ts';
import { HttpClient, type HttpRequest } from './http-client.ts';
import { Sha256 } from './sha256.ts';

/**
 * What the SDK does for every call, and nobody here has any use of: lines for a log that is not kept, a name in
 * `User-Agent`, a mark against functions that call each other in circles, which DynamoDB does not pass on.
 */
export const idleMiddleware = [
  'loggerMiddleware',
  'getUserAgentMiddleware',
  'recursionDetectionMiddleware',
] as const;

/** Milliseconds that DynamoDB may take to accept a connection, and to go on with an answer. */
const timeouts = { connection: 1_000, silence: 2_000 } as const;

/** The SDK's retries, which others of its middlewares stand behind by this name. */
export const retryMiddleware = 'retryMiddleware';

/** The signals of calls, by what is asked. */
const signals = new WeakMap<object, AbortSignal>();

/**
 * A client for the endpoint and region that the environment names (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`).
 *
 * The SDK tries once: `database.ts` retries, inside the request's time, with the same token. The SDK's own
 * retries end after a fixed number of tries and leave out transaction conflicts altogether.
 * @param settings of whoever hosts the functions, where the SDK's own do not fit.
 */
export function connect(settings: DynamoDBClientConfig = {}): DynamoDBClient {
  const credentials = environment.credentials();
  const client = new DynamoDBClient({
    maxAttempts: 1,
    // What the SDK does for a command is put together once, and not anew for every call.
    cacheMiddleware: true,
    // The environment must not choose what is left out of the bundles (`lib/infrastructure/unused-modules.ts`).
    retryMode: 'standard',
    defaultsMode: 'standard',
    requestHandler: new HttpClient(timeouts),
    sha256: Sha256,
    // Or they would be read from the environment for every call.
    ...(credentials && { credentials }),
    ...settings,
  });
  for (const name of [...idleMiddleware, retryMiddleware]) client.middlewareStack.remove(name);
  client.middlewareStack.add((next) => next, {
    name: retryMiddleware,
    step: 'finalizeRequest',
    priority: 'high',
  });
  // To the HTTP client. Options of a call do not reach it: what is put together once has none.
  client.middlewareStack.add(
    (next) => (args) => {
      (args.request as HttpRequest).abortSignal = signals.get(args.input);
      return next(args);
    },
    { name: 'signalMiddleware', step: 'deserialize', priority: 'low' },
  );
  return client;
}

/** Sends a command, and gives it up when the signal says so. */
export function send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  client: DynamoDBClient,
  command: $Command<Input, Output, DynamoDBClientResolvedConfig>,
  abortSignal: AbortSignal,
): Promise<Output> {
  // Somebody else's client, as it comes.
  if (!client.config.cacheMiddleware) return client.send(command, { abortSignal });
  signals.set(command.input, abortSignal);
  return client.send(command);
}

let shared: DynamoDBClient | undefined;

/** The process's one client: connections are kept alive from request to request. */
export function sharedClient(): DynamoDBClient {
  shared ??= connect();
  return shared;
}

/** Makes another client the process's one: for whoever hosts the functions, before it calls them. */
export function shareClient(client: DynamoDBClient): void {
  shared = client;
}
