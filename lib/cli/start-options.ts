import { isOrigin } from '../hosting/cors.ts';
import { maxTenantRate } from '../hosting/functions.ts';
import type { Authentication } from '../local/authorizer.ts';
import { isAws } from '../local/engine-environment.ts';
import { loopback } from '../local/port.ts';
import { httpAddress, parseFlags, UsageError, wholeNumber } from './command-line.ts';
import {
  type DatabaseOptions,
  databaseFlags,
  databaseHelp,
  databaseOptions,
  flagOrVariable,
} from './database-options.ts';

type Flags = Readonly<Record<string, string | boolean | string[] | undefined>>;

const requestLogs = ['lines', 'json', 'off'] as const;

export type RequestLog = (typeof requestLogs)[number];

export interface StartOptions extends DatabaseOptions {
  /** 0 selects any free port. */
  readonly port: number;
  readonly host: string;
  /** Host names that requests may use, in addition to those of this machine. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call, in addition to those of this machine; `*` allows any. */
  readonly allowedOrigins: readonly string[];
  readonly tableName: string | undefined;
  /** Data file of which the service uses a copy. */
  readonly copyOf: string | undefined;
  readonly requestLog: RequestLog;
  /** Capacity units per second that the requests of a tenant may use; 0 for no limit. */
  readonly tenantRate: number;
  /** The port of an issuer for development, whose tokens are required; 0 selects any free port. Default: there is none. */
  readonly signInPort: number | undefined;
  /** Issuer whose tokens are required. Default: requests need no token. */
  readonly authentication: Authentication | undefined;
  readonly tenantClaim: string | undefined;
  /** Address to which events of changes are posted. Default: none. */
  readonly eventsAddress: string | undefined;
  readonly flags: Flags;
}

const help = `\
  --port <number>             port to listen on (PORT; default: 3000)
  --host <address>            address to listen on; 0.0.0.0 accepts connections from other
                              machines (HOST; default: 127.0.0.1)
  --allow-host <names>        host names that requests may use, separated by commas; repeatable
                              (ALLOW_HOST; localhost, names that end in .localhost and all
                              IP addresses are always allowed)
  --allow-origin <origins>    origins whose pages may call, separated by commas; "*" allows all;
                              repeatable (ALLOW_ORIGIN; localhost and 127.0.0.1 are always
                              allowed, on any port)
${databaseHelp}
  --authentication-issuer <url>
                              requires tokens of this OpenID issuer
                              (AUTHENTICATION_ISSUER; default: no tokens)
  --authentication-audience <names>
                              accepted values of "aud" or "client_id" in the tokens,
                              separated by commas (AUTHENTICATION_AUDIENCE)
  --tenant-claim <name>       claim that contains the tenant (TENANT_CLAIM; default: tenant)
  --help                      prints this text

In brackets: the environment variable with the same effect. A flag takes precedence.`;

export const startOptionsHelp = `\
  --allow-unauthenticated     allows a table on AWS without an issuer: everyone who can
                              connect to the service can read and write it
  --copy-of <path>            uses a copy of this data file, and deletes it at the end: each start
                              has the same data
  --events <url>              posts an event for each change to this address, at least once, in
                              batches of CloudEvents; it continues where an earlier start ended
  --sign-in                   requires tokens, and runs an issuer for development beside the
                              service, with a page on which you choose who you are
  --sign-in-port <number>     port of this issuer (default: the port of the service plus 1)
  --table-name <name>         name of the table (TABLE_NAME; default: project-management)
  --tenant-rate <number>      capacity units per second that the requests of a tenant may use, over
                              10 seconds; further ones get 429 (TENANT_RATE; default: 0, no limit)
  --request-log <format>      what is printed for each request: "lines", "json" (one object
                              in a line) or "off" (REQUEST_LOG; default: lines)
${help}`;

/** Help for the flags that `npm run start:synthesized` shares. The templates define the table. */
export const synthesizedOptionsHelp = help;

const flagTypes = {
  port: { type: 'string' },
  host: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'allow-origin': { type: 'string', multiple: true },
  ...databaseFlags,
  'authentication-issuer': { type: 'string' },
  'authentication-audience': { type: 'string' },
  'tenant-claim': { type: 'string' },
  help: { type: 'boolean' },
} as const;

const sourceFlagTypes = {
  'allow-unauthenticated': { type: 'boolean' },
  'copy-of': { type: 'string' },
  events: { type: 'string' },
  'request-log': { type: 'string' },
  'sign-in': { type: 'boolean' },
  'sign-in-port': { type: 'string' },
  'tenant-rate': { type: 'string' },
  'table-name': { type: 'string' },
} as const;

type MoreFlags = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>
>;

function parse(more: MoreFlags, args: readonly string[]) {
  const { values } = parseFlags({ args: [...args], options: { ...more, ...flagTypes } });
  return values as typeof values & Flags;
}

function authentication(values: ReturnType<typeof parse>): Authentication | undefined {
  const issuer = flagOrVariable(values['authentication-issuer'], 'AUTHENTICATION_ISSUER');
  const audience = flagOrVariable(values['authentication-audience'], 'AUTHENTICATION_AUDIENCE');
  if (!issuer && !audience) return undefined;
  if (!issuer || !audience)
    throw new UsageError('Set both --authentication-issuer and --authentication-audience, or neither.');
  return {
    issuer: httpAddress('The issuer', issuer, 'https://issuer.example.com/'),
    audience: audience.split(',').map((one) => one.trim()),
  };
}

/** Returns the items of a repeatable flag, or of its environment variable. Each can be a list that is separated by commas. */
function listOf(flag: readonly string[] | undefined, variable: string): string[] {
  const given = flag ?? [process.env[variable] ?? ''];
  return given.flatMap((list) => list.split(',').map((item) => item.trim())).filter(Boolean);
}

function allowedOrigins(flag: readonly string[] | undefined): string[] {
  const origins = listOf(flag, 'ALLOW_ORIGIN');
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw new UsageError(
      `An origin must be a scheme, host and port, for example https://app.example.com, or "*", not "${origin}".`,
    );
  }
  return origins;
}

/** A host name, without scheme and port. */
const hostName = /^[a-z\d](?:[a-z\d._-]*[a-z\d])?$/;

function allowedHosts(flag: readonly string[] | undefined): string[] {
  const hosts = listOf(flag, 'ALLOW_HOST').map((host) => host.toLowerCase());
  for (const host of hosts) {
    if (hostName.test(host)) continue;
    throw new UsageError(
      `A host must be a name without a port, for example laptop.example.com, not "${host}".`,
    );
  }
  return hosts;
}

function requestLog(flag: Flags[string]): RequestLog {
  const text = flagOrVariable(flag as string | undefined, 'REQUEST_LOG') ?? 'lines';
  const found = requestLogs.find((one) => one === text);
  if (found) return found;
  throw new UsageError(`The request log must be one of ${requestLogs.join(', ')}, not "${text}".`);
}

const tenantRate = (flag: Flags[string]): number =>
  wholeNumber(
    'The tenant rate',
    flagOrVariable(flag as string | undefined, 'TENANT_RATE') ?? '0',
    0,
    maxTenantRate,
  );

/** @throws UsageError when there is another issuer, or the port is not valid. */
function signInPort(
  { port, authentication }: Pick<StartOptions, 'port' | 'authentication'>,
  flags: Flags,
): number | undefined {
  const given = flags['sign-in-port'] as string | undefined;
  if (!flags['sign-in']) {
    if (given === undefined) return undefined;
    throw new UsageError('--sign-in-port needs --sign-in.');
  }
  if (authentication) throw new UsageError('Choose either --sign-in or --authentication-issuer.');
  return wholeNumber('The port of the issuer', given ?? String(port === 0 ? 0 : port + 1), 0, 65_535);
}

/** Rejects a table on AWS without authentication: everyone who can connect would have the permissions of this process. */
function requireAuthentication(endpoint: string): never {
  throw new UsageError(
    `Everyone who can connect could read and write the table at ${endpoint}, because no issuer is set. ` +
      'Set one with --authentication-issuer and --authentication-audience, ' +
      'or allow it with --allow-unauthenticated.',
  );
}

function copyOf(flags: Flags): string | undefined {
  const file = flags['copy-of'];
  if (typeof file !== 'string') return undefined;
  const other = ['database-file', 'dynamodb-endpoint'].find((name) => flags[name] !== undefined);
  if (other) throw new UsageError(`--copy-of and --${other} each name the data. Pass one of them.`);
  return file;
}

const eventsAddress = (flag: Flags[string]): string | undefined =>
  typeof flag === 'string' ? httpAddress('The address of events', flag, 'http://localhost:9999') : undefined;

/** @throws UsageError that names the wrong option, or when a table on AWS would be open to everyone. */
export function startOptions(args: readonly string[]): StartOptions | 'help' {
  const options = commonOptions(args, sourceFlagTypes);
  if (options === 'help') return options;
  const { endpoint, authentication, flags } = options;
  if (endpoint && isAws(endpoint) && !authentication && !flags['allow-unauthenticated']) {
    requireAuthentication(endpoint);
  }
  const tableName = flags['table-name'];
  return {
    ...options,
    copyOf: copyOf(flags),
    requestLog: requestLog(flags['request-log']),
    tenantRate: tenantRate(flags['tenant-rate']),
    signInPort: signInPort(options, flags),
    eventsAddress: eventsAddress(flags['events']),
    tableName: flagOrVariable(typeof tableName === 'string' ? tableName : undefined, 'TABLE_NAME'),
  };
}

/** @throws UsageError that names the wrong option. */
export function commonOptions(
  args: readonly string[],
  more: MoreFlags,
):
  | Omit<StartOptions, 'copyOf' | 'requestLog' | 'tableName' | 'tenantRate' | 'signInPort' | 'eventsAddress'>
  | 'help' {
  const values = parse(more, args);
  if (values.help) return 'help';
  const port = flagOrVariable(values.port, 'PORT') ?? '3000';
  return {
    ...databaseOptions(values),
    port: wholeNumber('The port', port, 0, 65_535),
    host: flagOrVariable(values.host, 'HOST') ?? loopback,
    allowedHosts: allowedHosts(values['allow-host']),
    allowedOrigins: allowedOrigins(values['allow-origin']),
    authentication: authentication(values),
    tenantClaim: flagOrVariable(values['tenant-claim'], 'TENANT_CLAIM'),
    flags: values,
  };
}

const addressErrors = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

/** @param command the command for the suggestion, for example "npm start". */
export function explainStartError(
  error: unknown,
  { port, host }: Pick<StartOptions, 'port' | 'host'>,
  command: string,
): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use. Choose another: ${command} -- --port ${port + 1}`;
  if (code === 'EACCES')
    return `This process has no permission to listen on port ${port}. Choose a port above 1023.`;
  if (addressErrors.includes(code))
    return `This machine has no address "${host}". Choose another: ${command} -- --host ${loopback}`;
  return message;
}
