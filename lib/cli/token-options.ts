import { parseFlags, wholeNumber } from './command-line.ts';
import { defaultStage } from './outputs.ts';

interface TokenOptions {
  readonly stage: string;
  readonly machine: boolean;
  /** Port of the local address that the sign-in page redirects to. */
  readonly port: number;
}

export const tokenHelp = `Prints an access token of a deployment with Cognito. A person signs in in a browser on this machine.
"npm run token -s" prints nothing else on the standard output.

  npm run token -- [options]

  --stage <name>   stage of the deployment (default: ${defaultStage})
  --machine        prints a token of the machine client. It needs the AWS CLI, with credentials
                   that may read the secret of the client
  --port <number>  port of this machine that the sign-in page redirects to. "callbackUrls"
                   must contain http://localhost:<port>/ (default: 8976)
  --help           prints this text`;

/** @throws UsageError that names the wrong argument. */
export function tokenOptions(args: readonly string[]): TokenOptions | 'help' {
  const { values } = parseFlags({
    args: [...args],
    options: {
      stage: { type: 'string' },
      machine: { type: 'boolean' },
      port: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { stage = defaultStage, machine = false, port = '8976', help } = values;
  return help ? 'help' : { stage, machine, port: wholeNumber('--port', port, 1, 65_535) };
}
