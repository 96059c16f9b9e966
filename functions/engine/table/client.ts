/** The one client of DynamoDB that a process has. */
import type { Readable } from 'node:stream';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { requestHandler } from '../../runtime/request-handler.ts';
import { now } from '../../runtime/time-and-chance.ts';
import type { DynamoDb } from './operations.ts';

const ignore = (): void => undefined;

/** Milliseconds of the unit of the header `Date`. */
const dateUnitMs = 1_000;

/**
 * Returns the milliseconds by which the clock of this process is ahead, at least; a negative number when it is behind. A process can be frozen while
 * it waits for a response, so only times outside those of the call are wrong.
 * @param date of the response, in whole seconds.
 */
function clockErrorMs(sent: number, date: number, received: number): number {
  if (sent > date + dateUnitMs) return sent - date - dateUnitMs;
  return received < date ? received - date : 0;
}

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
export function connect(settings: DynamoDBClientConfig = {}): SdkDynamoDb {
  const own = { maxAttempts: 1, logger: silentLogger, requestHandler };
  return new SdkDynamoDb(new DynamoDBClient({ ...own, ...settings }));
}

export class SdkDynamoDb implements DynamoDb {
  clockErrorMs = 0;
  readonly documents: DynamoDBDocumentClient;

  constructor(client: DynamoDBClient) {
    this.documents = DynamoDBDocumentClient.from(client, {
      marshallOptions: { removeUndefinedValues: true },
    });
    client.middlewareStack.add(
      (next) => async (call) => {
        const sent = now();
        const result = await next(call);
        const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
        const date = Date.parse(headers['date'] ?? '');
        if (!Number.isNaN(date)) this.clockErrorMs = clockErrorMs(sent, date, now());
        return result;
      },
      // Before the SDK reads the body: failed calls tell the time as well.
      { step: 'deserialize', priority: 'low', name: 'observeTime' },
    );
  }

  readonly getItem = this.#operation<DynamoDb['getItem']>(GetCommand);
  readonly batchGetItem = this.#operation<DynamoDb['batchGetItem']>(BatchGetCommand);
  readonly query = this.#operation<DynamoDb['query']>(QueryCommand);
  readonly scan = this.#operation<DynamoDb['scan']>(ScanCommand);
  readonly putItem = this.#operation<DynamoDb['putItem']>(PutCommand);
  readonly updateItem = this.#operation<DynamoDb['updateItem']>(UpdateCommand);
  readonly deleteItem = this.#operation<DynamoDb['deleteItem']>(DeleteCommand);
  readonly transactWriteItems = this.#operation<DynamoDb['transactWriteItems']>(TransactWriteCommand);

  #operation<Operation extends (input: never, abortSignal?: AbortSignal) => Promise<unknown>>(
    Command: new (input: Parameters<Operation>[0]) => unknown,
  ): Operation {
    const send = (input: Parameters<Operation>[0], abortSignal?: AbortSignal) =>
      this.documents.send(new Command(input) as GetCommand, abortSignal && { abortSignal });
    return send as unknown as Operation;
  }

  /** Opens a connection, which the next call uses, with a request that DynamoDB answers without credentials and without charge. */
  async openConnection(): Promise<void> {
    const { requestHandler } = this.documents.config;
    const request = { ...(await this.#address()), method: 'GET', path: '/', query: {}, headers: {} };
    const { response } = await requestHandler.handle(request as Parameters<typeof requestHandler.handle>[0]);
    // A connection is free for the next request when the response has been read.
    (response.body as Readable).resume();
  }

  destroy(): void {
    this.documents.destroy();
  }

  async #address(): Promise<object> {
    const { config } = this.documents;
    const given = await config.endpoint?.();
    if (given) return { protocol: given.protocol, hostname: given.hostname, port: given.port };
    const { protocol, hostname } = config.endpointProvider({ Region: await config.region() }).url;
    return { protocol, hostname };
  }
}

let shared: DynamoDb | undefined;

/** Creates the process's client, and opens a connection, before it is needed. @param endpoint another address than that of the region. */
export function warmSharedClient(endpoint?: string): void {
  const client = connect(endpoint === undefined ? {} : { endpoint });
  // When it fails, the first call opens a connection of its own.
  client.openConnection().catch(ignore);
  shared = client;
}

/** Returns the process's one client: its connections stay open from request to request. */
export function sharedClient(): DynamoDb {
  shared ??= connect();
  return shared;
}

/** Replaces the process's one client, for a host of the functions, before it calls them. */
export function shareClient(client: DynamoDb): void {
  shared = client;
}
