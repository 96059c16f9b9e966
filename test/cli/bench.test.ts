import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarks } from '../../benchmarks/catalogue.ts';
import { expectComplete } from '../support/complete.ts';

const root = join(__dirname, '../..');
const names = Object.keys(benchmarks);

function bench(...args: readonly string[]) {
  return spawnSync(process.execPath, ['bin/pm-api.mjs', 'bench', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

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

test('lists the benchmarks without a name', () => {
  const { status, stdout, stderr } = bench();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const [name, summary] of Object.entries(benchmarks))
    expect(
      stdout.split('\n').filter((line) => line.includes(` ${name} `) && line.endsWith(summary)),
    ).toHaveLength(1);
});

test('refuses a benchmark that does not exist', () => {
  const stderr = expect.stringContaining("'list' is invalid for argument 'name'. Allowed choices are lists,");
  expect(bench('list')).toMatchObject({ status: 2, stdout: '', stderr });
});

test('the smallest form prints figures and writes no file', () => {
  const file = join(root, 'benchmarks/results/starts.md');
  const before = readFileSync(file, 'utf8');
  const { status, stdout } = bench('starts', '--smallest');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\| .* \| [\d.]+ \|/m);
  expect(readFileSync(file, 'utf8')).toBe(before);
});
