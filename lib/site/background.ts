/** Builds the documentation beside a service that is in use. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isSiteBuilt, temporaryFolder } from './build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Starts a process of low priority that builds the documentation, unless it is current.
 * @returns a function that ends the process.
 */
export function buildSiteInBackground(): () => Promise<void> {
  if (isSiteBuilt()) return async () => {};
  const child = spawn(process.execPath, ['bin/pm-api.mjs', 'site'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) return async () => {};
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exit = once(child, 'exit');
  child.once('exit', (code) => {
    if (code) console.error(`${errors}\nThe documentation could not be built.`);
  });
  setPriority(pid, constants.priority.PRIORITY_LOW);
  return async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await exit;
    rmSync(temporaryFolder(pid), { recursive: true, force: true });
  };
}
