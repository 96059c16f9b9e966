import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { engines, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  engines: { node: string };
  scripts: Record<string, string>;
};

const needed = engines.node.replace('>=', '');

/** Loads what every command loads first, as if Node.js had another version. */
function start(version: string) {
  const disguise = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
  return spawnSync(
    process.execPath,
    ['--import', disguise, '--import', './bin/require-node.mjs', '--eval', 'console.log("started")'],
    { encoding: 'utf8' },
  );
}

test.each(['18.20.4', '20.18.9'])('a command ends at once on Node.js %s', (version) => {
  expect(start(version)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `This needs Node.js ${needed} or later, and runs on ${version}: https://nodejs.org/\n`,
  });
});

test.each([`${needed}.0`, '24.1.0'])('a command starts on Node.js %s', (version) => {
  expect(start(version)).toMatchObject({ status: 0, stdout: 'started\n', stderr: '' });
});

test('every script that runs a program of this project checks the version first', () => {
  const programs = Object.values(scripts).filter((script) => script.startsWith('node '));
  expect(programs.length).toBeGreaterThan(10);
  expect(
    programs.filter((script) => !script.includes('--import ./bin/require-node.mjs --import tsx')),
  ).toEqual([]);
});
