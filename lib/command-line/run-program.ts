import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program with the input and output of this process, and passes signals on to it.
 * @returns its exit code.
 */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<number> {
  const child = spawn(program, args, { ...options, stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // A terminal sends SIGINT and SIGHUP to the program itself. A second one would end it at once.
  const pass = (signal: NodeJS.Signals) => (): void => {
    if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
  };
  const handlers = signals.map((signal) => [signal, pass(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  }
}
