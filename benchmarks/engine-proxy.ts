import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A proxy in front of an emulator of DynamoDB. It injects faults that emulators do not have, such as
 * transaction conflicts. It forwards all other calls unchanged.
 */

export interface Call {
  readonly operation: string;
  readonly body: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
  /** The number of the call. The first one is 1. */
  readonly number: number;
}

export interface EngineResponse {
  readonly status: number;
  readonly body: string;
  /** The engine's time. By default, that of the proxy, which has the same clock. */
  readonly date?: string | undefined;
}

/**
 * Handles a call: it can return its own response, forward the call with `pass`, do both, or drop the connection by
 * returning `undefined`. `pass` forwards to the engine.
 */
export type Injector = (
  call: Call,
  pass: () => Promise<EngineResponse>,
) => Promise<EngineResponse | undefined>;

export interface EngineProxy {
  readonly endpoint: string;
  /** Sets or removes the injector for the calls that begin from now on. */
  inject(injector: Injector | undefined): void;
  stop(): Promise<void>;
}

/** Returns the response of DynamoDB to a call that it rejects. */
export const errorResponse = (type: string, more: object = {}): EngineResponse => ({
  status: 400,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...more }),
});

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function forward(
  endpoint: string,
  { method, headers: incoming }: IncomingMessage,
  body: Buffer,
): Promise<EngineResponse> {
  return new Promise((resolve, reject) => {
    const { host: _, connection: __, ...headers } = incoming;
    const outgoing = httpRequest(endpoint, { method, headers }, (incomingMessage) => {
      const {
        statusCode: status = 500,
        headers: { date },
      } = incomingMessage;
      readAll(incomingMessage).then(
        (bytes) => resolve({ status, date, body: bytes.toString('utf8') }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Starts a proxy. @param port the port to listen on; 0 selects a free one. */
export async function startEngineProxy(endpoint: string, port = 0): Promise<EngineProxy> {
  let injector: Injector | undefined;
  let calls = 0;

  const handle = async (request: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const current = injector;
    const body = await readAll(request);
    const pass = (): Promise<EngineResponse> => forward(endpoint, request, body);
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    if (operation) calls += 1;
    const response =
      current && operation
        ? await current(
            {
              operation,
              body: JSON.parse(body.toString('utf8')) as Record<string, unknown>,
              headers: request.headers,
              number: calls,
            },
            pass,
          )
        : await pass();
    if (!response) {
      request.socket.destroy();
      return;
    }
    const bytes = Buffer.from(response.body);
    outgoing.writeHead(response.status, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': bytes.length,
      ...(response.date && { date: response.date }),
    });
    outgoing.end(bytes);
  };

  const server = createServer((request, outgoing) => {
    handle(request, outgoing).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inject: (next) => {
      injector = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns a seeded generator of random numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface TransactItem {
  readonly [action: string]: {
    readonly TableName: string;
    readonly Key?: object;
    readonly Item?: Record<string, unknown>;
  };
}

function keyOf(item: TransactItem): string {
  const [action] = Object.values(item);
  const { pk, sk } = (action?.Key ?? action?.Item ?? {}) as Record<string, unknown>;
  return `${action?.TableName} ${JSON.stringify([pk, sk])}`;
}

/**
 * Rejects a transaction while another one has an item in common with it, as DynamoDB does.
 * @param milliseconds for which a transaction holds its items.
 */
export function conflicts(milliseconds: number): Injector & { refused: number } {
  const held = new Set<string>();
  const injector = async (call: Call, pass: () => Promise<EngineResponse>): Promise<EngineResponse> => {
    if (call.operation !== 'TransactWriteItems') return pass();
    const keys = (call.body['TransactItems'] as TransactItem[]).map(keyOf);
    const taken = keys.map((key) => held.has(key));
    if (taken.includes(true)) {
      injector.refused += 1;
      const CancellationReasons = taken.map((isTaken) => ({
        Code: isTaken ? 'TransactionConflict' : 'None',
      }));
      return errorResponse('TransactionCanceledException', { CancellationReasons });
    }
    for (const key of keys) held.add(key);
    try {
      await delay(milliseconds);
      return await pass();
    } finally {
      for (const key of keys) held.delete(key);
    }
  };
  injector.refused = 0;
  return injector;
}
