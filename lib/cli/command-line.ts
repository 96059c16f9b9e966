import { type ParseArgsConfig, parseArgs } from 'node:util';
import { suggestion } from '../../functions/http/suggestion.ts';

/** The arguments of a command are wrong. The message says what is wrong and what would be right. */
export class UsageError extends Error {}

/** A command failed for a reason that the user can correct. The message says what failed and what to do. */
export class CommandFailure extends Error {}

/** Options of commands that npm also has, for itself: its variables for them say nothing about the command. */
const optionsOfNpm = ['include', 'only'];

const npmVariable = (name: string): string | undefined =>
  process.env[`npm_config_${name.replaceAll('-', '_')}`];

/**
 * Returns the option that npm took for itself, if any. Without two dashes, `npm start --port 4000` passes only "4000" to the
 * command and sets the variable `npm_config_port`; `npm start --port=4000` passes nothing.
 */
const takenByNpm = (names: readonly string[]): string | undefined =>
  names.find((name) => npmVariable(name) !== undefined && !optionsOfNpm.includes(name));

function npmCommand(): string {
  const script = process.env['npm_lifecycle_event'] ?? 'start';
  return script === 'start' ? 'npm start' : `npm run ${script}`;
}

const takenMessage = (name: string, value: string): string =>
  `npm took --${name} for itself. Write two dashes before it: ${npmCommand()} -- --${name}${value && ` ${value}`}`;

function explainArgument({ message }: Error, names: readonly string[]): string {
  const options = names.map((name) => `--${name}`);
  const [, unknown] = /^Unknown option '([^']*)'/.exec(message) ?? [];
  if (unknown !== undefined) return `There is no option ${unknown}. ${suggestion(unknown, options)}`;
  const [, argument] = /^Unexpected argument '([^']*)'/.exec(message) ?? [];
  if (argument !== undefined) {
    const taken = takenByNpm(names);
    if (taken) return takenMessage(taken, argument);
    return `The command takes no argument "${argument}". ${suggestion(`--${argument}`, options)}`;
  }
  const [line = message] = message.split('\n');
  return /[.?!]$/.test(line) ? line : `${line}.`;
}

/** Joins an option and a negative number, because `parseArgs` takes the number for another option: `--tasks -5`. */
function joinNegativeNumbers(args: readonly string[], options: ParseArgsConfig['options'] = {}): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const previous = joined.at(-1) ?? '';
    const takesText = previous.startsWith('--') && options[previous.slice(2)]?.type === 'string';
    if (takesText && /^-\d/.test(arg)) joined.splice(-1, 1, `${previous}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

/** @throws UsageError that names the wrong argument and the nearest option. */
export function parseFlags<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const options = config.options ?? {};
  const names = Object.keys(options);
  const args = joinNegativeNumbers(config.args ?? process.argv.slice(2), options);
  let parsed: ReturnType<typeof parseArgs<Config>>;
  try {
    parsed = parseArgs<Config>({ ...config, args });
  } catch (error) {
    throw new UsageError(explainArgument(error as Error, names));
  }
  // A command that ignored the option would do something else than it was told.
  const taken = takenByNpm(names);
  if (taken) {
    throw new UsageError(
      takenMessage(taken, options[taken]?.type === 'string' ? (npmVariable(taken) ?? '') : ''),
    );
  }
  return parsed;
}

/** Prints the help and returns undefined when `--help` is given. @throws UsageError as `parseFlags` does. */
export function flagsOrHelp<Options extends NonNullable<ParseArgsConfig['options']>>(
  help: string,
  options: Options,
) {
  const { values } = parseFlags({ options: { ...options, help: { type: 'boolean' } } });
  if (!(values as { help?: boolean }).help) return values;
  console.log(help);
  return undefined;
}

/** @throws UsageError when the text is not a whole number from `min` to `max`. */
export function wholeNumber(what: string, text: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${what} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** @throws UsageError when the text is not an HTTP URL. */
export function httpAddress(what: string, text: string, example: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${what} must be an HTTP URL, for example ${example}, not "${text}".`);
}

/**
 * Checks the address of a service.
 * @returns scheme, host and port.
 * @throws UsageError when the text is not an HTTP URL, or has a path, a query or a fragment.
 */
export function serviceAddress(what: string, text: string, example: string): string {
  const address = httpAddress(what, text, example).replace(/\/+$/, '');
  const { origin } = new URL(address);
  if (/^[^/]*\/\/[^/?#]+$/.test(address)) return address;
  throw new UsageError(`${what} must be the scheme, host and port of a service: ${origin}, not "${text}".`);
}

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
