/** HTTP servers of tests, which take the place of other services. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface TestServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server on this machine. @param port 0 selects any free port. */
export async function startServer(
  listener: RequestListener = () => {},
  port = 0,
  host = '127.0.0.1',
): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${own}`,
    port: own,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Responded {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  /** A value is sent as JSON. */
  readonly body?: string | object | undefined;
}

/** Starts a server that reads each request, and responds what a function returns. */
export const startResponder = (
  respond: (request: IncomingMessage, body: string) => Responded,
  port?: number,
): Promise<TestServer> =>
  startServer(async (request, response) => {
    const { status = 200, headers, body } = respond(request, await text(request));
    const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
    response
      .writeHead(status, { ...type, ...headers })
      .end(typeof body === 'object' ? JSON.stringify(body) : body);
  }, port);
