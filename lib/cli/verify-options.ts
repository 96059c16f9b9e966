/** What `npm run verify` can be told. */
import { parseArgs } from 'node:util';
import { httpAddress, UsageError } from './command-line.ts';

export interface VerifyOptions {
  /** Scheme, host and port of the deployment, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  /** Part of the name of the only suites to run. */
  readonly only: string | undefined;
}

export const verifyHelp = `Holds a deployment against the contract: every requirement, passed or failed. What it creates there,
it deletes. It ends with 0 when all hold, with 1 when one does not.

  npm run verify -- <url> [options]

  --token <token>   an access token with all scopes (TOKEN)
  --only <name>     the suites whose name has this in it: lists, errors, idempotency …
  --help            this text`;

/**
 * Reads the command line.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that says what is wrong.
 */
export function verifyOptions(values: readonly string[]): VerifyOptions | 'help' {
  const parsed = (() => {
    try {
      return parseArgs({
        args: [...values],
        allowPositionals: true,
        options: { token: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
      });
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  })();
  const { token, only, help } = parsed.values;
  if (help) return 'help';
  const [url = '', ...more] = parsed.positionals;
  if (more.length > 0) throw new UsageError(`One deployment at a time, not also "${more[0]}".`);
  const address = httpAddress('The deployment', url, 'https://api.example.com');
  return { url: address.replace(/\/+$/, ''), token: token ?? (process.env['TOKEN'] || undefined), only };
}
