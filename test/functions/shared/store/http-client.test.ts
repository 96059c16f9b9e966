import { execFile, spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createPlainServer,
  connect as openSocket,
  type Server as PlainServer,
  type Socket,
} from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { toAttributes } from '../../../../functions/shared/store/attributes.ts';
import { connect, send } from '../../../../functions/shared/store/client.ts';
import { Database } from '../../../../functions/shared/store/database.ts';
import { Deadline } from '../../../../functions/shared/store/deadline.ts';
import { HttpClient } from '../../../../functions/shared/store/http-client.ts';
import { type Engine, inMemory, startEngine } from '../../../../lib/local/engine.ts';
import { setEngineEnvironment } from '../../../../lib/local/engine-environment.ts';
import { ensureTable } from '../../../../lib/local/table.ts';
import { type EngineProxy, type Injector, startEngineProxy } from '../../../faults/engine-proxy.ts';

/** Whatever happens to a connection, a call ends in time, with an answer or with an error that says to try again. */

describe('at the engine', () => {
  const TableName = 'asked';
  const key = { pk: 'there', sk: 'entity' };
  const text = 'Grüße, 世界 🎉 '.repeat(3_000);

  let engine: Engine;
  let proxy: EngineProxy;
  let client: ReturnType<typeof connect>;

  const database = (milliseconds: number): Database =>
    new Database(client, TableName, new Deadline(milliseconds));

  beforeAll(async () => {
    engine = await startEngine(inMemory);
    setEngineEnvironment(engine.endpoint);
    proxy = await startEngineProxy(engine.endpoint);
    client = connect({ endpoint: proxy.endpoint });
    const direct = connect({ endpoint: engine.endpoint });
    await ensureTable(direct, TableName);
    await direct.send(new PutItemCommand({ TableName, Item: toAttributes({ ...key, text }) }));
    direct.destroy();
  });
  afterEach(() => proxy.inject(undefined));
  afterAll(async () => {
    client.destroy();
    await proxy.stop();
    await engine.stop();
  });

  test('an answer in many pieces arrives whole, with all of its characters', async () => {
    expect(await database(5_000).get(key)).toEqual({ ...key, text });
  });

  test('more calls at once than it opens connections are all answered', async () => {
    const reads = await Promise.all(Array.from({ length: 200 }, () => database(10_000).get(key)));
    expect(reads.map((item) => item?.sk)).toEqual(Array.from({ length: 200 }, () => key.sk));
  });

  test('a refusal is the error that DynamoDB names', async () => {
    const read = client.send(new GetItemCommand({ TableName: 'nothing-here', Key: toAttributes(key) }));
    await expect(read).rejects.toMatchObject({ name: 'ResourceNotFoundException', $fault: 'client' });
  });

  /** Calls that hang; they must not outlast the test. */
  const hung: ((reply: undefined) => void)[] = [];
  const hang: Injector = () => new Promise((resolve) => hung.push(resolve));
  const release = (): void => {
    for (const drop of hung.splice(0)) drop(undefined);
  };

  const atFirst = (injector: Injector): Injector => {
    let isOver = false;
    return (call, pass) => {
      if (isOver) return pass();
      isOver = true;
      return injector(call, pass);
    };
  };

  const faults: readonly (readonly [string, Injector])[] = [
    ['a connection that is reset', async () => undefined],
    ['an answer that breaks off', async (_, pass) => ({ ...(await pass()), breaks: true })],
    ['an answer that does not come in two seconds', hang],
  ];

  test.each(faults)('%s is tried again', async (_, fault) => {
    proxy.inject(atFirst(fault));
    const asked = database(8_000);
    expect(await asked.get(key)).toEqual({ ...key, text });
    expect(asked.consumption.calls).toBe(2);
    release();
  });

  test.each(faults)('%s, again and again, ends in time, and the next call is served', async (_, fault) => {
    proxy.inject(fault);
    const started = performance.now();
    await expect(database(1_000).get(key)).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(performance.now() - started).toBeLessThan(1_500);
    proxy.inject(undefined);
    release();
    expect(await database(5_000).get(key)).toEqual({ ...key, text });
  });

  test('what is aborted says so, before it begins, while it waits for a connection, and on its way', async () => {
    const read = (abortSignal: AbortSignal) =>
      send(client, new GetItemCommand({ TableName, Key: toAttributes(key) }), abortSignal);
    await expect(read(AbortSignal.abort())).rejects.toMatchObject({ name: 'NoAnswer' });
    proxy.inject(hang);
    const controller = new AbortController();
    // More than there are connections: the last of them wait.
    const reads = Array.from({ length: 60 }, () => read(controller.signal));
    const ends = Promise.allSettled(reads);
    while (hung.length < 50) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    const names = (await ends).map((end) => (end.status === 'rejected' ? end.reason.name : 'answered'));
    expect(names).toEqual(Array.from({ length: 60 }, () => 'NoAnswer'));
    proxy.inject(undefined);
    release();
    expect(await database(5_000).get(key)).toEqual({ ...key, text });
  });

  test('an engine that is gone is one that may come back', async () => {
    const gone = await startEngineProxy(engine.endpoint);
    const lonely = connect({ endpoint: gone.endpoint });
    await gone.stop();
    const asked = new Database(lonely, TableName, new Deadline(300));
    await expect(asked.get(key)).rejects.toMatchObject({ name: 'StoreUnavailable' });
    const back = await startEngineProxy(engine.endpoint, Number(new URL(gone.endpoint).port));
    expect(await new Database(lonely, TableName, new Deadline(5_000)).get(key)).toEqual({ ...key, text });
    lonely.destroy();
    await back.stop();
  });
});

/** What there is to send, where nobody minds what it is. */
const request = {
  protocol: 'http:',
  hostname: 'localhost',
  method: 'POST',
  path: '/',
  headers: {},
  body: 'asked',
};
// Long enough for a machine that is busy with something else.
const connection = 5_000;
const silence = 1_000;

/** Servers and clients of one test. */
const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

function httpClient(): HttpClient {
  const client = new HttpClient({ connection, silence });
  opened.push(() => client.destroy());
  return client;
}

/** @returns its port, and how many connections were made to it. */
async function listen(server: Server | PlainServer): Promise<{ port: number; connections(): number }> {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0);
  await onceEmitted(server, 'listening');
  opened.push(() => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const echo: RequestListener = (incoming, outgoing) => void incoming.pipe(outgoing);

describe('time', () => {
  test('an answer that does not begin is not waited for', async () => {
    const { port } = await listen(createServer(() => {}));
    await expect(httpClient().handle({ ...request, port })).rejects.toMatchObject({
      name: 'NoAnswer',
      message: `Nothing was heard for ${silence} ms.`,
    });
  });

  test('an answer that goes on arrives, however long it takes', async () => {
    const pieces = Array.from({ length: 5 }, (_, piece) => `piece ${piece};`);
    const slow: RequestListener = async (_, outgoing) => {
      for (const piece of pieces) {
        outgoing.write(piece);
        await delay(0.4 * silence);
      }
      outgoing.end();
    };
    const { port } = await listen(createServer(slow));
    const { response } = await httpClient().handle({ ...request, port });
    expect(Buffer.from(response.body).toString()).toBe(pieces.join(''));
  });

  test('a connection that is not used stays open for longer than silence may last', async () => {
    const { port, connections } = await listen(createServer(echo));
    const client = httpClient();
    for (let call = 0; call < 3; call += 1) {
      const { response } = await client.handle({ ...request, port });
      expect(Buffer.from(response.body).toString()).toBe(request.body);
      await delay(1.5 * silence);
    }
    expect(connections()).toBe(1);
  });

  test('a connection that nobody accepts is not waited for', async () => {
    // It listens, and then does nothing any more: what it does not accept waits in a queue for two, and then outside.
    const deaf = spawn(
      process.execPath,
      [
        '-e',
        `const server = require('node:net').createServer();
        server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
          require('node:fs').writeSync(1, String(server.address().port));
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        });`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    opened.push(() => deaf.kill('SIGKILL'));
    const [port] = (await onceEmitted(deaf.stdout, 'data')).map(Number);
    const waiting: Socket[] = [];
    opened.push(() => waiting.forEach((socket) => void socket.destroy()));
    do {
      waiting.push(openSocket({ port: port ?? 0, host: '127.0.0.1' }));
      await delay(100);
    } while (!waiting.at(-1)?.connecting && waiting.length < 50);
    const connection = 300;
    const client = new HttpClient({ connection, silence: 10_000 });
    opened.push(() => client.destroy());
    await expect(client.handle({ ...request, hostname: '127.0.0.1', port })).rejects.toMatchObject({
      name: 'NoAnswer',
      message: `There was no connection in ${connection} ms.`,
    });
  });
});

test('an answer that is not HTTP is none', async () => {
  const { port } = await listen(createPlainServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
  await expect(httpClient().handle({ ...request, port })).rejects.toMatchObject({
    name: 'NoAnswer',
    cause: { code: 'HPE_INVALID_CONSTANT' },
  });
});

test('an address of IPv6 is called, whether or not this machine has any', async () => {
  const call = httpClient().handle({ ...request, hostname: '[::1]', port: 9 });
  await expect(call).rejects.toMatchObject({
    name: 'NoAnswer',
    cause: { syscall: 'connect', address: '::1' },
  });
});

describe('over TLS, as on AWS', () => {
  // A certificate for localhost and its key, made for these tests.
  const certificate = fileURLToPath(new URL('localhost.pem', import.meta.url));
  const source = new URL('../../../../functions/shared/store/http-client.ts', import.meta.url).href;

  /** What a process says that makes three calls, one after the other. Only at its start it is told whom to trust. */
  async function callFromProcess(port: number, environment: Record<string, string>): Promise<string> {
    const script = `
      import { HttpClient } from ${JSON.stringify(source)};
      const client = new HttpClient({ connection: 5_000, silence: 5_000 });
      const request = ${JSON.stringify({ ...request, protocol: 'https:', port })};
      try {
        for (let call = 0; call < 3; call += 1) {
          const { response } = await client.handle(request);
          console.log(response.statusCode, Buffer.from(response.body).toString());
        }
      } catch ({ name, message }) {
        console.log(name, message);
      }
      client.destroy();`;
    const program = ['--import', 'tsx', '--input-type', 'module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, program, {
      env: { ...process.env, ...environment },
    });
    return stdout;
  }

  const secureServer = () => {
    const pem = readFileSync(certificate);
    return listen(createSecureServer({ key: pem, cert: pem }, echo));
  };

  test('calls go over one connection', async () => {
    const { port, connections } = await secureServer();
    expect(await callFromProcess(port, { NODE_EXTRA_CA_CERTS: certificate })).toBe('200 asked\n'.repeat(3));
    expect(connections()).toBe(1);
  });

  test('nothing is said to one whose certificate nobody vouches for', async () => {
    const { port } = await secureServer();
    expect(await callFromProcess(port, {})).toMatch(/^NoAnswer self.signed certificate\n$/);
  });
});
