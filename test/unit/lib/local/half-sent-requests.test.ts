import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { createGateway } from '#lib/local/gateway.ts';

/** Clients that open a connection and do not send a whole request. */

const maxReceiveMs = 300;

let server: Server;
let invocations = 0;
let logged: jest.SpyInstance;

beforeAll(async () => {
  server = createGateway({
    routes: [],
    fallback: async () => {
      invocations += 1;
      return { statusCode: 200, body: '{}' };
    },
    timeoutMs: 1_000,
    crossOrigin,
    maxReceiveMs,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

beforeEach(() => {
  invocations = 0;
  logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => logged.mockRestore());

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends text and keeps the connection open. @returns the response when the gateway ends the connection, and after how long. */
async function hold(text: string): Promise<{ response: string; afterMs: number }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const started = performance.now();
  socket.write(text);
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk;
  });
  await once(socket, 'close');
  return { response, afterMs: performance.now() - started };
}

const head = 'POST /v1/tags HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

test.each([
  ['no request', ''],
  ['half a request line', 'POST /v1/ta'],
  ['half of the headers', head],
  ['half of the body', `${head}Content-Length: 20\r\n\r\n{"name":`],
  ['half of a chunked body', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam`],
])('ends a connection with %s', async (_, text) => {
  const { response, afterMs } = await hold(text);
  expect(response).toMatch(/^HTTP\/1\.1 408 /);
  expect(afterMs).toBeGreaterThan(maxReceiveMs * 0.9);
  expect(afterMs).toBeLessThan(maxReceiveMs * 3);
  expect(invocations).toBe(0);
  // It is no failure of the gateway.
  expect(logged).not.toHaveBeenCalled();
});

test('gives a request 30 seconds, and checks every 5 seconds', () => {
  const usual = createGateway({
    routes: [],
    fallback: async () => ({}),
    timeoutMs: 1_000,
    crossOrigin,
  });
  expect([usual.headersTimeout, usual.requestTimeout]).toEqual([30_000, 30_000]);
  expect(usual).toHaveProperty('connectionsCheckingInterval', 5_000);
  usual.close();
});
