import { randomUUID } from 'node:crypto';
import { ResponseChecker } from '../support/response-checker.ts';

/**
 * The service under test and the client that speaks to it.
 *
 * Importing this file gives a test file its service: the one at `BASE_URL` (scheme, host and port, no path), else a
 * local one on an empty database, which ends with the file. With `TOKEN` every request carries it. Every answer is held
 * against the OpenAPI document.
 */

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
export type JsonObject = { [field: string]: Json };

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export interface RequestOptions {
  /** Sent as JSON with `Content-Type: application/json`. */
  body?: Json;
  /** Sent as it is, without a `Content-Type` unless `headers` has one. */
  rawBody?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

export interface Answer {
  method: Method;
  /** Path and query, as they were given to `request`. */
  path: string;
  url: string;
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON, `undefined` when there is none. */
  body: unknown;
}

interface RunningService {
  url: string;
  stop(): Promise<void>;
}

export const isLocal = !process.env.BASE_URL;

/** Sent with each request that has no `Authorization` of its own. */
const token = process.env.TOKEN;

let baseUrl = (process.env.BASE_URL ?? '').replace(/\/+$/, '');
let localService: RunningService | undefined;

const declared = ResponseChecker.fromFile();

/** Paths of what this file's tests created in a service that outlives them. */
const created = new Set<string>();

beforeAll(async () => {
  if (!isLocal) return;
  const { startTestService } = await import('../support/local-service.ts');
  const service: RunningService = await startTestService();
  localService = service;
  baseUrl = service.url.replace(/\/+$/, '');
});

afterAll(async () => {
  if (localService) await localService.stop();
  else await inParallel([...created], remove);
  // A file can have created more than a thousand entities, in a service that answers from far away.
}, 300_000);

/**
 * Deletes what a test created; a busy deployment may be asked several times.
 * @throws Error that names what is left behind.
 */
async function remove(path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { status } = await request('DELETE', path);
    if (status === 204 || status === 404) return;
    if (attempt === 10) throw new Error(`DELETE ${path} gives ${status}: it is left behind.`);
    await new Promise((resolve) => setTimeout(resolve, 500 * attempt));
  }
}

export async function request(method: Method, path: string, options: RequestOptions = {}): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (options.body !== undefined) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    init.body = JSON.stringify(options.body);
  } else if (options.rawBody !== undefined) {
    // Given a string, fetch would add a Content-Type of its own.
    init.body =
      typeof options.rawBody === 'string' ? new TextEncoder().encode(options.rawBody) : options.rawBody;
  }
  const url = baseUrl + path;
  const response = await fetch(url, init);
  const text = await response.text();
  const answer = {
    method,
    path,
    url,
    status: response.status,
    headers: response.headers,
    text,
    body: parse(text),
  };
  const location = response.headers.get('location');
  if (!isLocal && response.status === 201 && location) created.add(pathOf(location, answer));
  // The local service has its answers checked by its gateway.
  if (!isLocal) requireDeclared(answer);
  return answer;
}

/** @throws Error that says what about an answer is not as the OpenAPI document declares it. */
function requireDeclared({ method, path, url, status, headers, text }: Answer): void {
  const answer = { method, path: new URL(url).pathname, status, headers: new Map(headers), text };
  const faults = declared.differences(answer);
  if (faults.length > 0)
    throw new Error(`${method} ${path} is not answered as declared:\n${faults.join('\n')}`);
}

/** Path and query of a URI reference found in an answer (`Location`, `Link`), resolved as RFC 3986 says. */
export function pathOf(reference: string, answer: Pick<Answer, 'url'>): string {
  const { pathname, search } = new URL(reference, answer.url);
  return pathname + search;
}

export type Parameters = Readonly<Record<string, string | number>>;

/** Adds a query; given as pairs, a parameter can be there more than once. */
export function withQuery(
  path: string,
  parameters: Parameters | readonly (readonly [string, string])[],
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Symbol.iterator in parameters ? parameters : Object.entries(parameters)) {
    query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A value nothing else in the database has, fit for a name or a status. */
export function unique(stem: string): string {
  return `${stem}-${randomUUID()}`;
}

/** Runs `work` over all items, eight at a time; the results keep the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}

/** Repeats `check` until it passes. Gives up, with its last failure, after fifteen seconds. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (Date.now() > deadline) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
