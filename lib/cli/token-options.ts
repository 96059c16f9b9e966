import { roles } from '../../functions/authentication/roles.ts';
import { apiScopes } from '../local/sign-in/authorization.ts';
import { proposed } from '../local/sign-in/page.ts';
import { httpAddress, parseFlags, UsageError, wholeNumber } from './command-line.ts';
import type { LocalTokenOptions } from './local-token.ts';
import { defaultStage } from './outputs.ts';

interface TokenOptions {
  /** Whom a token of a local issuer is for; absent for a token of a deployment. */
  readonly local: LocalTokenOptions | undefined;
  readonly stage: string;
  readonly machine: boolean;
  /** Port of the local address that the sign-in page redirects to. */
  readonly port: number;
}

/** The issuer of "npm start -- --sign-in" on the default port. */
const localIssuer = 'http://localhost:3001';

export const tokenHelp = `Prints an access token: of a deployment with Cognito, where a person signs in in a browser on this
machine, or of a local service that "npm start -- --sign-in" runs.
"npm run token -s" prints nothing else on the standard output.

  npm run token -- [options]

  --stage <name>   stage of the deployment (default: ${defaultStage})
  --machine        prints a token of the machine client. It needs the AWS CLI, with credentials
                   that may read the secret of the client
  --port <number>  port of this machine that the sign-in page redirects to. "callbackUrls"
                   must contain http://localhost:<port>/ (default: 8976)
  --local          prints a token of the local issuer, without a browser
  --issuer <url>   address of the local issuer (default: ${localIssuer})
  --tenant <name>  tenant of a local token (default: ${proposed.tenant})
  --subject <name> subject of a local token (default: ${proposed.subject})
  --role <name>    role of a local token, viewer or editor; repeatable (default: none,
                   which does not limit the scopes)
  --scope <name>   scope of a local token, for example tasks:read; repeatable
                   (default: all)
  --help           prints this text`;

const localFlags = {
  local: { type: 'boolean' },
  issuer: { type: 'string' },
  tenant: { type: 'string' },
  subject: { type: 'string' },
  role: { type: 'string', multiple: true },
  scope: { type: 'string', multiple: true },
} as const;

interface LocalFlags {
  readonly local?: boolean | undefined;
  readonly issuer?: string | undefined;
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
  readonly role?: readonly string[] | undefined;
  readonly scope?: readonly string[] | undefined;
}

/** @throws UsageError for an option of local tokens without --local, or an unknown role or scope. */
function localOptions({ local = false, ...flags }: LocalFlags): LocalTokenOptions | undefined {
  if (!local) {
    const names = Object.keys(localFlags) as (keyof LocalFlags)[];
    const given = names.find((name) => name !== 'local' && flags[name] !== undefined);
    if (given) throw new UsageError(`--${given} needs --local.`);
    return undefined;
  }
  const { issuer = localIssuer, tenant = proposed.tenant, subject = proposed.subject } = flags;
  const requireKnown = (
    what: string,
    values: readonly string[],
    known: readonly string[],
  ): readonly string[] => {
    const wrong = values.find((value) => !known.includes(value));
    if (wrong === undefined) return values;
    throw new UsageError(`There is no ${what} "${wrong}". It must be one of ${known.join(', ')}.`);
  };
  return {
    issuer: httpAddress('--issuer', issuer, localIssuer),
    tenant,
    subject,
    roles: requireKnown('role', flags.role ?? [], Object.keys(roles)),
    scopes: requireKnown('scope', flags.scope ?? apiScopes, apiScopes),
  };
}

/** @throws UsageError that names the wrong argument, or one that contradicts another. */
export function tokenOptions(args: readonly string[]): TokenOptions | 'help' {
  const { values } = parseFlags({
    args: [...args],
    options: {
      stage: { type: 'string' },
      machine: { type: 'boolean' },
      port: { type: 'string' },
      ...localFlags,
      help: { type: 'boolean' },
    },
  });
  const { stage = defaultStage, machine = false, port = '8976', help } = values;
  if (help) return 'help';
  const ofDeployment = (['stage', 'machine', 'port'] as const).find((name) => values[name] !== undefined);
  if (values.local && ofDeployment) {
    throw new UsageError(
      `--${ofDeployment} is for the token of a deployment: it cannot be combined with --local.`,
    );
  }
  return { stage, machine, port: wholeNumber('--port', port, 1, 65_535), local: localOptions(values) };
}
