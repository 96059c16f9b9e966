import { learnClock, randomBytes, toHex } from './ids.ts';
import { ConnectionError, ProblemError, problemOf } from './problems.ts';

export interface ClientOptions {
  /** The address of the service, without `/v1`: `https://api.example.com`, with a path if a proxy adds one, or only a path such as `/api` on a page of the same origin. */
  readonly url: string;
  /** An access token, or a function that returns one. The client calls it before each attempt. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** The maximum number of attempts for one request. The first attempt is always made. Default: 4. */
  readonly tries?: number | undefined;
  /** Milliseconds after which an attempt is aborted. The service responds within 30 seconds. Default: 35,000. */
  readonly timeout?: number | undefined;
  /** An implementation of `fetch`. Default: `globalThis.fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** A class like `WebSocket`, for the option `live` of `sync`. Default: `globalThis.WebSocket`, which Node.js has from version 22. */
  readonly webSocket?: (new (url: string, protocols: string[]) => WebSocketLike) | undefined;
}

/** The part of `WebSocket` that the client uses. */
export interface WebSocketLike {
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
  send(text: string): void;
  close(): void;
}

export interface RequestOptions {
  /** Aborts the request and all its further attempts. */
  readonly signal?: AbortSignal | undefined;
}

export interface Message {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The percent-encoded path. */
  readonly path: string;
  /** The encoded query string. */
  readonly query?: string | undefined;
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
  /** Whether a `PUT` creates: the entity must not exist. */
  readonly isCreation?: boolean | undefined;
  /** The key of all attempts of a `POST`, or of another write with a condition. Others do not need one. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the service refuses keys of this caller: the token names nobody. */
  readonly hasNoKey?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or `undefined` if the response has no content. */
  readonly body: unknown;
}

/** Returns whether the service refuses a request because of its key. */
const refusesKey = ({ status, text }: { readonly status: number; readonly text: string }): boolean =>
  status === 400 && text.includes('"Idempotency-Key"');

/** The error of a request that no repetition makes valid. */
export class UnsendableError extends TypeError {}

/** A character that a header must not have (RFC 9110, section 5.5). `Headers` refuses it too, but needs globals that React Native lacks. */
const invalidInHeader = /[^\t -~\u0080-\u00ff]/;

/** Returns headers. @throws UnsendableError for a value that no header can have. */
function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers))
    if (invalidInHeader.test(value))
      throw new UnsendableError(`The header "${name}" has a character that is not allowed.`);
  return headers;
}

const isTransient = (status: number): boolean => [429, 502, 503, 504].includes(status);

/** The status codes of redirects (RFC 9110, section 15.4). */
const redirects = [301, 302, 303, 307, 308];

/** Returns whether an attempt failed because of a redirect. Only Node.js reports this reason; browsers report none. */
const isRedirected = (error: unknown): boolean =>
  error instanceof Error && (/\bredirect/.test(error.message) || isRedirected(error.cause));

/**
 * Returns a key that no other request has. `crypto.randomUUID` does not exist on pages without TLS, and `crypto` not in React
 * Native. The key is no secret, but the generator behind `Math.random` can be small there: the time makes up for it.
 */
function uniqueKey(): string {
  return `${Date.now().toString(36)}-${toHex(randomBytes(16))}`;
}

/** Returns whether a message changes an entity in a version. */
const isChange = ({ method, ifMatch }: Message): boolean => method !== 'POST' && ifMatch !== undefined;

/** Returns the key of a message; `undefined` if it needs none. */
function keyOf(message: Message): string | undefined {
  const { method, isCreation, idempotencyKey, hasNoKey } = message;
  const needsKey = method === 'POST' || isCreation || (isChange(message) && !hasNoKey);
  return needsKey ? idempotencyKey || uniqueKey() : undefined;
}

const maxPauseMs = 60_000;

/** Returns the milliseconds that a response asks to wait, in seconds or until a date, up to a minute; 0 if it asks for none. */
function retryAfterMsOf(headers: Headers | undefined): number {
  const text = headers?.get('retry-after') ?? '0';
  const milliseconds = Number.isNaN(Number(text)) ? Date.parse(text) - Date.now() : 1_000 * Number(text);
  return Math.min(Math.max(0, milliseconds) || 0, maxPauseMs);
}

/** Returns the milliseconds before the next attempt: exponential backoff with jitter, `firstMs` or more after the first attempt. */
export const pauseOf = (attempt: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** attempt, maxPauseMs) * (0.5 + Math.random() / 2);

const namedError = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** Returns why a signal is aborted. Older implementations have no reason. */
const reasonOf = (signal: AbortSignal): unknown =>
  signal.reason ?? namedError('AbortError', 'The caller aborted the request.');

/**
 * Calls a function with a signal that aborts together with the caller's, or when the time is over. `AbortSignal.any` and
 * `AbortSignal.timeout` do not exist in React Native and in older browsers.
 */
async function withTimeout<Result>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // An aborted signal sends no further event.
  if (signal?.aborted) throw reasonOf(signal);
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal && reasonOf(signal));
  const timer = setTimeout(() => {
    controller.abort(namedError('TimeoutError', `There was no response within ${timeoutMs} ms.`));
  }, timeoutMs);
  signal?.addEventListener('abort', abort);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Returns what a promise becomes. @throws the reason of the signal when it is aborted before. */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal && reasonOf(signal));
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', end));
  });
}

/** Waits. @throws the reason of the signal when it is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Returns the document of a browser. */
export const page = () =>
  (globalThis as { document?: Partial<EventTarget> & { readonly visibilityState?: string } }).document;

export const isHidden = (): boolean => page()?.visibilityState === 'hidden';

/** Waits until the page is hidden or shown. @throws the reason of the signal when it is aborted. */
export const visibilityChange = (signal: AbortSignal): Promise<unknown> =>
  unlessAborted(
    new Promise((resolve) => page()?.addEventListener?.('visibilitychange', resolve, { once: true })),
    signal,
  );

/** An HTTP address with an optional path, or a path alone: without a query, a fragment or a user. */
const addressPattern = /^(?:https?:\/\/[^/?#\s@\\]+)?(?:\/[^/?#\s\\]+)*$/i;

/**
 * Returns the address without a slash at its end.
 * @throws TypeError for anything but an HTTP address or a path. JavaScript programs can pass any options.
 */
function addressOf(options: Partial<ClientOptions> | undefined): string {
  const url: unknown = options?.url;
  const example = 'http://localhost:3000, https://example.com/backend or /api';
  if (typeof url !== 'string' || url === '' || url === '/' || !addressPattern.test(url.replace(/\/$/, ''))) {
    throw new TypeError(`url must be like ${example}, not ${JSON.stringify(url)}.`);
  }
  if (/\/v1\/?$/.test(url)) throw new TypeError(`url must not end with /v1, which the client adds: ${url}`);
  return url.replace(/\/$/, '');
}

export class Connection {
  protected readonly options: ClientOptions;

  constructor(options: ClientOptions) {
    this.options = { ...options, url: addressOf(options) };
  }

  /**
   * Sends a request and retries it until there is a response. All attempts of a `POST`, or of a write with a condition, send the same idempotency
   * key, so the service executes it once. The others are idempotent. If a later attempt of a `DELETE` returns 404, an
   * earlier attempt deleted the entity.
   * @throws ProblemError when the service returns an error.
   * @throws TypeError when the body is no JSON, or a header has a character that is not allowed.
   * @throws ConnectionError when no attempt gets a response, or when the service redirects: the token and the body are for
   * this address only.
   */
  async send(message: Message): Promise<Received> {
    const { url, tries = 4 } = this.options;
    const { path, signal } = message;
    const address = `${url}${path}${message.query ? `?${message.query}` : ''}`;
    const key = keyOf(message);
    const content = message.body && JSON.stringify(message.body);
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#try(address, { ...message, content }, key).catch((error: unknown) => {
        if (signal?.aborted) throw reasonOf(signal);
        if (error instanceof UnsendableError) throw error;
        if (isRedirected(error)) {
          const message = `${url} redirects requests. The client follows no redirects: create it with the final address.`;
          throw new ConnectionError(url, error, message);
        }
        if (attempt >= tries) throw new ConnectionError(url, error);
      });
      if (response && !(isTransient(response.status) && attempt < tries)) {
        // A second attempt of a change without a key fails, instead of being applied again.
        if (isChange(message) && key && refusesKey(response))
          return this.send({ ...message, hasNoKey: true });
        return this.#received(message, response, { isRepeated: attempt > 1, key });
      }
      await pause(retryAfterMsOf(response?.headers) || pauseOf(attempt, 100), signal);
    }
  }

  /** Returns the token. It can take for ever, for example while the page leaves for that of the issuer. */
  protected async token(signal: AbortSignal): Promise<string | undefined> {
    const { token } = this.options;
    return typeof token === 'function' ? unlessAborted(Promise.resolve().then(token), signal) : token;
  }

  async #try(
    address: string,
    { method, content, ifMatch, isCreation, ...message }: Message & { readonly content: string | undefined },
    key: string | undefined,
  ) {
    const { fetch: send = globalThis.fetch, timeout = 35_000 } = this.options;
    return withTimeout(timeout, message.signal, async (signal) => {
      const credential = await this.token(signal);
      const sentAt = Date.now();
      const response = await send(address, {
        method,
        headers: checkedHeaders({
          ...(credential && { authorization: `Bearer ${credential}` }),
          ...(content && { 'content-type': 'application/json' }),
          ...(ifMatch && { 'if-match': ifMatch }),
          ...(isCreation && { 'if-none-match': '*' }),
          ...(key && { 'idempotency-key': key }),
        }),
        ...(content && { body: content }),
        redirect: 'error',
        signal,
      });
      // A `fetch` of the caller may ignore `redirect: 'error'`.
      if (response.redirected || response.type === 'opaqueredirect' || redirects.includes(response.status)) {
        throw new Error('unexpected redirect');
      }
      learnClock(response.headers, sentAt);
      // Reads the content here, because a connection can break in the middle of a response.
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
  }

  #received(
    { method }: Message,
    { status, headers, text }: { status: number; headers: Headers; text: string },
    { isRepeated, key }: { readonly isRepeated: boolean; readonly key: string | undefined },
  ): Received {
    const succeeded = status < 300 || (status === 404 && method === 'DELETE' && isRepeated);
    if (!succeeded) {
      const problem = problemOf(this.options.url, status, headers, text);
      throw new ProblemError(problem, retryAfterMsOf(headers), isRepeated && key === undefined);
    }
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  }
}
