import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '#client/index.ts';
import { startService } from '#lib/local/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './run.ts';
import { killLeftovers, start } from './started-service.ts';

/** Tests `npm start -- --copy-of <file>`, which starts each time from the same data. */

const folder = temporaryFolder();
const fixtures = join(folder, 'fixtures.sqlite');
const link = join(folder, 'link.sqlite');
const temporary = join(folder, 'temporary');
mkdirSync(temporary);
afterEach(killLeftovers);

const copies = (): string[] =>
  readdirSync(temporary).filter((name) => name.startsWith('project-management-'));

test('each start has the data of the file, and changes neither it nor the next start', async () => {
  const original = await startService({ port: 0, databaseFile: fixtures });
  await createClient({ url: original.url }).tags.create({ name: 'fixture' });
  symlinkSync(fixtures, link);
  for (const path of [fixtures, link]) {
    expect(await run('start', ['--copy-of', path], { PORT: '0' })).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`The database file "${fixtures}" is in use by process ${process.pid}.`),
    });
  }
  await original.stop();
  for (const [name, path] of Object.entries({ first: fixtures, second: link, third: fixtures })) {
    const copy = await start({ TMPDIR: temporary }, ['--copy-of', path]);
    const { tags } = createClient({ url: copy.url });
    expect((await tags.list()).data.map((tag) => tag.name)).toEqual(['fixture']);
    await tags.create({ name });
    expect(copies()).toHaveLength(1);
    await copy.stop();
  }
  expect(copies()).toEqual([]);
});
