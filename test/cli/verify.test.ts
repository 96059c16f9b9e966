import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { journalOf } from '#lib/cli/created-entities.ts';
import type { Service } from '#lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { commandLine, run, runProgram } from './run.ts';

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
  const { code, errors } = await runProgram('verify', [service.url, '--only', 'idempotency']);
  expect(errors).toMatch(/✓ replays the response of archive/);
  expect(errors).toMatch(/Tests: +\d+ passed, \d+ total/);
  expect(errors).toMatch(/^1 of 1 files, 100 %, no time left$/m);
  expect(code).toBe(0);
  for (const path of ['organizations', 'projects', 'users', 'tasks', 'tags']) {
    expect(await (await fetch(`${service.url}/v1/${path}`)).json()).toMatchObject({ total: 0 });
  }
});

test('prints the tests that fail', async () => {
  const { port } = broken.address() as AddressInfo;
  const { code, errors } = await runProgram('verify', [`http://127.0.0.1:${port}`, '--only', 'idempotency']);
  expect(errors).toMatch(/✕ .*/);
  expect(errors).toMatch(/Tests: +\d+ failed, \d+ passed/);
  expect(code).toBe(1);
});

const total = async (): Promise<number> => {
  const response = await fetch(`${service.url}/v1/organizations`);
  return ((await response.json()) as { total: number }).total;
};

test('deletes what it created when a signal interrupts it', async () => {
  const [program, values] = commandLine('verify', [service.url, '--only', 'lists']);
  const child = spawn(program, values, { stdio: 'ignore' });
  const ended = once(child, 'close');
  while ((await total()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await total()).toBe(0);
});

test('deletes what an earlier run left', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'left' });
  const { headers: created } = await fetch(`${service.url}/v1/organizations`, {
    method: 'POST',
    headers,
    body,
  });
  writeFileSync(join(__dirname, '../..', journalOf(service.url)), `${created.get('location')}\n`);
  const { errors } = await runProgram('verify', [service.url, '--only', 'health']);
  expect(errors).toContain('Deleted 1 entities that an earlier run had created.');
  expect(await total()).toBe(0);
});

test.each([
  [['nowhere'], 2, 'must be an HTTP URL'],
  [
    ['http://127.0.0.1:9', '--only', 'list-optoins'],
    2,
    'No file has "list-optoins" in its name. The files are: actions,',
  ],
  [['http://a', 'http://b'], 2, 'The command takes one deployment'],
  [['http://127.0.0.1:9'], 1, 'No service responds'],
])('%j ends with %d', async (flags, expected, message) => {
  const { code, errors } = await run('verify', flags);
  expect([code, errors]).toEqual([expected, expect.stringContaining(message)]);
});
