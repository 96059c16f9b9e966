import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { testWorker } from '../support/test-worker.ts';

const root = join(__dirname, '../..');

/** Returns the command line of a command without npm, which takes a second to start. */
export const commandLine = (command: string, flags: readonly string[] = []): [string, string[]] => [
  process.execPath,
  [join(root, 'bin/pm-api.mjs'), command, ...flags],
];

/** Runs a command in the process of the test. `help.test.ts` starts the program itself. */
export async function run(
  command: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  hidden?: RegExp,
): Promise<{ code: number | null; output: string; errors: string }> {
  return (await testWorker()).runInProcess(command, flags, env, hidden);
}

/** Runs a command in a process of its own. @param env variables in addition to those of this process. */
export function runProgram(
  command: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    const [file, values] = commandLine(command, flags);
    const child = spawn(file, values, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}
