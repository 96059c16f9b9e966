import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { watchFiles } from '../../../../lib/development/watch-files.ts';

let folder: string;
let unwatch: () => void;
let saves: string[][];

/** Longer than the time in which several saves count as one. */
const settled = (): Promise<void> => delay(200);

const path = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  mkdirSync(path('inner'));
  writeFileSync(path('inner/a.ts'), '1');
  saves = [];
  unwatch = watchFiles([folder], (files) => saves.push([...files].sort()));
});

afterEach(() => {
  unwatch();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['is written', () => writeFileSync(path('inner/a.ts'), '2')],
  ['is touched', () => utimesSync(path('inner/a.ts'), new Date(), new Date())],
  ['is removed', () => rmSync(path('inner/a.ts'))],
])('tells of a file that %s', async (_, save) => {
  save();
  await settled();
  expect(saves).toEqual([[path('inner/a.ts')]]);
});

test('tells of a file that is saved by renaming, more than once', async () => {
  for (let time = 0; time < 3; time += 1) {
    writeFileSync(path('inner/a.ts~'), String(time));
    renameSync(path('inner/a.ts~'), path('inner/a.ts'));
    await settled();
  }
  expect(saves).toEqual([[path('inner/a.ts')], [path('inner/a.ts')], [path('inner/a.ts')]]);
});

test('tells once of files that are saved together', async () => {
  writeFileSync(path('inner/a.ts'), '2');
  writeFileSync(path('b.json'), '{}');
  await settled();
  expect(saves).toEqual([[path('b.json'), path('inner/a.ts')]]);
});

test('tells of files in a folder that was made later, also when one was removed', async () => {
  rmSync(path('inner'), { recursive: true });
  mkdirSync(path('later'));
  await settled();
  saves = [];
  writeFileSync(path('later/c.ts'), '');
  await settled();
  expect(saves).toEqual([[path('later/c.ts')]]);
});

test('does not tell of other files, nor when it is ended', async () => {
  writeFileSync(path('inner/a.ts~'), '');
  writeFileSync(path('inner/.a.swp'), '');
  await settled();
  unwatch();
  writeFileSync(path('inner/a.ts'), '3');
  await settled();
  expect(saves).toEqual([]);
});
