import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarks } from '../../benchmarks/catalogue.ts';
import { expectComplete } from '../support/complete.ts';
import { runProgram } from './run.ts';

const root = join(__dirname, '../..');
const names = Object.keys(benchmarks);

/** Returns the comment at the start of a benchmark's file. */
const commentOf = (name: string): string =>
  readFileSync(join(root, `benchmarks/${name}.ts`), 'utf8').split('*/', 1)[0] ?? '';

test('the catalogue names each file that is a benchmark', () => {
  const files = readdirSync(join(root, 'benchmarks'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name }) => name.replace('.ts', ''));
  const documented = files.filter((name) => commentOf(name).includes(`\`npm run bench -- ${name}\``));
  expectComplete(names, documented, {
    missing: 'Add it to benchmarks/catalogue.ts.',
    unneeded: 'Name its command in the comment at the start of its file.',
  });
});

test('the smallest form prints figures and writes no file', async () => {
  const file = join(root, 'benchmarks/results/starts.md');
  const before = readFileSync(file, 'utf8');
  const { code, output } = await runProgram('bench', ['starts', '--smallest']);
  expect(code).toBe(0);
  expect(output).toMatch(/^\| .* \| [\d.]+ \|/m);
  expect(readFileSync(file, 'utf8')).toBe(before);
});
