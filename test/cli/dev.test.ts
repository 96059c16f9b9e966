import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from './run.ts';

const root = join(__dirname, '../..');

/** A handler: as if its editor had saved it without a change. */
const handler = join(root, 'functions/health/check-health.ts');

function save(): void {
  const now = new Date();
  utimesSync(handler, now, now);
}

const begun: ChildProcess[] = [];

// Only what a test that failed has left.
afterEach(() => {
  for (const child of begun.splice(0)) child.kill('SIGKILL');
});

async function startDevelopment(more: Record<string, string> = {}) {
  const [file, values] = commandLine('dev');
  const child = spawn(file, values, {
    cwd: root,
    env: { ...process.env, PORT: '0', DATABASE_FILE: ':memory:', DYNAMODB_ENDPOINT: '', ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  begun.push(child);
  const exit = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  /** Waits for a line, and gives what the pattern captures. */
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(output);
      if (found) return found[1] ?? '';
      if (child.exitCode !== null) throw new Error(`It ended, and said: ${output}`);
      await delay(5);
    }
  };
  const url = await said(/listens on (http:\S+)/);
  await said(/Stop: Ctrl-C/);
  return { child, exit, said, url };
}

/** The processes that a process has begun, and those that these have begun. */
function descendants(parent: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        return [{ id: Number(name), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) }];
      } catch {
        // It ended in the meantime.
        return [];
      }
    });
  const below = (id: number): number[] =>
    parents.filter((one) => one.parent === id).flatMap((one) => [one.id, ...below(one.id)]);
  return below(parent);
}

function runs(id: number): boolean {
  try {
    // What has ended but was not waited for yet is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a save starts the service anew at the same address, and the data stays', async () => {
  const { child, exit, said, url } = await startDevelopment();
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/v1/tags`, { method: 'POST', headers, body: '{"name":"kept"}' });
  const before = descendants(child.pid ?? 0);

  save();
  await said(/^Saved .* the API listens again after \d+ ms\.$/m);
  const listed = (await (await fetch(`${url}/v1/tags`)).json()) as { data: unknown };
  expect(listed.data).toEqual([expect.objectContaining({ name: 'kept' })]);
  const after = descendants(child.pid ?? 0);
  expect(before.filter((id) => !after.includes(id))).not.toEqual([]);

  child.kill('SIGINT');
  await exit;
  expect(child.exitCode).toBe(0);
  expect([...before, ...after].filter(runs)).toEqual([]);
});

test('takes a host and origins, as npm start does', async () => {
  const { child, exit, url } = await startDevelopment({
    HOST: '127.0.0.2',
    CORS_ORIGIN: 'https://a.example',
  });
  expect(new URL(url).hostname).toBe('127.0.0.2');
  const allowed = await Promise.all(
    ['https://a.example', 'http://localhost:5173', 'https://b.example'].map(async (origin) => {
      const { headers } = await fetch(`${url}/v1/health`, { headers: { origin } });
      return headers.get('access-control-allow-origin');
    }),
  );
  expect(allowed).toEqual(['https://a.example', 'http://localhost:5173', null]);
  child.kill('SIGINT');
  await exit;
});

test('leaves no process behind when it is killed', async () => {
  const { child, exit } = await startDevelopment();
  const others = descendants(child.pid ?? 0);
  expect(others.length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await exit;
  while (others.some(runs)) await delay(10);
});
