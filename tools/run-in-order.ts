import { runProgram } from '../lib/command-line/run-program.ts';

/** Runs commands one after the other until one fails. Returns the exit code of the last one that ran. */
export async function runInOrder(
  commands: readonly (readonly [program: string, ...args: string[]])[],
): Promise<number> {
  for (const command of commands) {
    const code = await runProgram(command);
    if (code !== 0) return code;
  }
  return 0;
}
