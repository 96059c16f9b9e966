import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from '#functions/store/dynamodb/client.ts';

/** The SDK client with the configuration of the store, against faulty servers. */

const get = { TableName: 't', Key: { pk: 'a', sk: 'b' } };

let server: Server | undefined;

beforeAll(() => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });
});

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

/** Starts a server and returns a client for it. */
async function clientOf(listener: NonNullable<Parameters<typeof createServer>[1]>) {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return connect({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1' });
}

// The SDK leaves a timer of some seconds behind. In the last test, it would keep the process alive.
test('reports a refused connection', async () => {
  const client = connect({ endpoint: 'http://127.0.0.1:9', region: 'us-east-1' });
  await expect(client.getItem(get)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  client.destroy();
});

test('makes one attempt, signed with the credentials of the environment', async () => {
  const headers: (string | undefined)[] = [];
  const client = await clientOf((request, response) => {
    headers.push(request.headers.authorization);
    response.writeHead(500).end('{}');
  });
  await expect(client.getItem(get)).rejects.toMatchObject({ $fault: 'server' });
  expect(headers).toEqual([
    expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/dynamodb\/aws4_request, /),
  ]);
  client.destroy();
});

test('names the operation and the endpoint when the response has no error of DynamoDB', async () => {
  const client = await clientOf((_, response) => response.writeHead(404).end('{}'));
  await expect(client.getItem(get)).rejects.toThrow(
    /^127\.0\.0\.1:\d+ responded with the status 404 to GetItem\. Does it have this operation\?$/,
  );
  client.destroy();
});

test('has a logger for which the SDK copies no request and no response', () => {
  const client = connect({ region: 'us-east-1' });
  expect(client.documents.config.logger).not.toHaveProperty('info');
  expect(client.documents.config.logger).not.toHaveProperty('error');
  client.destroy();
});

test('times out when the server does not respond', async () => {
  const client = await clientOf(() => {});
  await expect(client.getItem(get)).rejects.toMatchObject({ name: 'TimeoutError' });
  client.destroy();
});

test('fails when the server stops in the middle of a response', async () => {
  const client = await clientOf((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{');
  });
  await expect(client.getItem(get)).rejects.toBeInstanceOf(Error);
  client.destroy();
});

test('aborts a call when its signal is aborted', async () => {
  const controller = new AbortController();
  const client = await clientOf(() => controller.abort());
  await expect(client.getItem(get, controller.signal)).rejects.toMatchObject({
    name: 'AbortError',
  });
  client.destroy();
});
