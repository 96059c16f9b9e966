import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventsApi } from '#lib/local/live/events-api.ts';
import type { Service } from '#lib/local/service.ts';
import { audience, type Issuer, startIssuer, strangeKey } from '../support/issuer.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestService } from '../support/local-service.ts';
import { until } from '../support/until.ts';

/** The local service announces changes by the protocol of AppSync Events: who hears of what, and what becomes of those who do not keep to the protocol. */

interface Live {
  readonly seenThrough: object;
  readonly host: string;
  readonly channels: Readonly<Record<string, string>>;
}

let issuer: Issuer;
let service: Service;
const clients: LiveClient[] = [];

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startTestService({ authentication: { issuer: issuer.url, audience: [audience] } });
});

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

const allScopes = 'tasks:read tasks:write tags:read tags:write';

const tokenOf = (tenant: string, claims: object = {}): Promise<string> =>
  issuer.token({ tenant, scope: allScopes, ...claims });

async function send(token: string, method: string, path: string, body?: object) {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const liveOf = async (token: string): Promise<Live> =>
  (await send(token, 'GET', '/v1/live')).body as unknown as Live;

const connect = (token?: string, headers?: Record<string, string>): LiveClient => {
  const client = new LiveClient(service.url, token, headers);
  clients.push(client);
  return client;
};

/** Connects, and follows the tasks of a tenant. */
async function follow(tenant: string): Promise<LiveClient> {
  const token = await tokenOf(tenant);
  const { channels } = await liveOf(token);
  const client = connect(token);
  expect(await client.open()).toMatchObject({ type: 'connection_ack', connectionTimeoutMs: 300_000 });
  expect(await client.subscribe(channels['tasks'] ?? '', token)).toMatchObject({ type: 'subscribe_success' });
  return client;
}

const createTask = async (tenant: string): Promise<void> => {
  const { status } = await send(await tokenOf(tenant), 'POST', '/v1/tasks', { name: 'a' });
  expect(status).toBe(201);
};

describe('a change', () => {
  test('is announced with the position that a page of the feed has then', async () => {
    const client = await follow('announced');
    await createTask('announced');
    const position = await client.position();
    const { body } = await send(await tokenOf('announced'), 'GET', '/v1/tasks/changes?since=now');
    expect(body['position']).toBe(position);
  });

  test('of another tenant or another collection is not announced', async () => {
    const client = await follow('quiet');
    await createTask('loud');
    await send(await tokenOf('quiet'), 'POST', '/v1/tags', { name: 'a' });
    await createTask('quiet');
    await client.position();
    expect(client.received).toEqual([]);
  });
});

describe('GET /v1/live', () => {
  test('names the channels of the collections that the token allows to read', async () => {
    const all = await liveOf(await tokenOf('named'));
    expect(Object.keys(all.channels)).toEqual(['tasks', 'tags']);
    expect(all.channels['tasks']).toMatch(/^\/changes\/[\da-f]{32}\/tasks$/);
    const { status, body } = await send(await tokenOf('named', { scope: '' }), 'GET', '/v1/live');
    expect([status, body['channels']]).toEqual([200, {}]);
    expect(body).toMatchObject({
      url: `${service.url.replace('http', 'ws')}/event/realtime`,
      host: new URL(service.url).host,
      endpoint: `${service.url}/event`,
      spreadMs: 0,
    });
  });

  test('says through what a caller sees tasks who does not see all', async () => {
    expect((await liveOf(await tokenOf('named'))).seenThrough).toEqual({ tasks: ['projects'] });
    const scope = 'tasks:read all-projects';
    expect((await liveOf(await tokenOf('named', { scope }))).seenThrough).toEqual({});
  });

  test('names other channels for each tenant', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (tenant) => liveOf(await tokenOf(tenant))),
    );
    expect(one?.channels['tasks']).not.toBe(other?.channels['tasks']);
  });

  test('needs a token', async () => {
    expect((await fetch(`${service.url}/v1/live`)).status).toBe(401);
  });
});

describe('a connection', () => {
  test.each([
    ['without a token', async () => undefined],
    ['with a token that has ended', () => tokenOf('acme', { exp: 1_000 })],
    ['with a token of another audience', () => tokenOf('acme', { aud: 'other' })],
    [
      'with a token that somebody else has signed',
      async () => issuer.token({}, { key: (await strangeKey()).key }),
    ],
    ['with a text that is no token', async () => 'x'],
  ])('%s is refused', async (_, makeToken) => {
    const client = connect(await makeToken());
    expect(await client.open()).toMatchObject({
      type: 'connection_error',
      errors: [{ errorType: 'UnauthorizedException' }],
    });
    expect(await client.next('closed')).toEqual({ type: 'closed' });
  });

  test('ends when its token does', async () => {
    const client = connect(await tokenOf('acme', { exp: Math.floor(Date.now() / 1_000) + 2 }));
    await client.open();
    expect(await client.next('closed')).toEqual({ type: 'closed' });
  });

  test.each([
    ['a page of another site', { origin: 'https://attacker.example' }],
    ['a page that has bound its name to this address', { host: 'attacker.example' }],
  ])('of %s is refused', async (_, headers) => {
    const client = connect(await tokenOf('acme'), headers);
    expect(await client.open()).toEqual({ type: 'closed' });
  });

  test('of a page of this machine is accepted', async () => {
    const client = connect(await tokenOf('acme'), { origin: 'http://localhost:5173' });
    expect(await client.open()).toMatchObject({ type: 'connection_ack' });
  });
});

describe('a subscription', () => {
  const cases: [what: string, channelOf: (live: Live) => string, claims?: object][] = [
    ['all channels', () => '/changes/*'],
    ['all collections of the tenant', ({ channels }) => String(channels['tasks']).replace('tasks', '*')],
    ['the channel of another tenant', () => `/changes/${'0'.repeat(32)}/tasks`],
    [
      'a collection that the token does not allow',
      ({ channels }) => String(channels['tasks']),
      { scope: 'tags:read' },
    ],
    [
      'a channel, with a token of another tenant',
      ({ channels }) => String(channels['tasks']),
      { tenant: 'other' },
    ],
    [
      'a channel, with a token without a tenant',
      ({ channels }) => String(channels['tasks']),
      { tenant: undefined },
    ],
    ['a channel, with an ID token', ({ channels }) => String(channels['tasks']), { token_use: 'id' }],
    [
      'a channel, with a token of another client',
      ({ channels }) => String(channels['tasks']),
      { aud: 'other' },
    ],
    ['another namespace', () => '/default/tasks'],
    ['no channel', () => ''],
    ['a channel with a name that none can have', () => '/changes/a_b/tasks'],
  ];

  test.each([...cases])(
    'to %s is refused, and another one is accepted',
    async (_, channelOf, claims = {}) => {
      const token = await tokenOf('acme');
      const live = await liveOf(token);
      const client = connect(token);
      await client.open();
      expect(await client.subscribe(channelOf(live), await tokenOf('acme', claims), 'refused')).toMatchObject(
        {
          type: 'subscribe_error',
          id: 'refused',
        },
      );
      expect(await client.subscribe(live.channels['tags'] ?? '', token)).toMatchObject({
        type: 'subscribe_success',
      });
    },
  );

  test('can be written without the first slash, and ends with an unsubscription', async () => {
    const token = await tokenOf('ended');
    const { channels } = await liveOf(token);
    const client = connect(token);
    await client.open();
    const channel = String(channels['tasks']).slice(1);
    expect(await client.subscribe(channel, token, 'a')).toMatchObject({ type: 'subscribe_success' });
    expect(await client.subscribe(channel, token, 'a')).toMatchObject({ type: 'subscribe_error' });
    client.send({ type: 'unsubscribe', id: 'a' });
    expect(await client.next('unsubscribe_success', 'unsubscribe_error')).toMatchObject({
      type: 'unsubscribe_success',
    });
    client.send({ type: 'unsubscribe', id: 'a' });
    expect(await client.next('unsubscribe_success', 'unsubscribe_error')).toMatchObject({
      type: 'unsubscribe_error',
    });
    const other = await follow('ended');
    await createTask('ended');
    await other.position();
    expect(client.received).toEqual([]);
  });

  test('is one of 200 of a connection, at most', async () => {
    const token = await tokenOf('many');
    const { channels } = await liveOf(token);
    const client = connect(token);
    await client.open();
    const subscribe = (count: number) => client.subscribe(String(channels['tasks']), token, `s${count}`);
    for (let count = 0; count < 200; count += 1) await subscribe(count);
    expect(await subscribe(200)).toMatchObject({ type: 'subscribe_error' });
  });
});

describe('publishing', () => {
  test('by a client that follows is refused, and reaches nobody', async () => {
    const client = await follow('published');
    const other = await follow('published');
    const { channels } = await liveOf(await tokenOf('published'));
    const events = ['{"position":999}'];
    client.send({ type: 'publish', id: 'a', channel: channels['tasks'], events, authorization: {} });
    expect(await client.next('publish_success', 'publish_error')).toMatchObject({
      type: 'publish_error',
      errors: [{ errorType: 'UnauthorizedException' }],
    });
    await createTask('published');
    expect(await other.position()).toBeLessThan(999);
  });

  test('by HTTP is no operation of the service', async () => {
    const { status } = await send(await tokenOf('acme'), 'POST', '/event', {
      channel: '/changes/a/tasks',
      events: ['1'],
    });
    expect(status).toBe(404);
  });
});

describe('a client that breaks the protocol', () => {
  test.each([
    ['text that is no JSON', 'x'],
    ['an unknown message', { type: 'start', id: 'a' }],
    ['a message without its fields', { type: 'subscribe' }],
    ['an id that none can have', { type: 'subscribe', id: 'a b', channel: '/changes/a/tasks' }],
    ['a message that is too long', JSON.stringify({ type: 'connection_init', more: 'x'.repeat(300_000) })],
  ])('by %s gets an error and is closed, and disturbs nobody', async (_, message) => {
    const other = await follow('undisturbed');
    const client = await follow('undisturbed');
    client.send(message);
    expect(await client.next('error')).toMatchObject({ errors: [{ errorType: 'BadRequestException' }] });
    expect(await client.next('closed')).toEqual({ type: 'closed' });
    await createTask('undisturbed');
    expect(await other.position()).toBeGreaterThan(0);
  });

  test('by a message of megabytes is closed', async () => {
    const client = await follow('acme');
    client.send('x'.repeat(2_000_000));
    expect(await client.next('closed')).toEqual({ type: 'closed' });
  });

  test('by bytes instead of text gets an error', async () => {
    const client = await follow('acme');
    client.socket.send(Buffer.from('{"type":"connection_init"}'));
    expect(await client.next('error', 'closed')).toMatchObject({ type: 'error' });
  });

  test('by not reading is closed, and the others get what they follow', async () => {
    const server = createServer();
    const api = new EventsApi({ authorizeSubscription: async () => null });
    api.attach(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [client, other] = [new LiveClient(url), new LiveClient(url)];
    for (const one of [client, other]) {
      await one.open();
      await one.subscribe('/changes/a/tasks');
    }
    client.socket.pause();
    const event = JSON.stringify('x'.repeat(200_000));
    let count = 0;
    // Until the buffers of the system and of the server are full.
    while (api.connections.size > 1) {
      api.publish('/changes/a/tasks', [event]);
      count += 1;
      await other.next('data');
    }
    expect(count).toBeGreaterThan(5);
    api.publish('/changes/a/tasks', ['last']);
    expect(await other.next('data')).toMatchObject({ event: 'last' });
    for (const one of [client, other]) one.close();
    api.stop();
    server.close();
  });
});

test('a request for another protocol than WebSocket is answered with HTTP', async () => {
  const response = await new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
    };
    const sent = request(`${service.url}/v1/health`, { headers }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    });
    sent.on('error', reject).end();
  });
  expect(response).toBe(200);
});

test('a service that stops closes the connections', async () => {
  const own = await startTestService();
  const client = new LiveClient(own.url);
  await client.open();
  await own.stop();
  expect(await client.next('closed')).toEqual({ type: 'closed' });
  await until(() => client.socket.readyState === client.socket.CLOSED);
});
