import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { listCollection } from '#client/adapters/tanstack-db.ts';
import { toBase64url } from '#client/encoding.ts';
import { type ClientOptions, createClient, newId, Replication, type SyncOptions } from '#client/index.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';

/** Follows lists with the option `live`. The timers of the client are those of the test: no time passes by itself. Sockets are real. */

const service = provideFetchedService();
/** Somebody else, who uses the same service. */
const other = createClient(service);

/** Lets the sockets and the service do what they can do at once. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly channel?: string;
  readonly authorization?: object;
}

/** A connection of a client, as the server has it. */
interface Accepted {
  readonly socket: WebSocket;
  readonly protocols: readonly string[];
  readonly received: Message[];
  /** The ids of its subscriptions. */
  readonly subscribed: string[];
}

/** A server of the protocol of AppSync Events. */
class LiveServer {
  readonly accepted: Accepted[] = [];
  /** The ids of subscriptions that it refuses, and of those to which it does not respond. */
  readonly refused = new Set<string>();
  readonly ignored = new Set<string>();
  readonly #server: WebSocketServer;

  constructor(port = 0) {
    const handleProtocols = () => 'aws-appsync-event-ws';
    this.#server = new WebSocketServer({ port, host: '127.0.0.1', handleProtocols });
    this.#server.on('connection', (socket, { headers }) => {
      const protocols = String(headers['sec-websocket-protocol']).split(/, ?/);
      const accepted: Accepted = { socket, protocols, received: [], subscribed: [] };
      this.accepted.push(accepted);
      socket.on('message', (data) => this.#respond(accepted, JSON.parse(String(data))));
    });
  }

  async start(): Promise<string> {
    await once(this.#server, 'listening');
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/event/realtime`;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.accepted) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get open(): Accepted[] {
    return this.accepted.filter(({ socket }) => socket.readyState === WebSocket.OPEN);
  }

  /** Sends a message to all clients, and waits until they have read it. */
  async send(message: object | string): Promise<void> {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    await Promise.all(
      this.open.map(async ({ socket }) => {
        socket.send(text);
        socket.ping();
        const read = new AbortController();
        const { signal } = read;
        await Promise.race([once(socket, 'pong', { signal }), once(socket, 'close', { signal })]);
        read.abort();
      }),
    );
    await turn();
  }

  poke(position: number, id = 'tags'): Promise<void> {
    return this.send({ type: 'data', id, event: JSON.stringify({ position }) });
  }

  #respond({ socket, received, subscribed }: Accepted, message: Message): void {
    received.push(message);
    const { type, id = '' } = message;
    const respond = (response: object) => socket.send(JSON.stringify(response));
    if (type === 'connection_init') respond({ type: 'connection_ack', connectionTimeoutMs: 300_000 });
    if (type !== 'subscribe' || this.ignored.has(id)) return;
    if (this.refused.has(id)) {
      respond({ type: 'subscribe_error', id, errors: [{ errorType: 'Unauthorized', message: 'no' }] });
    } else {
      respond({ type: 'subscribe_success', id });
    }
    subscribed.push(id);
  }
}

let server: LiveServer;
let stops: AbortController[];

beforeEach(async () => {
  server = new LiveServer();
  process.env['LIVE_URL'] = await server.start();
  process.env['LIVE_HOST'] = 'live.example.com';
  process.env['LIVE_SPREAD_MS'] = '0';
  stops = [];
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'hrtime'],
  });
});

afterEach(async () => {
  for (const stop of stops) stop.abort();
  await server.stop();
  // Nothing keeps a program alive. The sockets have timers too, until they are closed.
  await until(() => jest.getTimerCount() === 0);
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Returns a client, and the requests that it has sent. */
function clientOf(options: Partial<ClientOptions> = {}) {
  const sent: URL[] = [];
  const { fetch = service.fetch, ...rest } = options;
  let pending = 0;
  const client = createClient({
    url: service.url,
    tries: 1,
    webSocket: WebSocket,
    fetch: (input, init) => {
      sent.push(new URL(String(input)));
      pending += 1;
      return fetch(input, init).finally(() => {
        pending -= 1;
      });
    },
    ...rest,
  });
  const liveRequests = () => sent.filter(({ pathname }) => pathname === '/v1/live').length;
  return { client, sent, pending: () => pending, liveRequests };
}

type Collection = 'tags' | 'users';

/** Follows the tags, or the users, of a status of its own. */
function follow(options: SyncOptions & { client?: ReturnType<typeof clientOf>; of?: Collection } = {}) {
  const { client: own = clientOf(), of = 'tags', ...rest } = options;
  const { client, sent, liveRequests } = own;
  const status = `s${newId()}`;
  const stop = new AbortController();
  stops.push(stop);
  const errors: unknown[] = [];
  const names: string[] = [];
  let pages = 0;
  let position = 0;
  const onError = (error: unknown) => errors.push(error);
  const syncOptions = { live: true, signal: stop.signal, onError, ...rest };
  const run = async () => {
    const list =
      of === 'tags' ? client.tags.sync({ status }, syncOptions) : client.users.sync({}, syncOptions);
    for await (const page of list) {
      pages += 1;
      names.push(...page.data.map(({ name }) => name));
      ({ position } = page);
    }
  };
  const ended = run();
  const asked = () => sent.filter(({ pathname }) => pathname === `/v1/${of}/changes`).length;
  /** Waits until each request has its page. */
  const read = (count: number) => until(() => asked() === count && pages + errors.length >= count);
  const create = async (name: string) => {
    await other.tags.create({ name, status });
    return (await other.tags.changes({ since: 'now' })).position;
  };
  const isLive = () => until(() => server.open.some(({ subscribed }) => subscribed.includes(of)));
  /** Waits until the feed is asked because the service announces changes from now on. */
  const settled = async () => {
    await isLive();
    await server.send({ type: 'ka' });
    await read(1);
    await pass(200);
    await read(2);
  };
  const state = { stop, errors, names, asked, read, create, isLive, settled, ended, liveRequests };
  return { ...state, client, sent, position: () => position };
}

const minute = 60_000;

test('asks when a change is announced, and otherwise nothing but every five minutes', async () => {
  const { settled, create, read, names, asked } = follow();
  await settled();
  for (let count = 0; count < 4; count += 1) {
    await pass(minute);
    await server.send({ type: 'ka' });
  }
  expect(asked()).toBe(2);
  const position = await create('a');
  expect(asked()).toBe(2);
  await server.poke(position);
  await pass(0);
  await read(3);
  expect(names).toEqual(['a']);
  for (let count = 0; count < 4; count += 1) {
    await pass(minute);
    await server.send({ type: 'ka' });
  }
  await pass(minute - 1);
  expect(asked()).toBe(3);
  await pass(1);
  await read(4);
});

test('asks when what a collection is seen through changes', async () => {
  const client = clientOf({
    fetch: async (input, init) => {
      const response = await service.fetch(input, init);
      if (!String(input).endsWith('/v1/live')) return response;
      return Response.json({ ...((await response.json()) as object), seenThrough: { tags: ['users'] } });
    },
  });
  const { settled, read, asked } = follow({ client });
  await settled();
  await until(() => server.open.some(({ subscribed }) => subscribed.includes('users')));
  await server.poke(1, 'projects');
  await pass(1_000);
  expect(asked()).toBe(2);
  // The position is of another collection.
  await server.poke(1, 'users');
  await pass(0);
  await read(3);
});

test('opens a connection as AppSync Events wants it, on which all collections are subscribed', async () => {
  const own = clientOf({ token: async () => 'a.b.c' });
  const [tags, users] = [follow({ client: own }), follow({ client: own, of: 'users' })];
  await Promise.all([tags.isLive(), users.isLive()]);
  const { channels } = await own.client.live();
  const authorization = { host: 'live.example.com', Authorization: 'a.b.c' };
  expect(server.accepted).toHaveLength(1);
  const [{ protocols, received }] = server.accepted as [Accepted];
  expect(protocols[0]).toBe('aws-appsync-event-ws');
  const [, header = ''] = /^header-([\w-]+)$/.exec(protocols[1] ?? '') ?? [];
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(authorization);
  expect(received).toEqual([
    { type: 'connection_init' },
    { type: 'subscribe', id: 'tags', channel: channels['tags'], authorization },
    { type: 'subscribe', id: 'users', channel: channels['users'], authorization },
  ]);
  // A poke is for one collection.
  await server.send({ type: 'ka' });
  await pass(200);
  await Promise.all([tags.read(2), users.read(2)]);
  await server.poke(users.position() + 1, 'users');
  await pass(200);
  await users.read(3);
  expect(tags.asked()).toBe(2);
  tags.stop.abort();
  await tags.ended;
  expect(server.open).toHaveLength(1);
  users.stop.abort();
  await users.ended;
  await until(() => server.open.length === 0 && jest.getTimerCount() === 0);
  // The next one opens the next connection.
  await follow({ client: own }).isLive();
});

test('a later iteration uses the open connection, and asks once if its collection is subscribed', async () => {
  const own = clientOf();
  const first = follow({ client: own });
  await first.settled();
  const users = follow({ client: own, of: 'users' });
  await users.isLive();
  const before = first.asked();
  const second = follow({ client: own });
  await until(() => second.position() > 0);
  await pass(minute);
  await until(() => own.pending() === 0);
  expect(first.asked()).toBe(before + 1);
  expect(server.accepted).toHaveLength(1);
  first.stop.abort();
  await server.send({ type: 'ka' });
  await server.poke(await second.create('a'));
  await pass(0);
  await until(() => second.names.length === 1);
});

test('a request without a token has none in its authorization', async () => {
  await follow().isLive();
  expect(server.accepted[0]?.received[1]?.authorization).toEqual({ host: 'live.example.com' });
});

test('an iteration that the app leaves closes the connection', async () => {
  const { client } = clientOf();
  for await (const _ of client.tags.sync({}, { live: true })) {
    await until(() => server.open.some(({ subscribed }) => subscribed.length > 0));
    break;
  }
  await until(() => server.open.length === 0 && jest.getTimerCount() === 0);
  expect(server.accepted).toHaveLength(1);
});

test('ends before a connection is open', async () => {
  const { stop, ended, sent } = follow();
  stop.abort();
  await ended;
  await turn();
  expect(server.accepted).toEqual([]);
  expect(sent.map(({ pathname }) => pathname)).toEqual(['/v1/live', '/v1/tags/changes']);
  const aborted = follow({ signal: AbortSignal.abort() });
  await aborted.ended;
  expect(aborted.sent).toEqual([]);
});

test('asks nothing for a position that it has', async () => {
  const { settled, create, read, asked, position } = follow();
  await settled();
  await server.poke(await create('a'));
  await pass(200);
  await read(3);
  await server.poke(position());
  await server.poke(position() - 1);
  await pass(minute);
  expect(asked()).toBe(3);
});

test('asks again after 1, 2 and 5 s while a page is not complete up to the position', async () => {
  const { settled, read, asked, position } = follow();
  await settled();
  await server.poke(position() + 3);
  await pass(200);
  await read(3);
  for (const [number, pauseMs] of [1_000, 2_000, 5_000].entries()) {
    await pass(pauseMs - 1);
    expect(asked()).toBe(3 + number);
    await pass(1);
    await read(4 + number);
  }
  await pass(minute);
  expect(asked()).toBe(6);
  // The position is announced again, when the write that it waited for has ended.
  await server.poke(position() + 1);
  await pass(0);
  await read(7);
});

test('several announcements within 200 ms lead to one request', async () => {
  const { settled, create, read, names, asked } = follow();
  await settled();
  for (const name of ['a', 'b', 'c']) await server.poke(await create(name));
  await pass(199);
  expect(asked()).toBe(2);
  await pass(1);
  await read(3);
  expect(names).toEqual(['a', 'b', 'c']);
  await pass(minute);
  expect(asked()).toBe(3);
});

test('asks nothing more for what is announced during the request that has it', async () => {
  const { settled, create, asked, read } = follow();
  await settled();
  await server.poke(await create('a'));
  const position = await create('b');
  await pass(200);
  void server.poke(position);
  await read(3);
  await server.send({ type: 'ka' });
  await pass(minute);
  expect(asked()).toBe(3);
});

test('waits for a random part of the spread of the service, and that time between two requests', async () => {
  process.env['LIVE_SPREAD_MS'] = '10000';
  jest.spyOn(Math, 'random').mockReturnValue(0.25);
  const { isLive, create, read, asked } = follow();
  await isLive();
  await server.send({ type: 'ka' });
  await read(1);
  await pass(9_999);
  expect(asked()).toBe(1);
  await pass(1);
  await read(2);
  await pass(minute);
  await server.poke(await create('a'));
  await pass(2_499);
  expect(asked()).toBe(2);
  await pass(1);
  await read(3);
  await server.poke(await create('b'));
  await pass(9_999);
  expect(asked()).toBe(3);
  await pass(1);
  await read(4);
});

test('asks at once when the connection is closed, keeps the interval without one, and asks after it is open again', async () => {
  const { settled, isLive, read, asked, errors, names, create } = follow();
  await settled();
  await pass(minute);
  await create('a');
  await Promise.all(
    server.open.map(({ socket }) => {
      socket.terminate();
      return once(socket, 'close');
    }),
  );
  await until(() => jest.getTimerCount() < 3);
  await pass(0);
  await read(3);
  expect(names).toEqual(['a']);
  expect(server.accepted).toHaveLength(1);
  await create('b');
  await pass(2_000);
  await until(() => server.accepted.length === 2);
  await isLive();
  await server.send({ type: 'ka' });
  await pass(200);
  await read(4);
  expect(names).toEqual(['a', 'b']);
  await pass(minute);
  expect([asked(), errors]).toEqual([4, []]);
});

/** Lets time pass until something has happened, and gives the requests time to end. */
async function passUntil(own: ReturnType<typeof clientOf>, happened: () => boolean): Promise<void> {
  for (;;) {
    await until(() => own.pending() === 0);
    for (let turns = 0; turns < 10; turns += 1) await turn();
    if (happened()) return;
    await jest.advanceTimersToNextTimerAsync();
  }
}

test('opens the next connection after 1 to 60 s, longer each time, and asks at the interval meanwhile', async () => {
  const attempts: number[] = [];
  const own = clientOf({
    webSocket: class {
      constructor() {
        attempts.push(Date.now());
        throw new SyntaxError('Refused');
      }
    } as never,
  });
  const { errors, asked } = follow({ client: own, interval: 10_000 });
  const startedAt = Date.now();
  await passUntil(own, () => attempts.length === 9);
  for (const [number, at] of attempts.slice(1).entries()) {
    const pauseMs = at - (attempts[number] ?? 0);
    const longest = Math.min(minute, 2_000 * 2 ** number);
    expect(pauseMs).toBeGreaterThanOrEqual(longest / 2);
    expect(pauseMs).toBeLessThanOrEqual(longest + 1);
  }
  expect(asked()).toBe(1 + Math.floor((Date.now() - startedAt) / 10_000));
  expect(errors).toEqual([]);
});

test('keeps the interval where the service announces nothing, and looks again after an hour', async () => {
  const url = process.env['LIVE_URL'];
  process.env['LIVE_URL'] = '';
  const own = clientOf();
  const { errors, asked, liveRequests, isLive, stop } = follow({ client: own });
  const startedAt = Date.now();
  await passUntil(own, () => Date.now() - startedAt >= 59 * minute);
  expect(asked()).toBe(1 + (59 * minute) / 5_000);
  expect([liveRequests(), errors]).toEqual([1, []]);
  // Another iteration does not look again either.
  stop.abort();
  await turn();
  process.env['LIVE_URL'] = url;
  const next = follow({ client: own });
  await until(() => next.position() > 0);
  expect(liveRequests()).toBe(1);
  await passUntil(own, () => liveRequests() === 2);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(60 * minute);
  await isLive();
});

test('keeps the interval, and says so once, without a WebSocket', async () => {
  const { WebSocket: before } = globalThis;
  Object.assign(globalThis, { WebSocket: undefined });
  try {
    const own = clientOf({ webSocket: undefined });
    const { errors, asked, liveRequests } = follow({ client: own });
    await passUntil(own, () => asked() === 3);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('webSocket') })]);
    expect(liveRequests()).toBe(0);
    Object.assign(globalThis, { WebSocket });
    await follow({ client: own }).isLive();
  } finally {
    Object.assign(globalThis, { WebSocket: before });
  }
});

test('notices within 75 s that a connection is silent, and opens another one', async () => {
  const { settled, asked, read } = follow();
  await settled();
  await pass(74_799);
  expect([asked(), server.accepted.length]).toEqual([2, 1]);
  await pass(1);
  await read(3);
  await pass(2_000);
  await until(() => server.accepted.length === 2);
  // So does a service that never responds to a subscription.
  server.ignored.add('users');
  follow({ of: 'users', client: clientOf() });
  await until(() => server.accepted.length === 3 && server.accepted[2]?.received.length === 2);
  await pass(minute);
  await server.send({ type: 'ka' });
  await pass(15_000);
  await until(() => server.accepted[2]?.socket.readyState === WebSocket.CLOSED);
});

test.each([
  ['no JSON', '{'],
  ['an event that is no JSON', { type: 'data', id: 'tags', event: '{' }],
  ['an error of the connection', { type: 'connection_error', errors: [] }],
  ['an error', { type: 'error', errors: [] }],
])('opens another connection after %s', async (_, message) => {
  const { settled, read } = follow();
  await settled();
  await pass(200);
  await server.send(message);
  await until(() => server.open.length === 0);
  await pass(0);
  await read(3);
  await pass(2_000);
  await until(() => server.accepted.length === 2);
  expect(server.accepted[0]?.socket.readyState).toBe(WebSocket.CLOSED);
});

test('keeps the interval for a collection whose subscription is refused, or which has no channel', async () => {
  server.refused.add('users');
  const own = clientOf();
  const [tags, users] = [follow({ client: own }), follow({ client: own, of: 'users' })];
  await tags.isLive();
  await server.send({ type: 'ka' });
  await Promise.all([tags.read(1), users.read(1)]);
  await pass(200);
  await tags.read(2);
  await pass(4_800);
  await users.read(2);
  await pass(5_000);
  await users.read(3);
  expect([tags.asked(), server.open.length]).toEqual([2, 1]);
  const withoutChannel = clientOf({
    fetch: async (input, init) => {
      const response = await service.fetch(input, init);
      if (!String(input).endsWith('/v1/live')) return response;
      return Response.json({ ...((await response.json()) as object), channels: {} });
    },
  });
  const { status } = await other.tags.create({ name: 'a', status: `s${newId()}` });
  const stop = new AbortController();
  stops.push(stop);
  const pages = withoutChannel.client.tags.sync({ status }, { live: true, signal: stop.signal });
  await pages.next();
  await until(() => server.accepted[1]?.received.length === 1);
  await server.send({ type: 'ka' });
  const second = pages.next();
  await pass(5_000);
  expect((await second).value).toMatchObject({ data: [] });
});

describe('a write of the same client', () => {
  test('is asked for after 5 s if it is not announced', async () => {
    const { client, settled, asked, read } = follow();
    await settled();
    await pass(minute);
    await server.send({ type: 'ka' });
    await client.tags.create({ name: 'own' });
    await client.users.create({ name: 'of another collection' });
    await pass(4_999);
    expect(asked()).toBe(2);
    await pass(1);
    await read(3);
    await pass(minute);
    expect(asked()).toBe(3);
  });

  test.each(['before', 'after'])('is asked for once if it is announced %s its response', async (when) => {
    const own = clientOf({
      fetch: async (input, init) => {
        const response = await service.fetch(input, init);
        if (when === 'before' && init?.method === 'POST') {
          await announce();
          await pass(0);
          await until(() => pages === 3);
        }
        return response;
      },
    });
    const announce = async () => server.poke((await other.tags.changes({ since: 'now' })).position);
    const { client } = own;
    const names: string[] = [];
    const stop = new AbortController();
    stops.push(stop);
    const status = `s${newId()}`;
    let pages = 0;
    const run = async () => {
      for await (const { data } of client.tags.sync({ status }, { live: true, signal: stop.signal })) {
        pages += 1;
        names.push(...data.map(({ name }) => name));
      }
    };
    void run();
    await until(() => server.open[0]?.subscribed.length === 1 && pages === 1);
    await server.send({ type: 'ka' });
    await pass(200);
    await until(() => pages === 2);
    await pass(minute);
    await client.tags.create({ name: 'own', status });
    if (when === 'after') await announce();
    await pass(0);
    await until(() => pages === 3);
    expect(names).toEqual(['own']);
    await pass(minute);
    expect(pages).toBe(3);
  });
});

const tokenUntil = (exp: number | string): string => {
  const payload = Buffer.from(JSON.stringify({ sub: 'Zoë', exp })).toString('base64url');
  return `${Buffer.from('{}').toString('base64url')}.${payload}.signature`;
};

test.each([
  ['a minute before its token ends', () => tokenUntil(Date.now() / 1_000 + 3_600), 59 * minute],
  ['after nine tenths of a short life', () => tokenUntil(Date.now() / 1_000 + 300), 4.5 * minute],
  ['before the 24 hours of AppSync, with a token that is no JWT', () => 'opaque', 1_439 * minute],
  ['before the 24 hours, with a clock that is wrong', () => tokenUntil(1), 1_439 * minute],
])('renews a connection %s, without a gap', async (_, token, renewalMs) => {
  let tokens = 0;
  const own = clientOf({
    token: async () => {
      tokens += 1;
      return token();
    },
  });
  const { settled, asked, create, read, names } = follow({ client: own });
  const startedAt = Date.now();
  await settled();
  server.ignored.add('tags');
  while (Date.now() < startedAt + renewalMs - 1) {
    await pass(Math.min(minute / 2, startedAt + renewalMs - 1 - Date.now()));
    await until(() => own.pending() === 0);
    await server.send({ type: 'ka' });
  }
  expect(server.accepted).toHaveLength(1);
  const [before, tokensBefore] = [asked(), tokens];
  await pass(2);
  await until(() => server.accepted[1]?.received.length === 2);
  expect(tokens).toBe(tokensBefore + 2);
  // The old connection lasts until the new one is subscribed.
  expect(server.open).toHaveLength(2);
  await server.poke(await create('a'));
  await pass(200);
  await read(before + 1);
  server.accepted[1]?.socket.send(JSON.stringify({ type: 'subscribe_success', id: 'tags' }));
  await until(() => server.open.length === 1);
  await server.send({ type: 'ka' });
  await server.poke(await create('b'));
  await pass(200);
  await read(before + 2);
  expect(names).toEqual(['a', 'b']);
  await pass(minute);
  expect(asked()).toBe(before + 2);
});

describe('a hidden page', () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const show = (visibilityState: string): void => {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  };

  beforeEach(() => {
    Object.assign(globalThis, { document: page });
    show('visible');
  });

  afterEach(() => Reflect.deleteProperty(globalThis, 'document'));

  test('closes nothing and asks nothing, and asks once when it is shown', async () => {
    const { settled, create, asked, read } = follow();
    await settled();
    show('hidden');
    await server.poke(await create('a'));
    for (let count = 0; count < 10; count += 1) {
      await pass(minute);
      await server.send({ type: 'ka' });
    }
    expect([asked(), server.open.length]).toEqual([2, 1]);
    show('visible');
    await turn();
    await read(3);
    await pass(minute);
    expect(asked()).toBe(3);
  });

  test('sends what waits, and does not ask where changes are announced when the connection has ended', async () => {
    const own = clientOf();
    const { settled, asked } = follow({ client: own });
    await settled();
    const before = [asked(), own.liveRequests()];
    show('hidden');
    for (const { socket } of server.open) socket.close();
    await until(() => server.open.length === 0);
    await own.client.tags.create({ name: 'sent' });
    await pass(10 * minute);
    expect([asked(), own.liveRequests()]).toEqual(before);
    show('visible');
    await until(() => server.open.length === 1);
    expect(own.liveRequests()).toBe((before[1] ?? 0) + 1);
  });

  test.each([
    ['that is off', {}, 5_000],
    ['that is not asked for', { live: false }, 5_000],
    ['that is not asked for, at another interval', { live: false, interval: 1_000 }, 1_000],
  ])('asks nothing without a connection %s, and once when it is shown', async (_, options, interval) => {
    process.env['LIVE_URL'] = '';
    const own = clientOf();
    const { asked, read } = follow({ client: own, ...options });
    await passUntil(own, () => asked() === 2);
    show('hidden');
    await pass(10 * minute);
    expect(asked()).toBe(2);
    show('visible');
    await turn();
    await read(3);
    await pass(interval - 500);
    expect(asked()).toBe(3);
    await pass(500);
    await read(4);
  });
});

test('waits after an error although changes are announced', async () => {
  let isFailing = false;
  const own = clientOf({
    fetch: async (input, init) => {
      if (isFailing && String(input).includes('/changes')) {
        return new Response('', { status: 503, headers: { 'retry-after': '30' } });
      }
      return service.fetch(input, init);
    },
  });
  const errors: unknown[] = [];
  const names: string[] = [];
  const stop = new AbortController();
  stops.push(stop);
  const status = `s${newId()}`;
  let pages = 0;
  const run = async () => {
    const options = { live: true, signal: stop.signal, onError: (error: unknown) => errors.push(error) };
    for await (const { data } of own.client.tags.sync({ status }, options)) {
      pages += 1;
      names.push(...data.map(({ name }) => name));
    }
  };
  void run();
  await until(() => server.open[0]?.subscribed.length === 1 && pages === 1);
  await server.send({ type: 'ka' });
  await pass(200);
  await until(() => pages === 2);
  isFailing = true;
  await other.tags.create({ name: 'a', status });
  const { position } = await other.tags.changes({ since: 'now' });
  await server.poke(position);
  await pass(200);
  await until(() => errors.length === 1);
  isFailing = false;
  await server.poke(position + 1);
  const requests = own.sent.length;
  await pass(29_000);
  expect(own.sent).toHaveLength(requests);
  await pass(999);
  expect(pages).toBe(2);
  await pass(1);
  await until(() => pages === 3);
  expect(names).toEqual(['a']);
});

test('sync of a replication and the adapter for TanStack DB are live', async () => {
  const own = clientOf();
  const status = `s${newId()}`;
  const replication = new Replication(own.client.tags, { status });
  const written: unknown[] = [];
  let commits = 0;
  const { sync } = listCollection(replication, { live: true });
  const stop = sync.sync({
    collection: { keys: () => [] },
    begin: () => undefined,
    write: (message: object) => written.push(message),
    commit: () => {
      commits += 1;
    },
    markReady: () => undefined,
  });
  await until(() => commits === 1 && server.open[0]?.subscribed.length === 1);
  await server.send({ type: 'ka' });
  await pass(200);
  await until(() => commits === 2);
  await pass(minute);
  const value = await other.tags.create({ name: 'a', status });
  await server.poke((await other.tags.changes({ since: 'now' })).position);
  await pass(0);
  await until(() => commits === 3);
  expect(written).toEqual([{ type: 'update', value }]);
  stop();
  await until(() => server.open.length === 0);
});

test('watch of a replication yields when to pull', async () => {
  let isFailing = false;
  const own = clientOf({
    fetch: async (input, init) => {
      if (isFailing) throw new TypeError('fetch failed');
      return service.fetch(input, init);
    },
  });
  const replication = new Replication(own.client.tags, { status: `s${newId()}` });
  const stop = new AbortController();
  stops.push(stop);
  let moments = 0;
  let position = 0;
  const run = async () => {
    for await (const _ of replication.watch({ signal: stop.signal })) {
      const page = await replication.pull(undefined).catch(() => undefined);
      if (!page) continue;
      ({ position } = page);
      moments += 1;
    }
  };
  const ended = run();
  await until(() => moments === 1 && server.open[0]?.subscribed.length === 1);
  await server.send({ type: 'ka' });
  await pass(200);
  await until(() => moments === 2);
  await pass(minute);
  await server.poke(position);
  await pass(0);
  expect(moments).toBe(2);
  await server.poke(position + 1);
  await pass(0);
  await until(() => moments === 3);
  await turn();
  await pass(1_000);
  await until(() => moments === 4);
  // What could not be read is read at the interval.
  isFailing = true;
  await server.poke(position + 2);
  await pass(200);
  await until(() => own.pending() === 0);
  isFailing = false;
  await pass(5_000);
  await until(() => moments === 5);
  stop.abort();
  await ended;
});

test('encodes base64url as Node.js does', () => {
  for (let length = 0; length < 30; length += 1) {
    const bytes = Buffer.from(Array.from({ length }, (_, place) => (place * 89 + length * 37) % 256));
    expect(toBase64url(bytes.toString('latin1'))).toBe(bytes.toString('base64url'));
  }
});

test('the adapter for RxDB reads when a change is announced, until it is cancelled', async () => {
  const state = { onCancel: [] as (() => void)[], reSync: jest.fn() };
  const replicateRxCollection = jest.fn((_: { pull: { handler(): Promise<unknown> } }) => state);
  jest.doMock('rxdb/plugins/replication', () => ({ replicateRxCollection }), { virtual: true });
  const { replicateList } = await import('#client/adapters/rxdb.ts');
  const replication = new Replication(clientOf().client.tags, { status: `s${newId()}` });
  const collection = {
    name: 'tags',
    database: { name: 'copies', multiInstance: false },
    schema: { jsonSchema: { properties: {} } },
    find: () => ({ exec: async () => [] }),
  };
  replicateList(replication, collection as never, { live: true });
  await until(() => server.open[0]?.subscribed.length === 1);
  await server.send({ type: 'ka' });
  await pass(200);
  expect(state.reSync).toHaveBeenCalledTimes(2);
  await replicateRxCollection.mock.calls[0]?.[0].pull.handler();
  await pass(minute);
  const { position } = await other.tags.changes({ since: 'now' });
  await server.poke(position);
  await pass(0);
  expect(state.reSync).toHaveBeenCalledTimes(2);
  await server.poke(position + 1);
  await pass(0);
  expect(state.reSync).toHaveBeenCalledTimes(3);
  for (const cancel of state.onCancel) cancel();
  await until(() => server.open.length === 0);
  // Without the option, the app calls `reSync`.
  replicateList(replication, collection as never);
  await turn();
  expect([state.reSync.mock.calls.length, server.accepted.length]).toEqual([3, 1]);
});
