/** Commands in the process of the test: a process of its own takes more than a second to load what a command imports. */
import { Console } from 'node:console';
import { runCommand } from '#bin/program.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Commands share the arguments, the environment and the output of the process, so one runs after the other. */
let previous: Promise<unknown> = Promise.resolve();

/** Collects what is written to a stream until `restore` is called. */
function collect(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  return {
    text: () => text,
    restore: () => {
      stream.write = write;
    },
  };
}

async function execute(
  command: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
  hidden: RegExp | undefined,
): Promise<CommandResult> {
  const { argv, exitCode } = process;
  const { console } = globalThis;
  const variables = { ...process.env };
  const [output, errors] = [collect(process.stdout), collect(process.stderr)];
  process.argv = [process.execPath, 'pm-api', command, ...flags];
  process.exitCode = undefined;
  // That of jest says where each line was written.
  globalThis.console = new Console(process.stdout, process.stderr);
  for (const name of Object.keys(process.env)) if (hidden?.test(name)) delete process.env[name];
  Object.assign(process.env, env);
  try {
    await runCommand([command, ...flags]);
    return { code: Number(process.exitCode ?? 0), output: output.text(), errors: errors.text() };
  } finally {
    output.restore();
    errors.restore();
    globalThis.console = console;
    process.argv = argv;
    process.exitCode = exitCode;
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  }
}

/**
 * Runs a command that ends by itself.
 * @param env variables in addition to those of this process.
 * @param hidden the names of variables that the program does not see.
 */
export function runInProcess(
  command: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  hidden?: RegExp,
): Promise<CommandResult> {
  const result = previous.then(() => execute(command, flags, env, hidden));
  previous = result.catch(() => undefined);
  return result;
}
