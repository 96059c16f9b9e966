import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killLeftovers, spawnGroup, untilItListens } from './started-service.ts';

const root = join(__dirname, '../..');

/** A copy of the project: the test changes a source file, and other tests read the original at the same time. */
const copy = mkdtempSync(join(tmpdir(), 'dev-'));

const handlerFile = join(copy, 'functions/health/check-health.ts');

beforeAll(() => {
  for (const name of [
    'bin',
    'client',
    'docs',
    'functions',
    'lib',
    'openapi.json',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

afterEach(killLeftovers);
afterAll(() => rmSync(copy, { recursive: true }));

/** Returns the health status that the service reports, or undefined while it restarts. */
async function reportedStatus(url: string): Promise<string | undefined> {
  try {
    const body = (await (await fetch(`${url}/v1/health`)).json()) as { status?: string };
    return body.status;
  } catch {
    return undefined;
  }
}

/** Saves a file until a condition holds. The watcher may not be ready when the service listens, so once is not enough. */
async function saveUntil(content: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let attempt = 1, waitMs = 1_000; ; attempt += 1, waitMs *= 2) {
    writeFileSync(handlerFile, `${content}// Saved ${attempt} times.\n`);
    const end = Date.now() + waitMs;
    while (Date.now() < end) {
      if (await holds()) return;
      await delay(20);
    }
  }
}

test('npm run dev passes flags on, names a file that does not compile, and serves a changed file', async () => {
  const started = spawnGroup('npm', ['run', 'dev', '--', '--port', '0', '--database-file', ':memory:'], {
    cwd: copy,
  });
  expect(await reportedStatus(await untilItListens(started))).toBe('ok');
  const source = readFileSync(handlerFile, 'utf8');

  const line = /^functions\/health\/check-health\.ts:\d+:\d+ does not compile: .+$/m;
  await saveUntil(`${source}const = 1;\n`, () => line.test(started.output()));
  expect(started.output()).not.toMatch(/^ {4}at /m);

  const already = started.output().length;
  await saveUntil(source.replace("'ok'", "'changed'"), async () => {
    const [url] = /http:\/\/localhost:\d+/.exec(started.output().slice(already)) ?? [];
    return url !== undefined && (await reportedStatus(url)) === 'changed';
  });
  process.kill(-(started.process.pid ?? 0), 'SIGINT');
  await started.ended();
});
