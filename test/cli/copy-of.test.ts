import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLeftovers, spawnStart, start } from './started-service.ts';

/** Tests `npm start -- --copy-of <file>`, which starts each time from the same data. */

const folder = mkdtempSync(join(tmpdir(), 'copy-of-'));
const fixtures = join(folder, 'fixtures.sqlite');
const temporary = join(folder, 'temporary');
mkdirSync(temporary);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

const copies = (): string[] =>
  readdirSync(temporary).filter((name) => name.startsWith('project-management-'));

const names = async (url: string): Promise<string[]> => {
  const response = await fetch(`${url}/v1/tags?sortBy=name&sortOrder=asc`);
  return ((await response.json()) as { data: { name: string }[] }).data.map(({ name }) => name);
};

const create = (url: string, name: string) =>
  fetch(`${url}/v1/tags`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });

async function stop(service: Awaited<ReturnType<typeof start>>): Promise<void> {
  service.process.kill('SIGTERM');
  expect(await service.ended()).toBe(0);
}

test('each start has the data of the file, and changes neither it nor the next start', async () => {
  const original = await start({ DATABASE_FILE: fixtures });
  await create(original.url, 'fixture');
  const inUse = spawnStart({ PORT: '0' }, ['--copy-of', fixtures]);
  expect(await inUse.ended()).toBe(1);
  expect(inUse.output()).toBe(`A service uses the data file "${fixtures}". Stop it first.\n`);
  await stop(original);
  for (const name of ['first', 'second']) {
    const copy = await start({ TMPDIR: temporary }, ['--copy-of', fixtures]);
    expect(await names(copy.url)).toEqual(['fixture']);
    await create(copy.url, name);
    expect(copies()).toHaveLength(1);
    expect((await names(copy.url)).sort()).toEqual(['fixture', name].sort());
    await stop(copy);
  }
  expect(copies()).toEqual([]);
});

test.each([
  [['--copy-of', join(folder, 'none.sqlite')], 1, `There is no data file "${join(folder, 'none.sqlite')}".`],
  [['--copy-of', fixtures, '--database-file', 'x'], 2, '--copy-of and --database-file each name the data.'],
])('%j is refused in one line', async (flags, code, message) => {
  const refused = spawnStart({ PORT: '0' }, flags);
  expect(await refused.ended()).toBe(code);
  expect(refused.output()).toContain(message);
});
