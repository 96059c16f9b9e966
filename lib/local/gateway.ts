/** The HTTP server in front of the HTTP API on this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem, problemResponse } from '../../functions/http/problems.ts';
import {
  HttpApi,
  type HttpApiOptions,
  IncompleteRequest,
  maxBodyBytes,
  maxHeadBytes,
  noDatabaseCalls,
} from './http-api.ts';
import { newRequestId } from './lambda-event.ts';

/** Milliseconds for which a client may send a request. The integration timeout of API Gateway is as long. */
const defaultMaxReceiveMs = 30_000;

/**
 * Milliseconds for which a connection stays open between two requests. A client that sends a request just when the server closes the
 * connection gets ECONNRESET, and cannot repeat a POST. So the client must be the one that closes it. Of the usual clients, Chromium and OkHttp wait
 * longest: 300 seconds. Node.js would close after 5. API Gateway documents no limit.
 * @see https://chromium.googlesource.com/chromium/src/+/main/net/socket/client_socket_pool.cc `g_used_idle_socket_timeout_s`
 */
const maxIdleMs = 310_000;

const serverOptions = (maxReceiveMs = defaultMaxReceiveMs) => ({
  maxHeaderSize: maxHeadBytes,
  headersTimeout: maxReceiveMs,
  requestTimeout: maxReceiveMs,
  // The time of a request begins with its first byte, so the two limits above do not end an idle connection.
  keepAliveTimeout: maxIdleMs,
  // A half-sent request ends at most a sixth of the time later.
  connectionsCheckingInterval: maxReceiveMs / 6,
});

export interface GatewayOptions extends HttpApiOptions {
  /** Milliseconds for which a client may send a request. Default: 30 seconds. */
  readonly maxReceiveMs?: number | undefined;
}

/** Reads the body. @returns undefined when it exceeds the limit. @throws IncompleteRequest. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // A request has a body only with one of these headers (RFC 9112, section 6.3).
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (length === undefined && coding === undefined) return Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The rest is read and discarded: a client that is still sending would not read the response.
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => resolve(bytes > maxBodyBytes ? undefined : Buffer.concat(chunks)));
    request.on('error', (cause) => reject(new IncompleteRequest('The request is not complete.', { cause })));
  });
}

/** Responds to invalid HTTP and to an oversized head. Node.js provides no request object for these. */
function rejectClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // A client that does not send may not read either, so the end of its side is not awaited.
    socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n', () => socket.destroy());
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('headers-too-large', `The request line and headers have more than ${maxHeadBytes} bytes.`)
      : new Problem('malformed-request', 'The request is not valid HTTP.');
  const {
    statusCode,
    headers,
    body = '',
  } = problemResponse(problem, { path: '/', requestId: newRequestId() });
  const lines = Object.entries({
    ...headers,
    'server-timing': noDatabaseCalls,
    'content-length': Buffer.byteLength(body),
    // The headers of the request are not known, so neither is its origin. The response says nothing that is not public.
    'access-control-allow-origin': '*',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${statusCode} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Returns a signal that aborts when the client closes the connection before it has the response. */
function untilClosed(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Creates the server. It does not listen yet. */
export function createGateway({ maxReceiveMs, ...options }: GatewayOptions): Server {
  const api = new HttpApi(options);
  const server = createServer(serverOptions(maxReceiveMs), (request, response) => {
    api
      .respond(request, () => readBody(request), untilClosed(response))
      .then(({ status, headers, content }) => {
        // A client that sends one request after the other on a connection would keep a stopping service alive.
        if (!server.listening) response.setHeader('connection', 'close');
        response.writeHead(status, headers).end(content);
      })
      .catch((error: unknown) => {
        if (!(error instanceof IncompleteRequest)) console.error(error);
        response.destroy();
      });
  });
  // Without this handler, Node.js itself rejects every expectation except "100-continue".
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', rejectClientError);
  return server;
}
