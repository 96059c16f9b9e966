import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Engine, existingEngine, startEngine } from '#lib/local/dynamodb-engine.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './run.ts';
import { killLeftovers, start } from './started-service.ts';

/** Tests the messages of `npm start` for database files that it cannot use. */

const folder = temporaryFolder();
afterEach(killLeftovers);

const place = (...parts: string[]): string => join(folder, ...parts);

writeFileSync(place('file'), 'not a folder');
writeFileSync(
  place('text.sqlite'),
  'This is text, and not a database: longer than a header of SQLite.'.repeat(99),
);
writeFileSync(place('damaged.sqlite'), `SQLite format 3\0${'?'.repeat(8_192)}`);
mkdirSync(place('folder.sqlite'));
symlinkSync(place('nowhere'), place('dangling'));
symlinkSync(place('loop'), place('loop'));
execFileSync('mkfifo', [place('pipe.sqlite')]);

/** Expects that `npm start` refuses a file in one clear line. Returns the line. */
async function expectRefusal(databaseFile: string, named = databaseFile): Promise<string> {
  const { code, output, errors } = await run('start', [], {
    PORT: '0',
    DATABASE_FILE: databaseFile,
    DYNAMODB_ENDPOINT: '',
  });
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(/^[A-Z][^\n]+\.\n$/);
  expect(errors).toContain(`"${named}"`);
  expect(errors).toContain('DATABASE_FILE');
  expect(errors).not.toMatch(/\bsh:|\bat |encryption|Internal error|Error:|sqlite3?_|Database::/);
  return errors;
}

test.each([
  ['a folder above is a file', place('file', 'a', 'b', 'database.sqlite'), place('file', 'a', 'b')],
  ['a folder is a link to nothing', place('dangling', 'database.sqlite'), place('dangling')],
  ['a folder cannot be created', '/proc/x/y/z/database.sqlite', '/proc/x/y/z'],
  ['a file cannot be created', '/sys/database.sqlite', '/sys'],
  ['the file is a folder', place('folder.sqlite')],
  ['the file is a device', '/dev/null'],
  ['the file is a pipe', place('pipe.sqlite')],
  ['the file is a link to itself', place('loop')],
  ['the file is text', place('text.sqlite')],
  ['the file is damaged', place('damaged.sqlite')],
  ['the name is too long', place('x'.repeat(300))],
])('prints one line when %s', async (_, databaseFile, named = databaseFile) => {
  await expectRefusal(databaseFile, named);
  expect(readFileSync(place('text.sqlite'), 'utf8')).toMatch(/^This is text/);
});

const locksOf = (databaseFile: string): string[] =>
  readdirSync(dirname(databaseFile)).filter((name) => name.startsWith(`${basename(databaseFile)}.lock`));

/** Starts an engine on a file that nothing uses any more, and stops it. */
async function expectFree(databaseFile: string): Promise<void> {
  const engine = await startEngine(databaseFile);
  await engine.stop();
  expect(locksOf(databaseFile)).toEqual([]);
}

describe('a second service on the same file', () => {
  test('is rejected, also by a link, and the first one continues; an empty file is a new database', async () => {
    const databaseFile = place('second.sqlite');
    writeFileSync(databaseFile, '');
    symlinkSync(databaseFile, place('link.sqlite'));
    const first = await start({ DATABASE_FILE: databaseFile });
    expect(await expectRefusal(databaseFile)).toContain(`process ${first.process.pid}`);
    await expectRefusal(place('link.sqlite'), databaseFile);
    expect((await fetch(`${first.url}/v1/tags`)).status).toBe(200);
    await first.stop();
    expect(locksOf(databaseFile)).toEqual([]);
  });

  test('is rejected in the same process until the first one has stopped', async () => {
    const databaseFile = place('same-process.sqlite');
    const first = await startEngine(databaseFile);
    await expect(startEngine(databaseFile)).rejects.toThrow(databaseFile);
    await existingEngine(first.endpoint);
    await first.stop();
    await expectFree(databaseFile);
  });

  test('starts after the first one was killed, also when another process reuses its id', async () => {
    const databaseFile = place('killed.sqlite');
    const first = await start({ DATABASE_FILE: databaseFile });
    first.process.kill('SIGKILL');
    await first.ended();
    const [lock = '', ...others] = locksOf(databaseFile);
    expect(others).toEqual([]);
    await expectFree(databaseFile);
    // The id of this running process with another start time.
    writeFileSync(place(lock.replace(/lock-\d+/, `lock-${process.pid}`)), '');
    await expectFree(databaseFile);
  });

  test('exactly one of several simultaneous starts gets the file', async () => {
    const databaseFile = place('moment.sqlite');
    const engines = await Promise.allSettled(Array.from({ length: 4 }, () => startEngine(databaseFile)));
    const started = engines.flatMap((one): Engine[] => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(started.map((engine) => engine.stop()));
    expect(started).toHaveLength(1);
    expect(locksOf(databaseFile)).toEqual([]);
  });
});

test('an engine that ends during its start causes one error line', async () => {
  const program = () => ({
    name: 'broken',
    dataFile: (file: string) => file,
    command: () => [process.execPath, '-e', 'process.stderr.write("out of luck\\n"); process.exitCode = 3'],
  });
  await expect(startEngine(place('broken.sqlite'), [program])).rejects.toThrow(
    /^The database engine stopped during its start: out of luck$/,
  );
  expect(locksOf(place('broken.sqlite'))).toEqual([]);
});
