import { execSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '#lib/local/dynamodb-engine.ts';
import { run } from './run.ts';
import { killLeftovers, spawnStart, start, untilItListens } from './started-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'start-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

/** Returns the ids of the processes with a word in their command line, engines included. */
const processesNamed = (word: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(word);
      } catch {
        return false;
      }
    });

test('prints the address, the database file and a request that works when pasted', async () => {
  const databaseFile = join(folder, 'said', 'database.sqlite');
  const service = await start({ DATABASE_FILE: databaseFile });
  const request = /^Try: {2}(curl .*)$/m.exec(service.output())?.[1] ?? '';
  expect(service.output()).toContain(`Data: ${databaseFile}`);
  expect(service.output()).toMatch(/^Table: project-management at http:\/\/127\.\d+\.\d+\.\d+:\d+$/m);
  expect(JSON.parse(execSync(request, { encoding: 'utf8' }))).toMatchObject({
    name: 'Acme',
    status: 'active',
  });
  service.process.kill('SIGINT');
  expect(await service.ended()).toBe(0);
});

test('Ctrl-C stops the engine too, and the next start has the data', async () => {
  const databaseFile = join(folder, 'kept.sqlite');
  const first = await start({ DATABASE_FILE: databaseFile });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${first.url}/v1/tags`, { method: 'POST', headers, body: '{"name":"kept"}' });
  expect(processesNamed(databaseFile)).not.toEqual([]);
  // A terminal sends the signal to the whole process group.
  process.kill(-(first.process.pid ?? 0), 'SIGINT');
  expect(await first.ended()).toBe(0);
  expect(processesNamed(databaseFile)).toEqual([]);

  const second = await start({ DATABASE_FILE: databaseFile });
  const listed = await (await fetch(`${second.url}/v1/tags`)).json();
  expect(listed).toMatchObject({ total: 1, data: [{ name: 'kept' }] });
  second.process.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

async function printed({ output }: { output(): string }, text: RegExp): Promise<string> {
  for (;;) {
    const [found] = text.exec(output()) ?? [];
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('prints one line for each request, as text or as JSON', async () => {
  const lines = await start({ DATABASE_FILE: ':memory:' });
  const json = await start({ DATABASE_FILE: ':memory:', REQUEST_LOG: 'json' });
  const off = await start({ DATABASE_FILE: ':memory:', REQUEST_LOG: 'off' });
  for (const { url } of [lines, json, off]) await fetch(`${url}/v1/tasks?limit=1`);
  expect(await printed(lines, /^GET .*$/m)).toMatch(
    /^GET +200 +\d+ ms +[\d.]+ read +0 write {2}\/v1\/tasks\?limit=1$/,
  );
  expect(JSON.parse(await printed(json, /^\{.*\}$/m))).toMatchObject({
    method: 'GET',
    path: '/v1/tasks',
    query: 'limit=1',
    status: 200,
  });
  for (const service of [lines, json, off]) {
    service.process.kill('SIGINT');
    expect(await service.ended()).toBe(0);
  }
  expect(off.output()).not.toContain('/v1/tasks');
});

test('ends with an error when its engine ends', async () => {
  const databaseFile = join(folder, 'gone.sqlite');
  const service = await start({ DATABASE_FILE: databaseFile });
  for (const id of processesNamed(databaseFile)) process.kill(Number(id), 'SIGKILL');
  expect(await service.ended()).toBe(1);
  expect(service.output()).toContain('The database engine ended unexpectedly.');
});

test('prints that a port is in use, and leaves no process behind', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  const databaseFile = join(folder, 'taken.sqlite');
  const refused = spawnStart({ PORT: String(port), DATABASE_FILE: databaseFile });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toContain(
    `Port ${port} is already in use. Choose another: npm start -- --port ${port + 1}`,
  );
  expect(processesNamed(databaseFile)).toEqual([]);
  server.close();
});

/** Connects to an address of this machine. @returns "connected", or the code of the error. */
const connection = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });

// 127.0.0.2 is another loopback address of this machine.
test('listens on 127.0.0.1 only, unless another host is set', async () => {
  const usual = await start({ DATABASE_FILE: ':memory:' });
  const open = await start({ DATABASE_FILE: ':memory:', HOST: '0.0.0.0' });
  const connections = async (url: string): Promise<string[]> =>
    Promise.all(['127.0.0.1', '127.0.0.2'].map((host) => connection(host, Number(new URL(url).port))));
  expect(await connections(usual.url)).toEqual(['connected', 'ECONNREFUSED']);
  expect(await connections(open.url)).toEqual(['connected', 'connected']);
  for (const service of [usual, open]) {
    service.process.kill('SIGINT');
    expect(await service.ended()).toBe(0);
  }
});

test('prints that the host is not an address of this machine', async () => {
  const refused = spawnStart({ PORT: '0', DATABASE_FILE: ':memory:', HOST: '192.0.2.1' });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toMatch(
    /^This machine has no address "192\.0\.2\.1"\. .* npm start -- --host 127\.0\.0\.1\n$/,
  );
});

test('reads origins from the command line', async () => {
  const service = spawnStart({ PORT: '0', DATABASE_FILE: ':memory:' }, [
    '--allow-origin',
    'https://a.example',
    '--allow-origin',
    'https://b.example',
  ]);
  const url = await untilItListens(service);
  const origins = ['https://a.example', 'https://b.example', 'http://localhost:5173', 'https://c.example'];
  const allowed = await Promise.all(
    origins.map(async (origin) => {
      const { headers } = await fetch(`${url}/v1/health`, { headers: { origin } });
      return headers.get('access-control-allow-origin');
    }),
  );
  expect(allowed).toEqual([...origins.slice(0, 3), null]);
  service.process.kill('SIGINT');
  expect(await service.ended()).toBe(0);
});

test('rejects a table on AWS without an issuer before it connects', async () => {
  const DYNAMODB_ENDPOINT = 'https://dynamodb.no-such-region.amazonaws.com';
  const { code, errors } = await run('start', [], { DYNAMODB_ENDPOINT });
  expect(code).toBe(2);
  expect(errors).toContain('--authentication-issuer');
  expect(errors).toContain('--allow-unauthenticated');
});

test.each([
  [['--port', 'many'], 'The port must be a whole number'],
  [['--prot', '1'], 'Did you mean "--port"?'],
  [['--request-log', 'xml'], 'The request log must be one of lines, json, off, not "xml".'],
  [['--dynamodb-endpoint', 'nowhere'], 'must be an HTTP URL'],
])('rejects the flags %j', async (flags, message) => {
  const { code, errors } = await run('start', flags);
  expect(code).toBe(2);
  expect(errors).toContain(message);
  expect(errors).toContain('--help');
});

test('prints what to install when no engine can run', async () => {
  await expect(startEngine(':memory:', [() => undefined])).rejects.toThrow(/Java 17/);
});

test('prints the address of an engine that does not respond', async () => {
  const { code, errors } = await run('start', [], { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' });
  expect(code).toBe(1);
  expect(errors).toContain('http://127.0.0.1:9');
});

test.each([
  ['a web page', 200, '<html>\nHello</html>'],
  ['text', 404, 'Not found'],
  ['an object', 200, '{}'],
  ['nothing', 200, ''],
  ['null', 200, 'null'],
])('prints one line when a server that responds with %s is not DynamoDB', async (_, status, body) => {
  const server = createHttpServer((__, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await run('start', [], { PORT: '0', DYNAMODB_ENDPOINT: endpoint })).toEqual({
    code: 1,
    output: '',
    errors: `The server at ${endpoint} is not DynamoDB. Correct DYNAMODB_ENDPOINT.\n`,
  });
  server.close();
});
