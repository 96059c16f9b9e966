import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A DynamoDB that fails, in front of one that does not: emulators never lose a reply, meet in a conflict, or lag.
 * It speaks DynamoDB's JSON and passes on what it does not care for.
 */

export interface Call {
  /** `TransactWriteItems` … */
  readonly operation: string;
  readonly body: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
  /** Counts from 1. */
  readonly number: number;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
  /** The connection breaks when half of the body is sent. */
  readonly breaks?: boolean;
}

/**
 * Stands around calls: it may answer itself, pass the call on, do both, or lose the answer (undefined).
 * `pass` hands the call to the engine, or to another at the address that it is given.
 */
export type Injector = (
  call: Call,
  pass: (endpoint?: string) => Promise<Reply>,
) => Promise<Reply | undefined>;

export interface EngineProxy {
  readonly endpoint: string;
  /** What stands in front of the engine from now on. */
  inject(injector: Injector | undefined): void;
  /** Passes everything on until it is resumed. */
  pause(): { resume(): void };
  stop(): Promise<void>;
}

/** DynamoDB's answer to a call that it refuses. */
export const refusal = (type: string, more: object = {}): Reply => ({
  status: 400,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...more }),
});

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function forward(endpoint: string, incoming: IncomingMessage['headers'], body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { host: _, connection: __, ...headers } = incoming;
    const outgoing = httpRequest(endpoint, { method: 'POST', headers }, (response) => {
      readAll(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 500, body: bytes.toString('utf8') }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** @param port to listen on; 0 takes any that is free. */
export async function startEngineProxy(endpoint: string, port = 0): Promise<EngineProxy> {
  let injector: Injector | undefined;
  let calls = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const pass = (other = endpoint): Promise<Reply> => forward(other, request.headers, body);
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    calls += 1;
    const reply =
      injector && operation
        ? await injector(
            {
              operation,
              body: JSON.parse(body.toString('utf8')) as Record<string, unknown>,
              headers: request.headers,
              number: calls,
            },
            pass,
          )
        : await pass();
    if (!reply) {
      request.socket.destroy();
      return;
    }
    const bytes = Buffer.from(reply.body);
    response.writeHead(reply.status, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': bytes.length,
    });
    if (reply.breaks) response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
    else response.end(bytes);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inject: (next) => {
      injector = next;
    },
    pause: () => {
      const paused = injector;
      injector = undefined;
      return {
        resume: () => {
          injector = paused;
        },
      };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A small generator of numbers from 0 to 1 that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Does what is asked, and loses some of the replies. */
export function lostReplies(share: number, seed: number): Injector {
  const random = seeded(seed);
  return async (_, pass) => {
    const isLost = random() < share;
    const reply = await pass();
    return isLost ? undefined : reply;
  };
}

/**
 * Fails a request for good behind a call, as if the process had been stopped there: behind every k-th, with another k
 * from 2 to 12 each time.
 */
export function crashes(seed: number): Injector {
  const random = seeded(seed);
  const next = (): number => 2 + Math.floor(random() * 11);
  let left = next();
  return async (_, pass) => {
    const reply = await pass();
    left -= 1;
    if (left > 0) return reply;
    left = next();
    return { status: 400, body: JSON.stringify({ __type: 'x#ProcessStopped', message: 'stopped here' }) };
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
 * Refuses a transaction that meets another on any item, as DynamoDB does.
 * @param milliseconds that a transaction holds its items.
 */
export function conflicts(milliseconds: number): Injector & { refused: number } {
  const held = new Set<string>();
  const injector = async (call: Call, pass: () => Promise<Reply>): Promise<Reply> => {
    if (call.operation !== 'TransactWriteItems') return pass();
    const keys = (call.body['TransactItems'] as TransactItem[]).map(keyOf);
    const taken = keys.map((key) => held.has(key));
    if (taken.includes(true)) {
      injector.refused += 1;
      const CancellationReasons = taken.map((isTaken) => ({
        Code: isTaken ? 'TransactionConflict' : 'None',
      }));
      return refusal('TransactionCanceledException', { CancellationReasons });
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

/**
 * Answers queries of indexes from a replica that hears of writes some time after they were made, as on AWS.
 * @param replica the address of a second engine, with the same table.
 * @returns with it, what waits until the replica has heard of all: it must not be stopped before.
 */
export function laggingIndexes(
  replica: string,
  milliseconds: number,
): Injector & { caughtUp(): Promise<unknown> } {
  let heard: Promise<unknown> = Promise.resolve();
  const injector: Injector = async ({ operation, body }, pass) => {
    if (operation === 'Query' && body['IndexName']) return pass(replica);
    const reply = await pass();
    if (operation === 'TransactWriteItems' && reply.status === 200) {
      const due = delay(milliseconds);
      // One after the other, in the order in which they were made.
      heard = heard.then(() => due).then(() => pass(replica));
    }
    return reply;
  };
  return Object.assign(injector, { caughtUp: () => heard });
}
