/**
 * What carries the SDK's requests to DynamoDB: Node.js's own HTTP client, connections that are kept, and nothing more.
 * The SDK's handler also serves streams, proxies and logs, with timers for each, on every call.
 */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { NoAnswer } from './errors.ts';

/** Milliseconds. */
export interface HttpTimeouts {
  /** Until a connection is there. */
  readonly connection: number;
  /** Until the next byte of an answer. */
  readonly silence: number;
}

/** As many connections as the SDK's own handler opens; further calls wait for one. */
const connections = 50;

/** What the SDK asks to have sent. */
export interface HttpRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Says when nobody waits for the answer any more. */
  abortSignal?: AbortSignal | undefined;
}

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** A view of what arrived, as the SDK expects it: it puts another prototype on the bytes that it is given. */
function bytesOf(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  const { buffer, byteOffset, byteLength } = first && chunks.length === 1 ? first : Buffer.concat(chunks);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Calls back when a connection is not there in time. */
function watchConnecting(socket: Socket, milliseconds: number, onLate: () => void): void {
  if (!socket.connecting) return;
  const timer = setTimeout(onLate, milliseconds);
  const clear = (): void => clearTimeout(timer);
  socket.once('connect', clear).once('close', clear);
}

/** The `requestHandler` of a client of the SDK. */
export class HttpClient {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #timeouts: HttpTimeouts;
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: connections });
  readonly #secure = new https.Agent({ keepAlive: true, maxSockets: connections });

  constructor(timeouts: HttpTimeouts) {
    this.#timeouts = timeouts;
  }

  /**
   * One exchange.
   * @returns the whole answer, whatever its status.
   * @throws NoAnswer when the connection is lost, says nothing for too long, or the call is aborted.
   */
  handle(request: HttpRequest): Promise<{ response: HttpResponse }> {
    const { protocol, hostname, port, method, path, headers, body, abortSignal } = request;
    const { connection, silence } = this.#timeouts;
    const [scheme, agent] =
      protocol === 'https:' ? ([https, this.#secure] as const) : ([http, this.#plain] as const);
    return new Promise((resolve, reject) => {
      if (abortSignal?.aborted) throw new NoAnswer('The call was aborted.');
      // An address of IPv6 is in brackets in a URL, and nowhere else.
      const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      const outgoing = scheme.request({ agent, host, port, method, path, headers, timeout: silence });
      const end = (): void => abortSignal?.removeEventListener('abort', onAbort);
      const fail = (why: string, cause?: Error): void => {
        end();
        reject(new NoAnswer(why, cause));
        // A connection on which an answer may still arrive must not carry another call.
        outgoing.destroy();
      };
      const onError = (error: Error): void => fail(error.message, error);
      const onAbort = (): void => fail('The call was aborted.');
      abortSignal?.addEventListener('abort', onAbort, { once: true });
      outgoing.on('error', onError);
      outgoing.on('timeout', () => fail(`Nothing was heard for ${silence} ms.`));
      outgoing.on('socket', (socket) =>
        watchConnecting(socket, connection, () => fail(`There was no connection in ${connection} ms.`)),
      );
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', onError);
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          end();
          const { statusCode = 0, headers } = incoming;
          resolve({
            response: { statusCode, headers: headers as Record<string, string>, body: bytesOf(chunks) },
          });
        });
      });
      outgoing.end(body);
    });
  }

  /** Closes all connections. */
  destroy(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  /** The SDK asks for both; there is nothing to change here. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): object {
    return {};
  }
}
