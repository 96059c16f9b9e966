import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { closerOf } from '#lib/local/close-server.ts';
import { createGateway } from '#lib/local/gateway.ts';
import type { LambdaFunction } from '#lib/local/http-api.ts';

/** Connections that clients keep open between two requests, and before the first one. */

const options = {
  routes: [],
  fallback: async () => ({ statusCode: 200, body: '{}' }),
  timeoutMs: 1_000,
  crossOrigin,
};

/** Milliseconds for which a client may send a request. */
const maxReceiveMs = 120;

const request = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';

async function start(fallback: LambdaFunction = options.fallback) {
  const server = createGateway({ ...options, fallback, maxReceiveMs });
  const close = closerOf(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  return { open, close };
}

test('an idle connection stays open for longer than clients keep it, which is 300 seconds at most', () => {
  const server = createGateway(options);
  expect(server.keepAliveTimeout).toBe(310_000);
  server.close();
});

test('the time that a request may take does not end an idle connection', async () => {
  const { open, close } = await start();
  const socket = await open();
  for (let count = 0; count < 2; count += 1) {
    socket.write(request);
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 /);
    // The gateway looks for late requests six times in this time.
    await delay(3 * maxReceiveMs);
  }
  await close();
});

test.each([
  ['no request', ''],
  ['half of the headers', 'POST / HTTP/1.1\r\nHost: loc'],
  ['half of the body', request.slice(0, -1)],
])('the gateway closes although a client has sent %s', async (_, bytes) => {
  const { open, close } = await start();
  const socket = await open();
  socket.write(bytes);
  // The connection of a later request: the gateway has received the bytes.
  const later = await open();
  later.write(request);
  await once(later, 'data');
  const closed = once(socket, 'close');
  await close();
  await closed;
  expect(socket.destroyed).toBe(true);
});

test('the gateway sends a response in progress before it closes', async () => {
  let respond: (() => void) | undefined;
  const { open, close } = await start(
    () =>
      new Promise((resolve) => {
        respond = () => resolve({ statusCode: 200, body: '{}' });
      }),
  );
  const socket = await open();
  socket.write(request);
  while (!respond) await delay(1);
  const closed = close();
  // Longer than a request may take to arrive.
  await delay(2 * maxReceiveMs);
  respond();
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*\{\}$/s);
  await closed;
});
