import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns a function that closes a server when the responses in progress are sent. `close` of Node.js also waits for connections without a
 * request, which browsers open in advance, and for half-sent requests, whose time it no longer limits: one such client would keep it open for ever.
 * @param server must not have connections yet.
 */
export function closerOf(server: Server): () => Promise<void> {
  /** The last request of each connection. */
  const requests = new Map<Socket, IncomingMessage | undefined>();
  server.on('connection', (socket: Socket) => {
    requests.set(socket, undefined);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', (request) => requests.set(request.socket, request));
  const destroyUnless = (isInProgress: (request: IncomingMessage | undefined) => boolean): void => {
    for (const [socket, request] of requests) if (!isInProgress(request)) socket.destroy();
  };
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    destroyUnless((request) => request !== undefined);
    const timer = setTimeout(
      () => destroyUnless((request) => request?.complete === true),
      server.requestTimeout,
    );
    await closed;
    clearTimeout(timer);
  };
}
