import { InvalidArgumentError } from '@commander-js/extra-typings';

/** A command failed for a reason that the user can correct. The message says what failed and what to do. */
export class CommandFailure extends Error {}

/** Turns each error of a command on a table into one that the user can correct: AWS says why it refused. */
export const asFailure = <Result>(result: Promise<Result>): Promise<Result> =>
  result.catch((cause: Error) => {
    throw cause instanceof CommandFailure ? cause : new CommandFailure(cause.message, { cause });
  });

/** Where `npm start` listens by default. */
export const defaultServiceUrl = 'http://localhost:3000';

/** Returns a parser of whole numbers from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

export function httpAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It must be an HTTP URL, for example http://localhost:8000.');
}

/** Parses the address of a service. Returns scheme, host and port. */
export function serviceAddress(text: string): string {
  const address = httpAddress(text).replace(/\/+$/, '');
  if (/^[^/]*\/\/[^/?#]+$/.test(address)) return address;
  const { origin } = new URL(address);
  throw new InvalidArgumentError(`It must be the scheme, host and port of a service: ${origin}.`);
}

interface Running {
  /** Resolves to the reason when it cannot continue. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

const startedBy = process.ppid;

/** Resolves when the shell ends through which npm started this process. npm sends signals to that shell, which does not pass them on. */
const npmEnds = (): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (process.ppid !== startedBy) resolve();
    };
    if (process.env['npm_lifecycle_event'] !== undefined) setInterval(look, 500).unref();
  });

/**
 * Waits until a signal asks the process to stop or `running` fails, then stops it. A failure sets the exit code.
 * @param announce prints that it runs. A signal that is sent after this output stops it in order.
 */
export async function runUntilStopped(running: Running, announce: () => void): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  announce();
  const failure = await Promise.race([signalled, npmEnds(), running.failed]);
  await running.stop();
  if (failure) throw new CommandFailure(failure.message, { cause: failure });
}
