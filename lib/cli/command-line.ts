/** What the commands in `bin` have in common. */

/** The command was called in a way that it does not understand; the message says what is wrong. */
export class UsageError extends Error {}

/**
 * A whole number from the command line.
 * @param what how people call it, "--tasks".
 * @throws UsageError when it is not a whole number within these bounds.
 */
export function wholeNumber(what: string, text: string, least: number, most: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${what} must be a number from ${least} to ${most}, in digits only, not "${text}".`);
}

/**
 * An address from the command line.
 * @param example one that would be right.
 * @throws UsageError when it is not a URL of HTTP.
 */
export function httpAddress(what: string, text: string, example: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${what} must be a URL, like ${example}, not "${text}".`);
}

/** Waits for Ctrl-C, or what else tells a process to stop. */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/** What a command keeps running. */
interface Running {
  /** Says why, when it cannot go on. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/**
 * Keeps something running until the process is told to stop, or it cannot go on.
 * @param announce says that it runs. Whoever reads that may stop it at once, so it is called when signals are handled.
 * @returns the command's exit code.
 */
export async function runUntilStopped(running: Running, announce: () => void): Promise<number> {
  const stopped = toldToStop();
  announce();
  const failure = await Promise.race([stopped, running.failed]);
  await running.stop();
  if (failure) console.error(failure.message);
  return failure ? 1 : 0;
}

/**
 * Runs a command and sets the process's exit code: the command's own, or 2 when it was called wrongly.
 * @param name how it is called, "npm run seed".
 */
export async function runCommand(name: string, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nSee "${name} -- --help".`);
    process.exitCode = 2;
  }
}
