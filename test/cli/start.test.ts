import { execSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '../../lib/local/engine.ts';
import { killLeftovers, spawnStart, start, untilItListens } from './started-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'start-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

/** Processes, engines among them, that have this word in their command line. */
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

test('says where it listens, where the data is, and a request that works when pasted', async () => {
  const databaseFile = join(folder, 'said', 'database.sqlite');
  const service = await start({ DATABASE_FILE: databaseFile });
  const request = /^Try: {2}(curl .*)$/m.exec(service.output())?.[1] ?? '';
  expect(service.output()).toContain(`Data: ${databaseFile}`);
  expect(JSON.parse(execSync(request, { encoding: 'utf8' }))).toMatchObject({
    name: 'Acme',
    status: 'active',
  });
  service.process.kill('SIGINT');
  expect(await service.ended()).toBe(0);
});

test('Ctrl-C ends the engine as well, and the data is there the next time', async () => {
  const databaseFile = join(folder, 'kept.sqlite');
  const first = await start({ DATABASE_FILE: databaseFile });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${first.url}/v1/tags`, { method: 'POST', headers, body: '{"name":"kept"}' });
  expect(processesNamed(databaseFile)).not.toEqual([]);
  // What a terminal sends goes to the whole group.
  process.kill(-(first.process.pid ?? 0), 'SIGINT');
  expect(await first.ended()).toBe(0);
  expect(processesNamed(databaseFile)).toEqual([]);

  const second = await start({ DATABASE_FILE: databaseFile });
  const listed = await (await fetch(`${second.url}/v1/tags`)).json();
  expect(listed).toMatchObject({ total: 1, data: [{ name: 'kept' }] });
  second.process.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

test('stops in order when it is told to at the moment it says that it listens', async () => {
  const databaseFile = join(folder, 'at-once.sqlite');
  const service = spawnStart({ PORT: '0', DATABASE_FILE: databaseFile });
  service.process.stdout?.once('data', () => service.process.kill('SIGTERM'));
  expect(await service.ended()).toBe(0);
  expect(service.output()).toContain('Stopped.');
  expect(processesNamed(databaseFile)).toEqual([]);
});

test('ends, and says why, when its engine does', async () => {
  const databaseFile = join(folder, 'gone.sqlite');
  const service = await start({ DATABASE_FILE: databaseFile });
  for (const id of processesNamed(databaseFile)) process.kill(Number(id), 'SIGKILL');
  expect(await service.ended()).toBe(1);
  expect(service.output()).toContain('The database engine has ended by itself.');
});

test('says that a port is taken, and leaves nothing behind', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  const databaseFile = join(folder, 'taken.sqlite');
  const refused = spawnStart({ PORT: String(port), DATABASE_FILE: databaseFile });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toContain(`Port ${port} is taken`);
  expect(processesNamed(databaseFile)).toEqual([]);
  server.close();
});

/** How a connection to an address of this machine ends: "connected", or the code of the error. */
const connection = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });

// 127.0.0.2 is an address of this machine that is not 127.0.0.1.
test('listens on 127.0.0.1 only, unless another host is given', async () => {
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

test('says that the host is not one of this machine', async () => {
  const refused = spawnStart({ PORT: '0', DATABASE_FILE: ':memory:', HOST: '192.0.2.1' });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toMatch(/^This machine has no address "192\.0\.2\.1"\. .*HOST=127\.0\.0\.1.*\n$/);
});

test('takes origins from the command line', async () => {
  const service = spawnStart({ PORT: '0', DATABASE_FILE: ':memory:' }, [
    '--cors-origin',
    'https://a.example',
    '--cors-origin',
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

test('refuses a table on AWS without an issuer, before it connects', async () => {
  const refused = spawnStart({ DYNAMODB_ENDPOINT: 'https://dynamodb.no-such-region.amazonaws.com' });
  expect(await refused.ended()).toBe(2);
  expect(refused.output()).toContain('--authentication-issuer');
  expect(refused.output()).toContain('--allow-unauthenticated');
});

test.each([
  [['--port', 'many'], 'The port must be a whole number'],
  [['--prot', '1'], '--prot'],
  [['--dynamodb-endpoint', 'nowhere'], 'must be an HTTP URL'],
])('refuses the flags %j', async (flags, message) => {
  const refused = spawnStart({}, flags);
  expect(await refused.ended()).toBe(2);
  expect(refused.output()).toContain(message);
  expect(refused.output()).toContain('--help');
});

test('--help names every flag and its variable', async () => {
  const help = spawnStart({}, ['--help']);
  expect(await help.ended()).toBe(0);
  for (const word of [
    '--port',
    'PORT',
    '--database-file',
    'DATABASE_FILE',
    '--dynamodb-endpoint',
    'DYNAMODB_ENDPOINT',
    '--host',
    'HOST',
    '--cors-origin',
    'CORS_ORIGIN',
    '--allow-unauthenticated',
  ]) {
    expect(help.output()).toContain(word);
  }
});

test('says what to install when no engine can run', async () => {
  await expect(startEngine(':memory:', [() => undefined])).rejects.toThrow(/Java 17/);
});

test('says what is wrong when another engine does not answer', async () => {
  const refused = spawnStart({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toContain('http://127.0.0.1:9');
});

test.each([
  ['a web page', 200, '<html>\nHello</html>'],
  ['text', 404, 'Not found'],
  ['an object', 200, '{}'],
  ['nothing', 200, ''],
  ['null', 200, 'null'],
])('says in one line that what answers with %s is not DynamoDB', async (_, status, body) => {
  const server = createHttpServer((__, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const refused = spawnStart({ PORT: '0', DYNAMODB_ENDPOINT: endpoint });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toBe(`What answers at ${endpoint} is not DynamoDB. Correct DYNAMODB_ENDPOINT.\n`);
  server.close();
});
