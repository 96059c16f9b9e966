import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { killLeftovers, spawnGroup, untilItListens } from './started-service.ts';

const root = join(__dirname, '../..');

/** A copy of the project: the test changes a source file, and other tests read the original at the same time. */
const copy = temporaryFolder();

const handlerFile = join(copy, 'functions/health/check-health.ts');

beforeAll(() => {
  for (const name of 'bin client docs functions lib openapi.json package.json tsconfig.json'.split(' '))
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

afterEach(killLeftovers);

/** Returns the health status that the service reports. */
const reportedStatus = async (url: string): Promise<unknown> =>
  ((await (await fetch(`${url}/v1/health`)).json()) as { status?: string }).status;

/** Saves a file until something is printed. The watcher may not be ready when the service listens, so once is not enough. */
async function saveUntil(content: string, printed: () => string | undefined): Promise<string> {
  let checks = 0;
  await until(() => {
    if (checks % 500 === 0) writeFileSync(handlerFile, `${content}// Saved ${checks / 500} times.\n`);
    checks += 1;
    return printed() !== undefined;
  });
  return printed() ?? '';
}

test('npm run dev passes flags on, names a file that does not compile, and serves a changed file', async () => {
  const flags = ['--port', '0', '--database-file', ':memory:'];
  const started = spawnGroup('npm', ['run', 'dev', '--', ...flags], { cwd: copy });
  expect(await reportedStatus(await untilItListens(started))).toBe('ok');
  const source = readFileSync(handlerFile, 'utf8');

  const line = /^functions\/health\/check-health\.ts:\d+:\d+ does not compile: .+$/m;
  await saveUntil(`${source}const = 1;\n`, () => line.exec(started.output())?.[0]);
  expect(started.output()).not.toMatch(/^ {4}at /m);

  const already = started.output().length;
  const url = await saveUntil(
    source.replace("'ok'", "'changed'"),
    () => /http:\/\/localhost:\d+/.exec(started.output().slice(already))?.[0],
  );
  expect(await reportedStatus(url)).toBe('changed');
  process.kill(-(started.process.pid ?? 0), 'SIGINT');
  await started.ended();
});
