/** Parts that the commands in `bin/` share. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The arguments of a command are wrong. The message says what is wrong and what would be right. */
export class UsageError extends Error {}

/** A command failed for a reason that the user can correct. The message says what failed and what to do. */
export class CommandFailure extends Error {}

/**
 * Parses the arguments of a command.
 * @throws UsageError that names the wrong argument.
 */
export function parseFlags<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * Parses a whole number from the command line.
 * @param what the option's name for the message, for example "--tasks".
 * @throws UsageError when the text is not a whole number from `min` to `max`.
 */
export function wholeNumber(what: string, text: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${what} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/**
 * Checks an address from the command line.
 * @param what the option's name for the message.
 * @param example a valid address.
 * @throws UsageError when the text is not an HTTP URL.
 */
export function httpAddress(what: string, text: string, example: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${what} must be an HTTP URL, for example ${example}, not "${text}".`);
}

/** Waits for a signal that asks the process to stop. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

interface Running {
  /** Resolves to the reason when it cannot continue. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/**
 * Waits until a signal asks the process to stop or `running` fails, then stops it.
 * @param announce prints that it runs. A signal that is sent after this output stops it in order.
 * @returns the command's exit code.
 */
export async function runUntilStopped(running: Running, announce: () => void): Promise<number> {
  const signalled = stopSignal();
  announce();
  const failure = await Promise.race([signalled, running.failed]);
  await running.stop();
  if (failure) console.error(failure.message);
  return failure ? 1 : 0;
}

/**
 * Runs a command and sets the exit code of the process: the command's own, 1 after a CommandFailure, or 2 after a
 * UsageError.
 * @param name how users call the command, for example "npm run seed".
 */
export async function runCommand(name: string, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (error instanceof CommandFailure) {
      console.error(error.message);
      process.exitCode = 1;
    } else if (error instanceof UsageError) {
      console.error(`${error.message}\nSee "${name} -- --help".`);
      process.exitCode = 2;
    } else {
      throw error;
    }
  }
}
