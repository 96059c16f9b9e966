import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { createGateway, type GatewayOptions } from '#lib/local/gateway.ts';

/** Which requests the local gateway refuses, because a web page of another site could have sent them. */

let server: Server;
let invocations: string[];

async function start(more: Partial<GatewayOptions> = {}): Promise<void> {
  server = createGateway({
    routes: [],
    fallback: async (event) => {
      invocations.push(event.requestContext.http.method);
      return { statusCode: 200, headers: {}, body: '{}' };
    },
    timeoutMs: 1_000,
    crossOrigin: { ...crossOrigin, origins: ['*'] },
    ...more,
  });
  invocations = [];
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

const stop = async (): Promise<void> => {
  server.close();
  server.closeAllConnections();
};

interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends a request with exactly these header lines. */
async function send(method: string, lines: readonly string[], version = '1.1'): Promise<RawResponse> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end([`${method} /v1/tags HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body };
}

function expectProblem({ status, head, body }: RawResponse, expected: number): void {
  expect(status).toBe(expected);
  expect(head).toContain('content-type: application/problem+json');
  expect(head).not.toContain('access-control-');
  expect(JSON.parse(body)).toMatchObject({ type: 'about:blank', status: expected, instance: '/v1/tags' });
  expect(invocations).toEqual([]);
}

describe('the host of a request', () => {
  beforeAll(() => start({ allowed: { hosts: ['api.example'] } }));
  beforeEach(() => {
    invocations = [];
  });
  afterAll(stop);

  test.each([
    'localhost',
    'localhost:3000',
    'LocalHost:3000',
    'localhost.',
    'app.localhost:5173',
    '127.0.0.1:3000',
    '192.168.1.20:3000',
    '10.0.0.7',
    '[::1]:3000',
    '[fe80::1]',
    '[::ffff:127.0.0.1]:1',
    'api.example',
    'API.example:8080',
  ])('can be %s', async (host) => {
    expect((await send('POST', [`Host: ${host}`])).status).toBe(200);
  });

  test.each([
    'page.example',
    'page.example:3000',
    'localhost.page.example',
    'notlocalhost',
    '127.0.0.1.page.example',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    'sub.api.example',
    'localhost..',
  ])('cannot be %s', async (host) => {
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expectProblem(await send(method, [`Host: ${host}`]), 421);
  });

  test.each(['', 'localhost:x', 'a b', '[::1', 'localhost@page.example', 'localhost/'])(
    'must be valid, not "%s"',
    async (host) => expectProblem(await send('GET', [`Host: ${host}`]), 400),
  );

  test('stands in one header', async () => {
    expectProblem(await send('GET', ['Host: localhost', 'host: localhost']), 400);
    expectProblem(await send('GET', ['Host: localhost', 'Host: page.example']), 400);
  });

  test('is necessary in HTTP/1.1', async () => {
    expect((await send('GET', [])).status).toBe(400);
    expect(invocations).toEqual([]);
    expect((await send('GET', [], '1.0')).status).toBe(200);
  });
});

const host = 'Host: localhost:3000';
const own = [
  'http://localhost:3000',
  'http://localhost:5173',
  'https://app.localhost',
  'http://127.0.0.1:8080',
  'http://127.8.8.8',
  'http://[::1]:5173',
  'https://app.example',
];
const foreign = [
  'null',
  'https://page.example',
  'http://app.example',
  'https://app.example:8443',
  'http://localhost.page.example:5173',
  'http://localhost@page.example',
  'http://192.168.1.20:3000',
  'page',
  '',
];
const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];

describe('the origin of a request', () => {
  beforeAll(() => start({ allowed: { origins: ['https://app.example'] } }));
  beforeEach(() => {
    invocations = [];
  });
  afterAll(stop);

  test.each(own)('can be %s', async (origin) => {
    for (const method of writes) await send(method, [host, `Origin: ${origin}`]);
    expect(invocations).toEqual(writes);
    const preflight = await send('OPTIONS', [
      host,
      `Origin: ${origin}`,
      'Access-Control-Request-Method: PUT',
    ]);
    expect(preflight.status).toBe(204);
    expect(preflight.head).toContain('access-control-allow-methods');
  });

  test.each(foreign)('cannot be "%s", unless the request reads', async (origin) => {
    const lines = [host, `Origin: ${origin}`, 'Access-Control-Request-Method: PUT'];
    for (const method of [...writes, 'OPTIONS']) expectProblem(await send(method, lines), 403);
    for (const method of ['GET', 'HEAD']) {
      const read = await send(method, lines);
      expect(read.status).toBe(200);
      // The page cannot read the response.
      expect(read.head).not.toContain('access-control-');
    }
  });

  test.each(['192.168.1.20:3000', '192.168.1.20', '[fe80::1]:3000'])(
    'can be that of the pages of the service at %s',
    async (address) => {
      const { status } = await send('POST', [`Host: ${address}`, `Origin: http://${address}`]);
      expect(status).toBe(200);
    },
  );
});

test.each([
  [['Host: page.example'], '--allow-host page.example'],
  [[host, 'Origin: https://page.example'], '--allow-origin https://page.example'],
  [[host, 'Origin: null'], "--allow-origin '*'"],
])('the response to %j names the flag %s', async (lines, flag) => {
  await start();
  const { body } = await send('POST', lines);
  expect((JSON.parse(body) as { detail: string }).detail).toContain(` ${flag}.`);
  await stop();
});

test('the origin * allows all pages', async () => {
  await start({ allowed: { origins: ['*'] } });
  for (const origin of ['null', 'https://page.example']) {
    const { status, head } = await send('POST', [host, `Origin: ${origin}`]);
    expect(status).toBe(200);
    expect(head).toContain('access-control-allow-origin: *');
  }
  await stop();
});
