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
  for (const name of ['bin', 'functions', 'lib', 'openapi.json', 'package.json', 'tsconfig.json']) {
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

test('npm run dev passes flags on and serves a changed file', async () => {
  const started = spawnGroup('npm', ['run', 'dev', '--', '--port', '0', '--database-file', ':memory:'], {
    cwd: copy,
  });
  expect(await reportedStatus(await untilItListens(started))).toBe('ok');
  const source = readFileSync(handlerFile, 'utf8');
  // The watcher may not be ready when the service listens: the file is saved again until the change is served.
  for (let attempt = 1, waitMs = 1_000; ; attempt += 1, waitMs *= 2) {
    const already = started.output().length;
    writeFileSync(handlerFile, `${source.replace("'ok'", "'changed'")}// Saved ${attempt} times.\n`);
    const end = Date.now() + waitMs;
    let status: string | undefined;
    while (status !== 'changed' && Date.now() < end) {
      const [url] = /http:\/\/localhost:\d+/.exec(started.output().slice(already)) ?? [];
      if (url) status = await reportedStatus(url);
      await delay(20);
    }
    if (status === 'changed') break;
  }
  process.kill(-(started.process.pid ?? 0), 'SIGINT');
  await started.ended();
});
