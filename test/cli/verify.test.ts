import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { run } from './run.ts';

let service: Service;
let broken: Server;

/** A deployment whose answers have lost a header on the way. */
const withoutHeader = (name: string): Server =>
  createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(service.url + url, { method, headers }, (answer) => {
      const { [name]: _, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 0, rest);
      answer.pipe(outgoing);
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

test('says of each requirement that it holds, and leaves nothing behind', async () => {
  const { code, errors } = await run('verify', [service.url, '--only', 'idempotency']);
  expect(errors).toMatch(/✓ replays an archiving/);
  expect(errors).toMatch(/Tests: +\d+ passed, \d+ total/);
  expect(code).toBe(0);
  for (const path of ['organizations', 'projects', 'users', 'tasks', 'tags']) {
    expect(await (await fetch(`${service.url}/v1/${path}`)).json()).toMatchObject({ total: 0 });
  }
});

test('says which requirement does not hold', async () => {
  const { port } = broken.address() as AddressInfo;
  const { code, errors } = await run('verify', [`http://127.0.0.1:${port}`, '--only', 'idempotency']);
  expect(errors).toMatch(/✕ .*/);
  expect(errors).toMatch(/Tests: +\d+ failed, \d+ passed/);
  expect(code).toBe(1);
});

test.each([
  [['nowhere'], 2, 'must be an HTTP URL'],
  [['http://a', 'http://b'], 2, 'One deployment at a time'],
  [['http://127.0.0.1:9'], 1, 'No server answers'],
])('%j ends with %d', async (flags, expected, message) => {
  const { code, errors } = await run('verify', flags);
  expect([code, errors]).toEqual([expected, expect.stringContaining(message)]);
});
