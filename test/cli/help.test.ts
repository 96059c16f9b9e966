import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '#bin/program.ts';
import { run } from './run.ts';

const root = join(__dirname, '../..');
const names = Object.keys(commands);

const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  engines: { node: string };
};

test.each(names)('%s prints its help, and refuses a wrong flag', async (name) => {
  const help = await run(name, ['--help']);
  expect(help).toMatchObject({ code: 0, errors: '' });
  expect(help.output).toContain(`Usage: npx pm-api ${name} `);
  // Commander looks for required options first.
  const errors = expect.stringMatching(/^error: (?:required option|.*--hepl)/);
  expect(await run(name, ['--hepl'])).toMatchObject({ code: 2, output: '', errors });
});

test('npx finds the program without a network, and prints its commands', () => {
  const { status, stdout } = spawnSync('npx', ['--offline', 'pm-api', '--help'], {
    cwd: join(root, 'docs'),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
});

/** Starts the program as if Node.js had another version. */
function startOn(version: string) {
  const disguise = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
  return spawnSync(process.execPath, ['--import', disguise, 'bin/pm-api.mjs', '--help'], {
    cwd: root,
    encoding: 'utf8',
  });
}

test('the program ends at once on a Node.js that is too old, and starts on another one', () => {
  const needed = engines.node.replace('>=', '');
  expect(startOn('20.18.9')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `This needs Node.js ${needed} or later, and runs on 20.18.9: https://nodejs.org/\n`,
  });
  for (const version of [`${needed}.0`, '24.1.0']) expect(startOn(version).status).toBe(0);
});
