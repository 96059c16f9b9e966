import { ConnectionError, ProblemError, problemOf } from './problems.ts';

export interface ClientOptions {
  /** Where the service is: scheme, host and port. */
  readonly url: string;
  /** An access token, or what gets one; it is asked before each request. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** How often a request is tried before it fails, at least once. */
  readonly tries?: number | undefined;
  /** Milliseconds until a try is given up. The service answers within 30 seconds. */
  readonly timeout?: number | undefined;
  /** Another `fetch` than the one that is there. */
  readonly fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  /** Ends the request, and all tries of it. */
  readonly signal?: AbortSignal | undefined;
}

/** As much of a request as differs from one to the next. */
export interface Message {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Encoded. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
  /** Stands for this request however often it is tried; only `POST` needs one. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** The value of the JSON; `undefined` where there is none. */
  readonly body: unknown;
}

/** The gateway's and the service's ways to say that the same request may succeed a little later. */
const isPassing = (status: number): boolean => [429, 502, 503, 504].includes(status);

/** The statuses with which a server sends a client elsewhere (RFC 9110, section 15.4). */
const redirects = [301, 302, 303, 307, 308];

/** Whether a try failed because it was redirected. Node.js says so; browsers give no reason for a failure. */
const isRedirected = (error: unknown): boolean =>
  error instanceof Error && (/\bredirect/.test(error.message) || isRedirected(error.cause));

/** 128 random bits. `crypto.randomUUID` is not there on pages without TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Milliseconds before the next try: what the service asks for, or twice as long each time, with some chance. */
function pauseOf(attempt: number, retryAfter: string | null): number {
  const asked = Number(retryAfter) * 1_000;
  return asked > 0 ? Math.min(asked, 60_000) : 100 * 2 ** attempt * (0.5 + Math.random() / 2);
}

/** Waits, unless the caller ends it. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** Speaks HTTP with the service, and tries again where that is safe. */
export class Connection {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
  }

  /**
   * Sends a request until it is answered. All tries of a `POST` have one key, so that it is done once; the other
   * methods do the same however often they are sent. A `DELETE` that finds nothing the second time was done the first.
   * @throws ProblemError when the service refuses it.
   * @throws ConnectionError when no try is answered, or one is redirected: a token and a body are for this address alone.
   */
  async send(message: Message): Promise<Received> {
    const { url, tries = 4 } = this.#options;
    const { method, path, query = {}, signal } = message;
    const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
    const address = `${url}${path}${parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : ''}`;
    const key = method === 'POST' ? (message.idempotencyKey ?? randomKey()) : undefined;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#try(address, message, key).catch((error: unknown) => {
        signal?.throwIfAborted();
        if (isRedirected(error)) {
          const message = `${url} redirects requests, and this client follows none. Make it with the final address.`;
          throw new ConnectionError(url, error, message);
        }
        if (attempt >= tries) throw new ConnectionError(url, error);
      });
      if (answer && !(isPassing(answer.status) && attempt < tries)) {
        return this.#received(address, answer, method === 'DELETE' && attempt > 1);
      }
      await pause(pauseOf(attempt, answer?.headers.get('retry-after') ?? null), signal);
    }
  }

  async #try(address: string, { method, body, ifMatch, signal }: Message, key?: string) {
    const { token, timeout = 35_000, fetch: send = globalThis.fetch } = this.#options;
    const credential = typeof token === 'function' ? await token() : token;
    const limit = AbortSignal.timeout(timeout);
    const answer = await send(address, {
      method,
      headers: {
        ...(credential && { authorization: `Bearer ${credential}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    // A `fetch` of the caller's may do otherwise.
    if (answer.redirected || answer.type === 'opaqueredirect' || redirects.includes(answer.status)) {
      throw new Error('unexpected redirect');
    }
    // A connection may break in the middle of an answer, too.
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  #received(
    address: string,
    { status, headers, text }: { status: number; headers: Headers; text: string },
    mayBeDone: boolean,
  ): Received {
    const isDone = status < 300 || (status === 404 && mayBeDone);
    if (!isDone) throw new ProblemError(problemOf(address, status, headers.get('content-type') ?? '', text));
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  }
}
