import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy in front of an emulator of DynamoDB, which sees each call.
 */

interface Call {
  readonly operation: string;
  readonly body: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
  /** The number of the call. The first one is 1. */
  readonly number: number;
}

interface EngineResponse {
  readonly status: number;
  readonly body: string;
  /** The engine's time. By default, that of the proxy, which has the same clock. */
  readonly date?: string | undefined;
}

/**
 * Handles a call: it can return its own response, forward the call with `pass`, do both, or drop the connection by
 * returning `undefined`. `pass` forwards to the engine.
 */
type Injector = (call: Call, pass: () => Promise<EngineResponse>) => Promise<EngineResponse | undefined>;

interface EngineProxy {
  readonly endpoint: string;
  /** Sets or removes the injector for the calls that begin from now on. */
  inject(injector: Injector | undefined): void;
  stop(): Promise<void>;
}

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
