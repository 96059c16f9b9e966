/** The options of `npm run verify`. */
import { httpAddress, parseFlags, UsageError } from './command-line.ts';

export interface VerifyOptions {
  /** Scheme, host and port of the deployment, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  /** Part of the names of the test files to run. Default: all files run. */
  readonly only: string | undefined;
}

export const verifyHelp = `Runs the contract tests against a deployment and prints the result of every test. The tests delete
what they create. The exit code is 0 when all tests pass, otherwise 1.

  npm run verify -- <url> [options]

  --token <token>   access token with all scopes (TOKEN)
  --only <name>     runs the files with this text in their name: lists, errors, idempotency …
  --help            prints this text`;

/**
 * Reads the command line.
 * @returns 'help' when `--help` is given.
 * @throws UsageError that names the wrong argument.
 */
export function verifyOptions(args: readonly string[]): VerifyOptions | 'help' {
  const { values, positionals } = parseFlags({
    args: [...args],
    allowPositionals: true,
    options: { token: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return 'help';
  const [url = '', ...more] = positionals;
  if (more.length > 0) throw new UsageError(`The command takes one deployment. Remove "${more[0]}".`);
  const address = httpAddress('The deployment', url, 'https://api.example.com');
  const token = values.token ?? (process.env['TOKEN'] || undefined);
  return { url: address.replace(/\/+$/, ''), token, only: values.only };
}
