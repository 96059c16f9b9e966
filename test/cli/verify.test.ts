import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { run } from './run.ts';

let service: Service;
let broken: Server;

/** Returns a proxy that removes a header from the responses of the service. */
const withoutHeader = (name: string): Server =>
  createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(service.url + url, { method, headers }, (response) => {
      const { [name]: _, ...rest } = response.headers;
      outgoing.writeHead(response.statusCode ?? 0, rest);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });

beforeAll(async () => {
  service = await startTestService();
  broken = withoutHeader('idempotency-replayed');
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  broken.close();
  await service.stop();
});

test('prints each test as passed and deletes what it created', async () => {
  const { code, errors } = await run('verify', [service.url, '--only', 'idempotency']);
  expect(errors).toMatch(/✓ replays the response of archive/);
  expect(errors).toMatch(/Tests: +\d+ passed, \d+ total/);
  expect(code).toBe(0);
  for (const path of ['organizations', 'projects', 'users', 'tasks', 'tags']) {
    expect(await (await fetch(`${service.url}/v1/${path}`)).json()).toMatchObject({ total: 0 });
  }
});

test('prints the tests that fail', async () => {
  const { port } = broken.address() as AddressInfo;
  const { code, errors } = await run('verify', [`http://127.0.0.1:${port}`, '--only', 'idempotency']);
  expect(errors).toMatch(/✕ .*/);
  expect(errors).toMatch(/Tests: +\d+ failed, \d+ passed/);
  expect(code).toBe(1);
});

test.each([
  [['nowhere'], 2, 'must be an HTTP URL'],
  [['http://a', 'http://b'], 2, 'The command takes one deployment'],
  [['http://127.0.0.1:9'], 1, 'No service responds'],
])('%j ends with %d', async (flags, expected, message) => {
  const { code, errors } = await run('verify', flags);
  expect([code, errors]).toEqual([expected, expect.stringContaining(message)]);
});
