import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { type Client, createClient } from '#client/index.ts';
import { journalOf } from '#lib/verify/created-entities.ts';
import { startServer, type TestServer } from '../support/http-server.ts';
import { provideTestService } from '../support/local-service.ts';
import { until } from '../support/until.ts';
import { commandLine, runProgram } from './run.ts';

const service = provideTestService();
let client: Client;
/** A proxy that removes a header from the responses of the service. */
let broken: TestServer;

beforeAll(async () => {
  client = createClient({ url: service.url });
  broken = await startServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(service.url + url, { method, headers }, (response) => {
      const { 'idempotency-replayed': _, ...rest } = response.headers;
      outgoing.writeHead(response.statusCode ?? 0, rest);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
});

afterAll(() => broken.stop());

async function totals(): Promise<number[]> {
  const { organizations, projects, users, tasks, tags } = client;
  const collections = [organizations, projects, users, tasks, tags] as unknown as Client['tags'][];
  return Promise.all(collections.map(async (one) => (await one.list()).total));
}

test('prints each test as passed, and deletes what it and an earlier run created', async () => {
  const { id } = await client.organizations.create({ name: 'left' });
  const journal = join(__dirname, '../..', journalOf(service.url));
  mkdirSync(dirname(journal), { recursive: true });
  writeFileSync(journal, `/v1/organizations/${id}\n`);
  const { code, errors } = await runProgram('verify', [service.url, '--only', 'idempotency']);
  expect(errors).toContain('Deleted 1 entities that an earlier run had created.');
  expect(errors).toMatch(/✓ replays the response of archive/);
  expect(errors).toMatch(/Tests: +\d+ passed, \d+ total/);
  expect(errors).toMatch(/^1 of 1 files, 100 %, no time left$/m);
  expect(code).toBe(0);
  expect(await totals()).toEqual([0, 0, 0, 0, 0]);
});

test('prints the tests that fail', async () => {
  const { code, errors } = await runProgram('verify', [broken.url, '--only', 'idempotency']);
  expect(errors).toMatch(/✕ .*/);
  expect(errors).toMatch(/Tests: +\d+ failed, \d+ passed/);
  expect(code).toBe(1);
});

test('deletes what it created when a signal interrupts it', async () => {
  const total = async () => (await client.organizations.list()).total;
  const before = await total();
  const [program, values] = commandLine('verify', [service.url, '--only', 'lists']);
  const child = spawn(program, values, { stdio: 'ignore' });
  const ended = once(child, 'close');
  await until(async () => (await total()) > before);
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await total()).toBe(before);
});
