import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectComplete } from '../support/complete.ts';
import { run as runCommand } from './run.ts';

/** Every script that runs a program of this project. The others run jest or Biome, which have a help of their own. */

const root = join(__dirname, '../..');

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

const own = Object.entries(scripts).flatMap(([name, line]) => {
  const [program, ...args] = line.split(' ');
  return program === 'node' ? [{ name, args }] : [];
});

const commandOf = (name: string): string =>
  ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`;

/** The command in `bin` of a script, with its own arguments; `undefined` for a program elsewhere. */
const commandIn = (args: readonly string[]): [string, ...string[]] | undefined => {
  const place = args.findIndex((arg) => arg.startsWith('bin/') && arg.endsWith('.ts'));
  return place < 0 ? undefined : [(args[place] ?? '').slice(4, -3), ...args.slice(place + 1)];
};

function run(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

test('benchmarks are run by the program that prints their help', () => {
  const direct = Object.values(scripts).filter((line) => /benchmarks\/(?!run\.ts)[\w-]+\.ts/.test(line));
  expect(direct).toEqual([]);
});

test.each(own.filter(({ args }) => !/benchmarks\/(?!run\.ts)/.test(args.join(' '))))(
  '$name prints its help, and refuses a wrong flag',
  async ({ name, args }) => {
    const help = run([...args, '--help']);
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain(commandOf(name));
    expect(help.stdout).toContain('--help');

    const command = commandIn(args);
    if (!command) return;
    const [program, ...own] = command;
    expect(await runCommand(program, [...own, '--hepl'])).toEqual({
      code: 2,
      output: '',
      errors: `There is no option --hepl. Did you mean "--help"?\nSee "${commandOf(name)} -- --help".\n`,
    });
  },
);

test('every other script is one command, so that --help asks it only', () => {
  const compound = Object.entries(scripts).filter(([, line]) => /[&|;]/.test(line));
  expect(compound).toEqual([]);
});

test('CONTRIBUTING explains every script', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const explained = Object.keys(scripts).filter(
    (name) => text.includes(`\`${commandOf(name)}\``) || text.includes(`\`${commandOf(name)} `),
  );
  expectComplete(explained, Object.keys(scripts), {
    missing: 'Add it to the table of commands in CONTRIBUTING.md.',
  });
});
