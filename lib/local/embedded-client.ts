/**
 * How the service talks to the engine that it started itself, which is a process beside it: without signatures, and over
 * a leaner HTTP client than the SDK's own. Everything above is as it is on AWS.
 */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { type Dispatcher, errors, Pool } from 'undici';
import { databaseTimeouts } from '../../functions/shared/store/client.ts';

/** The engine asks for a signature, and takes any. */
const anySignature = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  'x-amz-date': '20260101T000000Z',
};

const signer = {
  sign: async (request) => {
    Object.assign(request.headers, anySignature);
    return request;
  },
} satisfies DynamoDBClientConfig['signer'];

/** As many connections as the SDK's own handler opens. */
const connections = 50;

/** What the SDK hands to its HTTP client, as far as the engine is told of it. */
interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

const named = (name: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { name });

/** The store tries again what the SDK calls a timeout: a connection that is lost, or that says nothing. */
const lost = (error: Error): Error =>
  error instanceof errors.UndiciError ? named('TimeoutError', error.message, error) : error;

/** One exchange: settles with the whole answer, or with why there is none. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  readonly #settle: { resolve(response: HttpResponse): void; reject(error: Error): void };
  #statusCode = 0;
  #headers: Record<string, string> = {};
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;

  constructor(resolve: (response: HttpResponse) => void, reject: (error: Error) => void) {
    this.#settle = { resolve, reject };
  }

  /** Ends it, also when it waits for a connection. */
  abort(): void {
    this.#aborted = named('AbortError', 'The request was aborted.');
    this.#controller?.abort(this.#aborted);
    this.#settle.reject(this.#aborted);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(this.#aborted);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#statusCode = statusCode;
    for (const name in headers) this.#headers[name] = String(headers[name]);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    // The SDK changes the prototype of what it is given: this copy is its own.
    const body = new Uint8Array(Buffer.concat(this.#chunks));
    this.#settle.resolve({ statusCode: this.#statusCode, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(lost(error));
  }
}

/**
 * Settings for a client of the engine that the service started for itself. Any other engine, and AWS above all, may
 * look at signatures.
 * @param endpoint of the engine.
 */
export function embeddedClient(endpoint: string) {
  const { connectionTimeout, requestTimeout } = databaseTimeouts;
  const pool = new Pool(endpoint, {
    connections,
    connect: { timeout: connectionTimeout },
    headersTimeout: requestTimeout,
    bodyTimeout: requestTimeout,
  });
  const handle = async (
    { method, path, headers, body }: HttpRequest,
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ): Promise<{ response: HttpResponse }> => {
    let exchange: Exchange | undefined;
    const onAbort = (): void => exchange?.abort();
    try {
      const response = await new Promise<HttpResponse>((resolve, reject) => {
        exchange = new Exchange(resolve, reject);
        abortSignal?.addEventListener('abort', onAbort, { once: true });
        if (abortSignal?.aborted) exchange.abort();
        else
          pool.dispatch(
            { method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null },
            exchange,
          );
      });
      return { response };
    } finally {
      abortSignal?.removeEventListener('abort', onAbort);
    }
  };
  return {
    signer,
    requestHandler: {
      metadata: { handlerProtocol: 'http/1.1' },
      handle,
      destroy: () => void pool.destroy(),
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
    },
  } satisfies DynamoDBClientConfig;
}
