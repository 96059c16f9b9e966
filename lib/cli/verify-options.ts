import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseFlags, serviceAddress, UsageError } from './command-line.ts';
import { defaultStage, readOutputs, requiredOutput } from './outputs.ts';

export interface VerifyOptions {
  /** Scheme, host and port of the deployment, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  /** Part of the names of the test files to run. Default: all files run. */
  readonly only: string | undefined;
}

const contractFiles = (): string[] =>
  readdirSync(fileURLToPath(new URL('../../test/contract', import.meta.url)), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.test.ts'.length))
    .sort();

/** Checks that the text is part of a name. @throws UsageError that lists the names. */
function requireFile(only: string): void {
  const names = contractFiles();
  if (names.some((name) => name.includes(only))) return;
  throw new UsageError(`No file has "${only}" in its name. The files are: ${names.join(', ')}.`);
}

export const verifyHelp = `Runs the contract tests against a deployment and prints the result of every test. After each file it
prints the progress and the time that is left, by the time of the files so far. The
tests delete what they create, also after Ctrl-C; the next run deletes what a killed run left. The exit code is 0 when
all tests pass, otherwise 1.

  npm run verify -- [<url>] [options]

  --stage <name>    stage whose URL the last deployment from this folder printed, when
                    <url> is absent (default: development)
  --token <token>   access token with all scopes (TOKEN)
  --only <name>     runs the files with this text in their name: lists, errors, idempotency …
  --help            prints this text`;

/** @throws UsageError that names the wrong argument. */
export function verifyOptions(args: readonly string[]): VerifyOptions | 'help' {
  const { values, positionals } = parseFlags({
    args: [...args],
    allowPositionals: true,
    options: {
      stage: { type: 'string' },
      token: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  const [given, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`The command takes one deployment. Remove "${more[0]}".`);
  if (given !== undefined && values.stage !== undefined)
    throw new UsageError('Give a URL or --stage, not both.');
  if (values.only !== undefined) requireFile(values.only);
  const url = given ?? requiredOutput(readOutputs(values.stage ?? defaultStage), 'Url');
  const address = serviceAddress('The deployment', url, 'https://api.example.com');
  const token = values.token ?? (process.env['TOKEN'] || undefined);
  return { url: address, token, only: values.only };
}
