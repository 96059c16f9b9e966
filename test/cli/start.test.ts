import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngine } from '#lib/local/dynamodb-engine.ts';
import { startResponder, startServer } from '../support/http-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './run.ts';
import { killLeftovers, spawnGroup, start, untilItListens } from './started-service.ts';

const headers = { 'content-type': 'application/json' };

const folder = temporaryFolder();
afterEach(killLeftovers);

/** Returns the ids of the processes with a word in their command line, engines included. */
const processesNamed = (word: string): string[] =>
  readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });

/** Sends a request to another loopback address of this machine. */
const sendElsewhere = (url: string) => fetch(url.replace('localhost', '127.0.0.2'));

test('prints a request that works when pasted, Ctrl-C stops the engine too, and the next start has the data', async () => {
  const databaseFile = join(folder, 'said', 'database.sqlite');
  const first = await start({ DATABASE_FILE: databaseFile });
  const request = /^Try: {2}(curl .*)$/m.exec(first.output())?.[1] ?? '';
  expect(first.output()).toContain(`Data: ${databaseFile}`);
  expect(first.output()).toMatch(/^Table: project-management at http:\/\/127\.\d+\.\d+\.\d+:\d+$/m);
  expect(JSON.parse(execSync(request, { encoding: 'utf8' }))).toMatchObject({ name: 'Acme' });
  await first.printed(/^POST +201 +\d+ ms +[\d.]+ read +[\d.]+ write {2}\/v1\/organizations$/m);
  await expect(sendElsewhere(first.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  expect(processesNamed(databaseFile)).not.toEqual([]);
  // A terminal sends the signal to the whole process group.
  process.kill(-(first.process.pid ?? 0), 'SIGINT');
  expect(await first.ended()).toBe(0);
  expect(processesNamed(databaseFile)).toEqual([]);

  const second = await start({ DATABASE_FILE: databaseFile, HOST: '0.0.0.0', REQUEST_LOG: 'json' }, [
    '--allow-origin',
    'https://a.example',
    '--allow-origin',
    'https://b.example',
  ]);
  const origins = ['https://a.example', 'https://b.example', 'http://localhost:5173', 'https://c.example'];
  const listed = await Promise.all(
    origins.map((origin) => fetch(`${second.url}/v1/organizations?limit=1`, { headers: { origin } })),
  );
  expect(listed.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([
    ...origins.slice(0, 3),
    null,
  ]);
  expect(await listed[0]?.json()).toMatchObject({ total: 1, data: [{ name: 'Acme' }] });
  const line = await second.printed(/^\{.*\}$/m);
  expect(JSON.parse(line)).toMatchObject({
    method: 'GET',
    path: '/v1/organizations',
    query: 'limit=1',
    status: 200,
  });
  await sendElsewhere(second.url);
  second.process.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

test('ends in order when npm alone is asked to end', async () => {
  const databaseFile = join(folder, 'npm.sqlite');
  const npm = spawnGroup('npm', ['start', '--', '--port', '0', '--database-file', databaseFile]);
  await untilItListens(npm);
  npm.process.kill('SIGTERM');
  // The output of npm closes when the service has ended.
  await npm.ended();
  expect(npm.output()).toMatch(/^Stopped\.$/m);
  expect(processesNamed(databaseFile)).toEqual([]);
});

test('ends with an error when its engine ends', async () => {
  const databaseFile = join(folder, 'gone.sqlite');
  const service = await start({ DATABASE_FILE: databaseFile, REQUEST_LOG: 'off' });
  await fetch(`${service.url}/v1/tasks`);
  for (const id of processesNamed(databaseFile)) process.kill(Number(id), 'SIGKILL');
  expect(await service.ended()).toBe(1);
  expect(service.output()).toContain('The database engine ended unexpectedly.');
  expect(service.output()).not.toContain('/v1/tasks');
});

test('prints that a port is in use, and leaves no process behind', async () => {
  const { port, stop } = await startServer();
  const databaseFile = join(folder, 'taken.sqlite');
  const refused = await run('start', [], { PORT: String(port), DATABASE_FILE: databaseFile });
  expect(refused).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`--port ${port + 1}`),
  });
  expect(processesNamed(databaseFile)).toEqual([]);
  await stop();
});

test('prints what to install when no engine can run', async () => {
  await expect(startEngine(':memory:', [() => undefined])).rejects.toThrow(/Java 17/);
});

test.each(['<html>\nHello</html>', 'null'])('prints one line when a server sends %j', async (body) => {
  const { url: endpoint, stop } = await startResponder(() => ({ body }));
  expect(await run('start', [], { PORT: '0', DYNAMODB_ENDPOINT: endpoint })).toEqual({
    code: 1,
    output: '',
    errors: `The server at ${endpoint} is not DynamoDB. Correct DYNAMODB_ENDPOINT.\n`,
  });
  await stop();
});

test('--fail answers the same requests with an error at each start, and --delay waits', async () => {
  const statuses = async (): Promise<number[]> => {
    const service = await start({ DATABASE_FILE: ':memory:' }, [
      '--fail',
      '50%:504',
      '--fail-seed',
      '7',
      '--delay',
      '5',
    ]);
    const found: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      const body = JSON.stringify({ name: 'A' });
      found.push((await fetch(`${service.url}/v1/tags`, { method: 'POST', body, headers })).status);
    }
    expect((await fetch(`${service.url}/v1/health`)).status).toBe(200);
    // A response with the status 504 is lost: the request was carried out.
    let total: number | undefined;
    while (total === undefined)
      ({ total } = (await (await fetch(`${service.url}/v1/tags`)).json()) as { total?: number });
    expect(total).toBe(20);
    await service.stop();
    return found;
  };
  const first = await statuses();
  expect(new Set(first)).toEqual(new Set([201, 504]));
  expect(await statuses()).toEqual(first);
});
