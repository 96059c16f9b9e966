import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { type Engine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { dynamoDbLocal, nativeEngine } from '#lib/local/engine-programs.ts';

/** What a page of another origin would send: a preflight, a call from a name that it has bound to the address, a call without a signature. */
const requestsOfPages = [
  {
    method: 'OPTIONS',
    headers: {
      origin: 'https://page.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-amz-target',
    },
  },
  { method: 'POST', headers: { host: 'page.example', 'x-amz-target': 'DynamoDB_20120810.ListTables' } },
  {
    method: 'POST',
    headers: { origin: 'https://page.example', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
  },
];

/** Sends a request without the port blocking of browsers. */
const sendRaw = (url: string, { method, headers }: (typeof requestsOfPages)[number]) =>
  new Promise<{ status: number | undefined; allowed: string | undefined }>((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume();
      const allowed = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve({ status: response.statusCode, allowed }));
    });
    sent.on('error', reject).end(method === 'POST' ? '{}' : '');
  });

const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The engines that can run on this machine. DynamoDB Local needs a JDK. */
const engines = (
  [
    ['the native engine', nativeEngine],
    ['DynamoDB Local', dynamoDbLocal],
  ] as const
).filter(([, find]) => find());

describe.each(engines)('%s', (_, find) => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await startEngine(inMemory, [find]);
  });

  afterAll(() => engine?.stop());

  test.each(requestsOfPages)('receives no $method request of a page: $headers', async (sent) => {
    // The `fetch` of Node.js blocks the ports of the Fetch Standard. `test/browser/blocked-ports.test.ts` asks Chromium.
    await expect(fetch(engine.endpoint, sent)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });

  test('listens on one address, which is not the usual one', async () => {
    const { hostname, port } = new URL(engine.endpoint);
    expect(hostname).toMatch(/^127\.(?!0\.0\.1$)/);
    const others = Object.values(networkInterfaces()).flatMap((found = []) =>
      found.map(({ address }) => address),
    );
    expect(await isOpen(hostname, Number(port))).toBe(true);
    expect(
      await Promise.all(['127.0.0.1', '::1', ...others].map((host) => isOpen(host, Number(port)))),
    ).not.toContain(true);
  });

  test('works for a client with any credentials', async () => {
    const client = new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
    expect((await client.send(new ListTablesCommand())).TableNames).toEqual([]);
    client.destroy();
  });

  // The native engine has no such setting.
  if (find === dynamoDbLocal) {
    test.each(requestsOfPages)('refuses the $method request of a page: $headers', async (sent) => {
      expect(await sendRaw(engine.endpoint, sent)).toEqual({ status: 403, allowed: undefined });
    });
  }
});
