import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarks } from '../../../benchmarks/catalogue.ts';

const folder = join(__dirname, '../../../docs/performance');
const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));

test('finds the pages of the benchmarks', () => {
  expect(pages).toContain('lists.md');
});

test.each(pages)('%s names the command, the commit and the day of its figures in its first line', (page) => {
  const text = readFileSync(join(folder, page), 'utf8');
  const [, name] =
    /^Written by `npm run bench -- ([\w-]+)[^`]*` at commit `[0-9a-f]{7,}` on \d{4}-\d\d-\d\d\./.exec(text) ??
    [];
  expect(Object.keys(benchmarks)).toContain(name);
});
