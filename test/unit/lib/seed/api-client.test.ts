import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTag } from '../../../../functions/tags/contract.ts';
import { freePort } from '../../../../lib/local/port.ts';
import { ApiClient, pauseOf } from '../../../../lib/seed/api-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const closes: (() => void)[] = [];

afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** A server that gives these answers, one after the other, and the last one for ever. */
async function serverThat(...answers: Answer[]) {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    request.resume();
    (answers.length > 1 ? answers.shift() : answers[0])?.(request, response);
  });
  server.listen(0);
  await once(server, 'listening');
  closes.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { client: new ApiClient(`http://localhost:${(server.address() as AddressInfo).port}`), keys };
}

const give =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

const atOnce = { 'retry-after': '0' };

describe('a request of npm run seed', () => {
  test('gives the id of what was created', async () => {
    const { client } = await serverThat(give(201, { id: 'a' }));
    expect(await client.create(createTag, { name: 'x' })).toBe('a');
    expect(client.requests).toBe(1);
  });

  test('is sent again under the same key when the server is not available', async () => {
    const { client, keys } = await serverThat(
      give(503, {}, atOnce),
      give(429, {}, atOnce),
      give(201, { id: 'b' }),
    );
    expect(await client.create(createTag, { name: 'x' })).toBe('b');
    expect(client.requests).toBe(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toEqual(expect.stringMatching(/^[\w-]{36}$/));
  });

  test('is sent again when the connection breaks', async () => {
    const { client } = await serverThat((request) => request.socket.destroy(), give(201, { id: 'c' }));
    expect(await client.create(createTag, { name: 'x' })).toBe('c');
  });

  test('is given up after some tries', async () => {
    const { client } = await serverThat(give(503, { detail: 'Too much.' }, atOnce));
    await expect(client.create(createTag, {})).rejects.toThrow('POST /v1/tags gives 503 Too much.');
    expect(client.requests).toBe(8);
  });

  test('is not sent again when it is refused', async () => {
    const { client } = await serverThat(give(400, { detail: 'The name is missing.' }));
    await expect(client.create(createTag, {})).rejects.toThrow('gives 400 The name is missing.');
    expect(client.requests).toBe(1);
  });
});

describe('the look at the server before', () => {
  test('says when nobody is there', async () => {
    const url = `http://localhost:${await freePort()}`;
    await expect(new ApiClient(url).check()).rejects.toThrow(
      `No server answers at ${url}. Start one with "npm start", or say where it is with --url.`,
    );
  });

  test('says when another server is there', async () => {
    const { client } = await serverThat(give(404, '<h1>Not\nfound</h1>'));
    await expect(client.check()).rejects.toThrow(
      'is another server: /v1/health gives 404 <h1>Not found</h1>',
    );
  });

  test('says when the server is not well', async () => {
    const { client } = await serverThat(give(503, { detail: 'Not now.' }));
    await expect(client.check()).rejects.toThrow('is not well: /v1/health gives 503 Not now.');
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  test.each([
    [null, 1_000],
    ['2', 2_000],
    ['Thu, 01 Jan 2026 00:00:03 GMT', 3_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['86400', 60_000],
    ['soon', 1_000],
  ])('%s is a pause of %d ms', (retryAfter, milliseconds) => {
    expect(pauseOf(retryAfter, now)).toBe(milliseconds);
  });
});
