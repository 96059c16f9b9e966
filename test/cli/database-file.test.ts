import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { existingEngine, startEngine } from '#lib/local/dynamodb-engine.ts';
import type { Address } from '#lib/local/port.ts';
import { killLeftovers, spawnStart, start, untilItListens } from './started-service.ts';

/** Tests the messages of `npm start` for database files that it cannot use. */

const folder = mkdtempSync(join(tmpdir(), 'database-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

const place = (...parts: string[]): string => join(folder, ...parts);

writeFileSync(place('file'), 'not a folder');
writeFileSync(
  place('text.sqlite'),
  'This is text, and not a database: longer than a header of SQLite.'.repeat(99),
);
writeFileSync(place('header.sqlite'), 'SQLite format 3\0');
writeFileSync(place('damaged.sqlite'), `SQLite format 3\0${'?'.repeat(8_192)}`);
mkdirSync(place('folder.sqlite'));
symlinkSync(place('nowhere'), place('dangling'));
symlinkSync(place('loop'), place('loop'));
execFileSync('mkfifo', [place('pipe.sqlite')]);

/** Runs `npm start` on a file that it refuses. Returns the output. */
async function refusal(databaseFile: string): Promise<string> {
  const refused = spawnStart({ PORT: '0', DATABASE_FILE: databaseFile });
  expect(await refused.ended()).toBe(1);
  return refused.output();
}

function expectClear(output: string, named: string): void {
  expect(output).toMatch(/^[A-Z][^\n]+\.\n$/);
  expect(output).toContain(`"${named}"`);
  expect(output).toContain('DATABASE_FILE');
  expect(output).not.toMatch(/\bsh:|\bat |encryption|Internal error|Error:|sqlite3?_|Database::/);
}

test.each([
  ['a folder is a file', place('file', 'database.sqlite'), place('file')],
  ['a folder above is a file', place('file', 'a', 'b', 'database.sqlite'), place('file', 'a', 'b')],
  ['a folder is a link to nothing', place('dangling', 'database.sqlite'), place('dangling')],
  ['a folder is a link to itself', place('loop', 'database.sqlite'), place('loop')],
  ['a folder cannot be created in /proc', '/proc/x/database.sqlite', '/proc/x'],
  ['folders cannot be created in /proc', '/proc/x/y/z/database.sqlite', '/proc/x/y/z'],
  ['a folder cannot be created in /sys', '/sys/x/database.sqlite', '/sys/x'],
  ['a folder is a device', '/dev/null/database.sqlite', '/dev/null'],
  ['a file cannot be created in /proc', '/proc/database.sqlite', '/proc'],
  ['a file cannot be created in /sys', '/sys/database.sqlite', '/sys'],
  ['the file is a folder', place('folder.sqlite'), place('folder.sqlite')],
  ['the file is a device', '/dev/null', '/dev/null'],
  ['the file is a pipe', place('pipe.sqlite'), place('pipe.sqlite')],
  ['the file is a link to itself', place('loop'), place('loop')],
  ['the file is text', place('text.sqlite'), place('text.sqlite')],
  ['the file ends after its header', place('header.sqlite'), place('header.sqlite')],
  ['the file is damaged', place('damaged.sqlite'), place('damaged.sqlite')],
  ['the name is too long', place('x'.repeat(300)), place('x'.repeat(300))],
])('prints one line when %s', async (_, databaseFile, named) => {
  expectClear(await refusal(databaseFile), named);
});

test('uses an empty file as a new database', async () => {
  writeFileSync(place('empty.sqlite'), '');
  const service = await start({ DATABASE_FILE: place('empty.sqlite') });
  expect((await fetch(`${service.url}/v1/tags`)).status).toBe(200);
  service.process.kill('SIGINT');
  expect(await service.ended()).toBe(0);
});

const locksOf = (databaseFile: string): string[] =>
  readdirSync(dirname(databaseFile)).filter((name) => name.startsWith(`${basename(databaseFile)}.lock`));

describe('a second service on the same file', () => {
  test('is rejected, and the first one continues', async () => {
    const databaseFile = place('second.sqlite');
    const first = spawnStart({ PORT: '0', DATABASE_FILE: databaseFile });
    const url = await untilItListens(first);
    const output = await refusal(databaseFile);
    expectClear(output, databaseFile);
    expect(output).toContain(`process ${first.process.pid}`);
    expect((await fetch(`${url}/v1/tags`)).status).toBe(200);
    first.process.kill('SIGINT');
    expect(await first.ended()).toBe(0);
    expect(locksOf(databaseFile)).toEqual([]);
  });

  test('is rejected when it uses a symbolic link', async () => {
    const databaseFile = place('linked.sqlite');
    const first = await start({ DATABASE_FILE: databaseFile });
    symlinkSync(databaseFile, place('link.sqlite'));
    expectClear(await refusal(place('link.sqlite')), databaseFile);
    first.process.kill('SIGINT');
    expect(await first.ended()).toBe(0);
  });

  test('is rejected in the same process until the first one has stopped', async () => {
    const databaseFile = place('same-process.sqlite');
    const first = await startEngine(databaseFile);
    await expect(startEngine(databaseFile)).rejects.toThrow(databaseFile);
    await existingEngine(first.endpoint);
    await first.stop();
    const second = await startEngine(databaseFile);
    await second.stop();
    expect(locksOf(databaseFile)).toEqual([]);
  });

  test('is rejected with any engine', async () => {
    const databaseFile = place('engine.sqlite');
    const listen =
      "require('http').createServer((_, response) => response.end()).listen(process.argv[1], process.argv[2])";
    const program = () => ({
      name: 'another engine',
      dataFile: (file: string) => join(`${file}.data`, 'data.db'),
      command: ({ host, port }: Address) => [process.execPath, '-e', listen, String(port), host],
    });
    const first = await startEngine(databaseFile, [program]);
    await expect(startEngine(databaseFile, [program])).rejects.toThrow(databaseFile);
    await first.stop();
    await (await startEngine(databaseFile, [program])).stop();
  });

  test('starts after the first one was killed', async () => {
    const databaseFile = place('killed.sqlite');
    const first = await start({ DATABASE_FILE: databaseFile });
    first.process.kill('SIGKILL');
    await first.ended();
    expect(locksOf(databaseFile)).toHaveLength(1);
    const second = await start({ DATABASE_FILE: databaseFile });
    expect(locksOf(databaseFile)).toHaveLength(1);
    second.process.kill('SIGINT');
    expect(await second.ended()).toBe(0);
    expect(locksOf(databaseFile)).toEqual([]);
  });

  test('starts when another process reuses the id of the first one, which was killed', async () => {
    const databaseFile = place('reused.sqlite');
    const first = await start({ DATABASE_FILE: databaseFile });
    const [lock = ''] = locksOf(databaseFile);
    first.process.kill('SIGINT');
    expect(await first.ended()).toBe(0);
    // The id of this running process with another start time.
    writeFileSync(place(lock.replace(/lock-\d+/, `lock-${process.pid}`)), '');
    const second = await start({ DATABASE_FILE: databaseFile });
    expect(locksOf(databaseFile)).toHaveLength(1);
    second.process.kill('SIGINT');
    expect(await second.ended()).toBe(0);
  });

  test('exactly one of several simultaneous starts gets the file', async () => {
    const databaseFile = place('moment.sqlite');
    const engines = await Promise.allSettled(Array.from({ length: 4 }, () => startEngine(databaseFile)));
    const started = engines.flatMap((engine) => (engine.status === 'fulfilled' ? [engine.value] : []));
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

test('does not change a database of another program', () => {
  expect(readFileSync(place('text.sqlite'), 'utf8')).toMatch(/^This is text/);
});
