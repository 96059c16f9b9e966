#!/usr/bin/env node
/**
 * Runs a command of this repository: `npx pm-api <command>`. It ends at once on a version of Node.js that is too old: everything seems to work
 * there until a request needs what is missing. So this file uses only what old versions have.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const numbers = (version) => version.split('.').map(Number);
const [major, minor] = numbers(process.versions.node);
const [neededMajor, neededMinor] = numbers(needed);
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(
    `This needs Node.js ${needed} or later, and runs on ${process.versions.node}: https://nodejs.org/`,
  );
  process.exit(1);
}
// An empty clone works with one command.
const root = fileURLToPath(new URL('..', import.meta.url));
if (!existsSync(`${root}node_modules`)) {
  console.error('The packages are missing: installing them with "npm ci".');
  const { status } = spawnSync('npm', ['ci'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
const { register } = await import('tsx/esm/api');
register();
const { runCommand } = await import('./program.ts');
await runCommand(process.argv.slice(2));
