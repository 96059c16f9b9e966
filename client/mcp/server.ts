/**
 * A server of the Model Context Protocol (https://modelcontextprotocol.io/specification/2026-07-28) with tools alone, over lines of JSON. It keeps
 * nothing between two requests. It also answers the handshake of the revisions before, whose requests for tools are the same.
 */
import { createInterface } from 'node:readline';
import type { Tool } from './tool.ts';

/** Each request of this revision says which revision it is of, in `_meta`. */
const revision = '2026-07-28';

/** Revisions with a handshake, the newest first. */
const revisionsBefore = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const revisionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const serverKey = 'io.modelcontextprotocol/serverInfo';

/** Milliseconds for which a client may keep the list of tools: they do not change while the server runs. */
const toolsLifeMs = 3_600_000;

export interface ServerOptions {
  readonly name: string;
  readonly version: string;
  /** What a model should know before it calls a tool. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly call: (
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<object>;
}

type Id = string | number;

interface Parameters {
  readonly [name: string]: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly id?: Id;
  readonly method: string;
  readonly params?: Parameters;
}

/** Codes of JSON-RPC 2.0, and one of the protocol. */
const codes = {
  notJson: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParameters: -32_602,
  internal: -32_603,
  unsupportedRevision: -32_022,
} as const;

class RequestError extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: keyof typeof codes, message: string, data?: object) {
    super(message);
    this.code = codes[code];
    this.data = data;
  }
}

const isRequest = (value: unknown): value is Request =>
  typeof value === 'object' && value !== null && typeof (value as Request).method === 'string';

/** Returns whether a request is of the revision without a handshake. @throws RequestError for a revision that is not known. */
function isStateless({ _meta: meta = {} }: Parameters): boolean {
  const requested = meta[revisionKey];
  if (requested === undefined) return false;
  if (requested !== revision) {
    const data = { supported: [revision], requested };
    throw new RequestError('unsupportedRevision', `The revision must be ${revision}.`, data);
  }
  if (typeof meta[capabilitiesKey] !== 'object')
    throw new RequestError('invalidParameters', `_meta must have ${capabilitiesKey}.`);
  return true;
}

class Server {
  readonly #options: ServerOptions;
  readonly #tools: ReadonlyMap<string, Tool>;
  /** By id: requests that are not answered yet. */
  readonly #pending = new Map<Id, AbortController>();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  }

  /** Answers a line. @returns `undefined` when it asks for no answer, or was cancelled. */
  async answer(line: string): Promise<object | undefined> {
    let request: unknown;
    try {
      request = JSON.parse(line);
    } catch {
      return this.#failure(null, new RequestError('notJson', 'A line must be one JSON object.'));
    }
    if (!isRequest(request)) {
      return this.#failure(null, new RequestError('invalidRequest', 'The request has no method.'));
    }
    const { id, method, params = {} } = request;
    if (id === undefined) {
      if (method === 'notifications/cancelled') this.#pending.get(params['requestId'] as Id)?.abort();
      return undefined;
    }
    const controller = new AbortController();
    this.#pending.set(id, controller);
    try {
      const result = await this.#resultOf(method, params, controller.signal);
      return controller.signal.aborted ? undefined : { jsonrpc: '2.0', id, result };
    } catch (error) {
      return controller.signal.aborted ? undefined : this.#failure(id, error as Error);
    } finally {
      this.#pending.delete(id);
    }
  }

  #failure(id: Id | null, error: Error): object {
    const { code = codes.internal, data } = error as Partial<RequestError>;
    return { jsonrpc: '2.0', id, error: { code, message: error.message, ...(data && { data }) } };
  }

  async #resultOf(method: string, params: Parameters, signal: AbortSignal): Promise<object> {
    const { name, version } = this.#options;
    if (!isStateless(params)) return this.#stateful(method, params, signal);
    const more = { resultType: 'complete', _meta: { [serverKey]: { name, version } } };
    const caching = { ttlMs: toolsLifeMs, cacheScope: 'private' };
    switch (method) {
      case 'server/discover':
        return { ...this.#abilities(), supportedVersions: [revision], ...caching, ...more };
      case 'tools/list':
        return { ...this.#list(), ...caching, ...more };
      case 'tools/call':
        return { ...(await this.#call(params, signal)), ...more };
      default:
        throw new RequestError('unknownMethod', `There is no method ${method}.`);
    }
  }

  async #stateful(method: string, params: Parameters, signal: AbortSignal): Promise<object> {
    const { name, version } = this.#options;
    const asked = String(params['protocolVersion']);
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: revisionsBefore.includes(asked) ? asked : revisionsBefore[0],
          serverInfo: { name, version },
          ...this.#abilities(),
        };
      case 'ping':
        return {};
      case 'tools/list':
        return this.#list();
      case 'tools/call':
        return this.#call(params, signal);
      default:
        throw new RequestError('unknownMethod', `There is no method ${method}.`);
    }
  }

  #abilities(): object {
    return { capabilities: { tools: {} }, instructions: this.#options.instructions };
  }

  #list(): object {
    return { tools: this.#options.tools.map(({ request: _request, ...tool }) => tool) };
  }

  #call(params: Parameters, signal: AbortSignal): Promise<object> {
    const { name, arguments: args = {} } = params as { name?: unknown; arguments?: unknown };
    const tool = this.#tools.get(String(name));
    if (!tool) throw new RequestError('invalidParameters', `There is no tool ${name}.`);
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new RequestError('invalidParameters', 'The arguments must be an object.');
    return this.#options.call(tool, args as Readonly<Record<string, unknown>>, signal);
  }
}

/** Answers requests, several at a time, until the input ends. */
export async function serve(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  options: ServerOptions,
): Promise<void> {
  const server = new Server(options);
  const answers = new Set<Promise<void>>();
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue;
    const answer = server.answer(line).then((message) => {
      if (message) output.write(`${JSON.stringify(message)}\n`);
      answers.delete(answer);
    });
    answers.add(answer);
  }
  await Promise.all(answers);
}
