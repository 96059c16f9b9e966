/**
 * An Event API of AppSync on this machine: WebSocket connections that follow channels, on the port of the service. Where the documentation of AWS does not say what
 * becomes of a message, this one answers with an error and closes the connection.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { JWTPayload } from 'jose';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authorizer } from '../authorizer.ts';
import { splitTarget } from '../lambda-event.ts';
import { type AllowedCallers, isForeign, refusalOf } from '../own-requests.ts';
import {
  badRequest,
  type ClientMessage,
  channelPath,
  connectionTimeoutMs,
  connectionToken,
  keepAliveMs,
  maxMessageLength,
  type ProtocolError,
  parseMessage,
  protocolName,
  realtimePath,
  tokenOf,
  unauthorized,
} from './messages.ts';

/** Subscriptions of a connection, its messages that wait for those before, and bytes that wait for a client that does not read, at most. */
const maxSubscriptions = 200;
const maxWaitingMessages = 1_000;
const maxWaitingBytes = 1_024 * 1_024;

/** Milliseconds of a connection, and of one that is being closed, at most. */
const maxConnectionMs = 24 * 3_600_000;
const maxClosingMs = 1_000;

interface EventsApiOptions {
  /** Decides about a subscription, as the function of the namespace does. */
  readonly authorizeSubscription: (event: object) => Promise<{ readonly error: string } | null>;
  /** Verifies tokens. Without it, none is required. */
  readonly authorizer?: Authorizer | undefined;
}

interface Connection {
  readonly socket: WebSocket;
  /** The ids of the subscriptions, and their channels. */
  readonly subscriptions: Map<string, string>;
}

export class EventsApi {
  readonly #options: EventsApiOptions;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    // Longer messages are answered before they are refused.
    maxPayload: 4 * maxMessageLength,
    handleProtocols: (names) => names.has(protocolName) && protocolName,
  });
  /** The open connections. */
  readonly connections = new Set<Connection>();
  readonly #keepAlive = setInterval(() => {
    for (const { socket } of this.connections) send(socket, { type: 'ka' });
  }, keepAliveMs).unref();

  constructor(options: EventsApiOptions) {
    this.#options = options;
  }

  /** Accepts connections at the port of a server. @param allowed hosts and origins, as for other requests. */
  attach(server: Server, allowed: AllowedCallers = {}): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { path } = splitTarget(request.url ?? '/');
      if (request.headers.upgrade?.toLowerCase() !== 'websocket' || path !== realtimePath) {
        continueWithoutUpgrade(server, request, socket, head);
        return;
      }
      const status = isForeign(request, allowed) ? 403 : refusalOf(request, allowed)?.status;
      if (status === undefined) {
        this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, request));
        return;
      }
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
    });
  }

  /** Sends events to all who follow a channel. */
  publish(channel: string, events: readonly string[]): void {
    const path = channelPath(channel);
    for (const { socket, subscriptions } of this.connections)
      for (const [id, own] of subscriptions)
        if (own === path) for (const event of events) send(socket, { type: 'data', id, event });
  }

  /** Closes all connections. */
  stop(): void {
    clearInterval(this.#keepAlive);
    for (const { socket } of this.connections) socket.close(1001, 'The service stops.');
    this.#sockets.close();
  }

  /** Returns the claims of a token. @throws Error for an invalid one. */
  async #claimsOf(token: string | undefined): Promise<JWTPayload | undefined> {
    return this.#options.authorizer?.verify(token?.replace(/^Bearer /i, '') ?? '');
  }

  #accept(socket: WebSocket, { headers }: IncomingMessage): void {
    const connection: Connection = { socket, subscriptions: new Map() };
    const names = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const authorized = this.#claimsOf(connectionToken(names)).then(
      (claims) => {
        this.connections.add(connection);
        // AWS does not say that it closes a connection when its token ends. This one does, so that clients renew it.
        const endMs = Math.min(maxConnectionMs, 1_000 * (claims?.exp ?? Infinity) - Date.now());
        const timer = setTimeout(() => socket.close(1000, 'The token has ended.'), endMs).unref();
        socket.once('close', () => clearTimeout(timer));
        return true;
      },
      () => {
        fail(socket, { type: 'connection_error', errors: [unauthorized] });
        return false;
      },
    );
    // One message after the other, each answered before the next one.
    let last = authorized;
    let waiting = 0;
    socket.on('message', (data: Buffer, isBinary) => {
      waiting += 1;
      if (waiting > maxWaitingMessages) socket.terminate();
      last = last.then(async (isOpen) => {
        if (!isOpen || socket.readyState !== socket.OPEN) return false;
        await this.#receive(connection, isBinary ? '' : data.toString());
        waiting -= 1;
        return true;
      });
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.connections.delete(connection));
  }

  async #receive(connection: Connection, text: string): Promise<void> {
    const { socket, subscriptions } = connection;
    const message = text.length > maxMessageLength ? undefined : parseMessage(text);
    if (!message) {
      fail(socket, { type: 'error', errors: [badRequest('The message is not one of the protocol.')] });
      return;
    }
    switch (message.type) {
      case 'connection_init':
        send(socket, { type: 'connection_ack', connectionTimeoutMs });
        return;
      case 'subscribe': {
        const error = await this.#subscribe(connection, message);
        send(
          socket,
          error
            ? { type: 'subscribe_error', id: message.id, errors: [error] }
            : { type: 'subscribe_success', id: message.id },
        );
        return;
      }
      case 'unsubscribe': {
        const { id } = message;
        const errors = [{ errorType: 'UnknownOperationError', message: `Unknown operation id ${id}` }];
        const isKnown = subscriptions.delete(id);
        send(
          socket,
          isKnown ? { type: 'unsubscribe_success', id } : { type: 'unsubscribe_error', id, errors },
        );
        return;
      }
      case 'publish':
        // Publishing takes a signature of AWS.
        send(socket, { type: 'publish_error', id: message.id, errors: [unauthorized] });
    }
  }

  async #subscribe(
    { subscriptions }: Connection,
    message: ClientMessage & { readonly type: 'subscribe' },
  ): Promise<ProtocolError | undefined> {
    const { id, channel } = message;
    const path = channelPath(channel);
    if (path === undefined) return badRequest('Invalid Channel Format');
    if (subscriptions.has(id)) return badRequest(`The subscription "${id}" exists already.`);
    if (subscriptions.size >= maxSubscriptions)
      return {
        errorType: 'LimitExceededException',
        message: `A connection has at most ${maxSubscriptions} subscriptions.`,
      };
    let claims: JWTPayload | undefined;
    try {
      claims = await this.#claimsOf(tokenOf(message));
    } catch {
      return unauthorized;
    }
    const segments = path.split('/').slice(1);
    const decision = await this.#options.authorizeSubscription({
      identity: claims ? { claims, issuer: claims.iss, sub: claims.sub } : null,
      result: null,
      request: { headers: {}, domainName: null },
      info: {
        channel: { path, segments },
        channelNamespace: { name: segments[0] },
        operation: 'SUBSCRIBE',
      },
      ...{ error: null, prev: null, stash: {}, outErrors: [], events: null },
    });
    if (decision) return { errorType: 'UnauthorizedException', message: decision.error };
    subscriptions.set(id, path);
    return undefined;
  }
}

function send(socket: WebSocket, message: object): void {
  if (socket.readyState !== socket.OPEN) return;
  // A client that does not read must not fill the memory.
  if (socket.bufferedAmount > maxWaitingBytes) socket.terminate();
  else socket.send(JSON.stringify(message));
}

function fail(socket: WebSocket, message: object): void {
  send(socket, message);
  socket.close(1008);
  // A client that ignores it goes on sending.
  setTimeout(() => socket.terminate(), maxClosingMs).unref();
}

/** Hands a request that asks for another protocol back to the server, which answers it with HTTP/1.1: HTTP clients of Java ask for HTTP/2. */
function continueWithoutUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const { method, url, rawHeaders } = request;
  const lines = rawHeaders.flatMap((name, place) =>
    place % 2 === 1 || /^(?:upgrade|http2-settings|connection)$/i.test(name)
      ? []
      : [`${name}: ${rawHeaders[place + 1]}`],
  );
  const start = `${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(start, 'latin1'), head]));
  server.emit('connection', socket);
}
