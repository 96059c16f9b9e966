import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { v7 as uuidv7 } from 'uuid';
import type { InProcessService } from '../support/in-process-service.ts';
import { isInProcess, startTestService } from '../support/local-service.ts';
import type { ResponseChecker } from '../support/response-checker.ts';
import { testWorker } from '../support/test-worker.ts';
import { wait } from '../support/until.ts';

/**
 * The service under test and a client for it.
 *
 * A test file that imports this file uses the service at `BASE_URL` (scheme, host and port, no path). Without `BASE_URL`, it uses a service on an
 * empty table, which stops after the file: in the process of the test and in virtual time, or, with `TEST_ENGINE=embedded`, with sockets on the
 * embedded engine. Every request sends `TOKEN` if it is set. Every response is compared with the OpenAPI document.
 */

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
export type JsonObject = { [field: string]: Json };

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

interface RequestOptions {
  /** Sent as JSON with `Content-Type: application/json`. */
  body?: Json;
  /** Sent unchanged. There is no `Content-Type` unless `headers` contains one. */
  rawBody?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

export interface TestResponse {
  method: Method;
  path: string;
  url: string;
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON, or `undefined` if the text is not JSON. */
  body: unknown;
}

interface RunningService {
  url: string;
  stop(): Promise<void>;
}

export const isLocal = !process.env.BASE_URL;

/** Sent with each request that sets no `Authorization` header. */
const token = process.env.TOKEN;

let baseUrl = (process.env.BASE_URL ?? '').replace(/\/+$/, '');
let localService: RunningService | undefined;
let inProcess: InProcessService | undefined;

/** Checks the responses of a remote service. It takes time to load. */
let checker: ResponseChecker | undefined;

/** Paths of the entities that the tests created in a remote service. `afterAll` deletes them. */
const created = new Set<string>();

beforeAll(async () => {
  if (!isLocal) return;
  if (isInProcess) inProcess = await (await testWorker()).startInProcess();
  const service: RunningService = inProcess ?? (await startTestService());
  localService = service;
  baseUrl = service.url.replace(/\/+$/, '');
});

afterAll(async () => {
  if (localService) await localService.stop();
  else await inParallel([...created], remove);
  // A test file can create more than a thousand entities in a remote service.
});

/** The file in which `npx pm-api verify` finds what was created. */
const journal = process.env['CREATED_ENTITIES'];

/** Returns whether `npx pm-api verify` was interrupted: nothing more must be created. */
const isInterrupted = (): boolean => journal !== undefined && existsSync(`${journal}.stop`);

/** Remembers an entity. `npx pm-api verify` also reads the file, if a signal ends the tests before they delete it. */
function recordCreated(path: string): void {
  created.add(path);
  if (journal) appendFileSync(journal, `${path}\n`);
}

/**
 * Deletes an entity that a test created. Retries because a busy deployment can return an error.
 * @throws Error that names an entity that was not deleted.
 */
async function remove(path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, headers } = await request('DELETE', path);
    if (status === 204 || status === 404) return;
    const retryAfterMs = 1_000 * Number(headers.get('retry-after') ?? 0);
    if (attempt === 10) throw new Error(`DELETE ${path} returns ${status}: the entity was not deleted.`);
    await pause(Math.max(500 * attempt, retryAfterMs));
  }
}

export async function request(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<TestResponse> {
  if (method === 'POST' && isInterrupted()) throw new Error('The run was interrupted.');
  const headers = new Headers(options.headers);
  if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (options.body !== undefined) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    init.body = JSON.stringify(options.body);
  } else if (options.rawBody !== undefined) {
    // For a string, fetch would add its own Content-Type.
    init.body =
      typeof options.rawBody === 'string' ? new TextEncoder().encode(options.rawBody) : options.rawBody;
  }
  const url = baseUrl + path;
  const response = { method, path, url, ...(await send(url, init, headers)) };
  if (!isLocal) rememberCreated(response);
  // The gateway of the local service checks its responses.
  if (!isLocal) await requireDeclared(response);
  return response;
}

/** Sends a request: without a socket when the service is in this process. */
async function send(
  url: string,
  init: RequestInit,
  headers: Headers,
): Promise<Pick<TestResponse, 'status' | 'headers' | 'text' | 'body'>> {
  if (!inProcess) {
    const fetched = await fetch(url, init);
    const text = await fetched.text();
    return { status: fetched.status, headers: fetched.headers, text, body: parse(text) };
  }
  const { pathname, search } = new URL(url);
  const body = init.body === undefined ? undefined : Buffer.from(init.body as string | Uint8Array);
  const sent = Object.fromEntries(headers);
  const { status, text, ...received } = await inProcess.request(
    init.method as Method,
    pathname + search,
    sent,
    body,
  );
  return { status, headers: new Headers(received.headers), text, body: parse(text) };
}

/** Returns the time of the service, as far as it is known, in milliseconds since 1970. */
export const serviceTime = (): number => inProcess?.now() ?? Date.now();

/** Returns an id that a caller makes, at the time of the service or before. */
export const ownId = (agoMs = 0): string => uuidv7({ msecs: serviceTime() - agoMs });

/** Lets time pass for the service. */
export async function pause(milliseconds: number): Promise<void> {
  if (inProcess) await inProcess.pass(milliseconds);
  else await wait(milliseconds);
}

function rememberCreated(response: TestResponse): void {
  const { path, status, headers, body } = response;
  const location = headers.get('location');
  if (status === 201 && location) recordCreated(pathOf(location, response));
  if (status !== 200 || !path.endsWith('/batch')) return;
  const { results } = body as { results: readonly { status: number; body?: { id: string } }[] };
  for (const result of results) if (result.body) recordCreated(path.replace(/batch$/, result.body.id));
}

/** @throws Error that lists the differences between a response and the OpenAPI document. */
async function requireDeclared({ method, path, url, status, headers, text }: TestResponse): Promise<void> {
  const response = { method, path: new URL(url).pathname, status, headers: new Map(headers), text };
  checker ??= (await import('../support/response-checker.ts')).ResponseChecker.ofContracts();
  const differences = checker.differences(response);
  if (differences.length > 0)
    throw new Error(`${method} ${path} does not match the OpenAPI document:\n${differences.join('\n')}`);
}

/** Returns the path and query of a URI reference in a response (`Location`, `Link`), resolved as in RFC 3986. */
export function pathOf(reference: string, response: Pick<TestResponse, 'url'>): string {
  const { pathname, search } = new URL(reference, response.url);
  return pathname + search;
}

export type Parameters = Readonly<Record<string, string | number>>;

/** Adds a query to a path. With pairs, a parameter can occur more than once. */
export function withQuery(
  path: string,
  parameters: Parameters | readonly (readonly [string, string])[],
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Symbol.iterator in parameters ? parameters : Object.entries(parameters)) {
    query.append(name, String(value));
  }
  // Encoded commas would belong to values of free text.
  return query.size === 0 ? path : `${path}?${String(query).replaceAll('%2C', ',')}`;
}

/** Returns a unique value that is valid as a name and as a status. */
export function unique(stem: string): string {
  return `${stem}-${randomUUID()}`;
}

/** Runs `work` for all items, eight at a time. The results have the order of the items. */
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

/** Repeats `check` until it passes. Throws its last error after 100 seconds of the service. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = serviceTime() + 100_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (serviceTime() > deadline) throw error;
      await pause(inProcess ? 1_000 : 100);
    }
  }
}

function parse(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
