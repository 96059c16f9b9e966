/** What `npm start` can be told: by a flag, or by the variable that stands for it. */
import { parseArgs } from 'node:util';
import { isOrigin } from '../hosting/cross-origin.ts';
import type { Authentication } from '../local/authorizer.ts';
import { isAws } from '../local/engine-environment.ts';
import { loopback } from '../local/port.ts';
import { httpAddress, UsageError, wholeNumber } from './command-line.ts';

type Flags = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface StartOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  /** Origins that browsers may call from, besides those of this machine. */
  readonly corsOrigins: readonly string[];
  readonly databaseFile: string;
  /** The address of another engine than the embedded one. */
  readonly endpoint: string | undefined;
  readonly tableName: string | undefined;
  /** Whose tokens are taken; none are asked for without. */
  readonly authentication: Authentication | undefined;
  readonly tenantClaim: string | undefined;
  /** All flags as they were given. */
  readonly flags: Flags;
}

const help = `\
  --port <number>             where to listen (PORT; 3000)
  --host <address>            where to listen; 0.0.0.0 lets other machines connect
                              (HOST; 127.0.0.1)
  --database-file <path>      where the data is kept; ":memory:" keeps nothing
                              (DATABASE_FILE; .data/database.sqlite)
  --dynamodb-endpoint <url>   another DynamoDB than the embedded one; the table is
                              created when it is missing (DYNAMODB_ENDPOINT)
  --table-name <name>         (TABLE_NAME; project-management)
  --authentication-issuer <url>
                              asks for tokens of this OpenID issuer
                              (AUTHENTICATION_ISSUER; none are asked for)
  --authentication-audience <names>
                              what its tokens have in "aud" or "client_id",
                              parted by commas (AUTHENTICATION_AUDIENCE)
  --tenant-claim <name>       the claim that says whose data a token is for
                              (TENANT_CLAIM; tenant)
  --help                      this text`;

/** The flags of `npm start`, for people. */
export const startOptionsHelp = `\
  --cors-origin <origins>     origins that browsers may call from, separated by commas;
                              "*" allows any; the flag can be repeated (CORS_ORIGIN;
                              localhost and 127.0.0.1 are always allowed, on any port)
  --allow-unauthenticated     opens a table on AWS to everyone who can connect, when no
                              issuer is given
${help}`;

/** The flags that `npm run start:synthesized` has too; which origins are allowed is up to the templates. */
export const synthesizedOptionsHelp = help;

/** A flag, or the variable that stands for it, or what is usual; an empty variable is none. */
const chosen = (flag: string | undefined, variable: string): string | undefined =>
  flag ?? (process.env[variable] || undefined);

const flagTypes = {
  port: { type: 'string' },
  host: { type: 'string' },
  'database-file': { type: 'string' },
  'dynamodb-endpoint': { type: 'string' },
  'table-name': { type: 'string' },
  'authentication-issuer': { type: 'string' },
  'authentication-audience': { type: 'string' },
  'tenant-claim': { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** The flags of the commands that run the source. */
const sourceFlagTypes = {
  'cors-origin': { type: 'string', multiple: true },
  'allow-unauthenticated': { type: 'boolean' },
} as const;

/** Flags that one command has besides. */
type MoreFlags = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>
>;

function parsed(more: MoreFlags, args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: { ...more, ...flagTypes } });
    return values as typeof values & Flags;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function authentication(values: ReturnType<typeof parsed>): Authentication | undefined {
  const issuer = chosen(values['authentication-issuer'], 'AUTHENTICATION_ISSUER');
  const audience = chosen(values['authentication-audience'], 'AUTHENTICATION_AUDIENCE');
  if (!issuer && !audience) return undefined;
  if (!issuer || !audience) throw new UsageError('An issuer needs an audience, and an audience an issuer.');
  return {
    issuer: httpAddress('The issuer', issuer, 'https://issuer.example.com/'),
    audience: audience.split(',').map((one) => one.trim()),
  };
}

function corsOrigins(flag: Flags[string]): string[] {
  const given = Array.isArray(flag) ? flag : [process.env['CORS_ORIGIN'] ?? ''];
  const origins = given.flatMap((list) => list.split(',').map((origin) => origin.trim())).filter(Boolean);
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw new UsageError(
      `An origin must be scheme, host and port, like https://app.example.com, or "*"; not "${origin}".`,
    );
  }
  return origins;
}

/** Without tokens, everyone who can connect reads and writes with the rights of this process. */
function requireAuthentication(endpoint: string): never {
  throw new UsageError(
    `The table at ${endpoint} would be open to everyone who can connect: no issuer is given. ` +
      'Give one with --authentication-issuer and --authentication-audience, ' +
      'or open the table with --allow-unauthenticated.',
  );
}

/**
 * Reads the flags and variables of `npm start`.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that says what is wrong, or that a table on AWS would be open to everyone.
 */
export function startOptions(args: readonly string[]): StartOptions | 'help' {
  const options = commonOptions(args, sourceFlagTypes);
  if (options === 'help') return options;
  const { endpoint, authentication, flags } = options;
  if (endpoint && isAws(endpoint) && !authentication && !flags['allow-unauthenticated']) {
    requireAuthentication(endpoint);
  }
  return { ...options, corsOrigins: corsOrigins(flags['cors-origin']) };
}

/**
 * Reads the flags and variables that all commands have that start the service.
 * @param more flags that the command has besides.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that says what is wrong.
 */
export function commonOptions(
  args: readonly string[],
  more: MoreFlags,
): Omit<StartOptions, 'corsOrigins'> | 'help' {
  const values = parsed(more, args);
  if (values.help) return 'help';
  const port = chosen(values.port, 'PORT') ?? '3000';
  const endpoint = chosen(values['dynamodb-endpoint'], 'DYNAMODB_ENDPOINT');
  return {
    port: wholeNumber('The port', port, 0, 65_535),
    host: chosen(values.host, 'HOST') ?? loopback,
    databaseFile: chosen(values['database-file'], 'DATABASE_FILE') ?? '.data/database.sqlite',
    endpoint: endpoint && httpAddress('The DynamoDB endpoint', endpoint, 'http://localhost:8000'),
    tableName: chosen(values['table-name'], 'TABLE_NAME'),
    authentication: authentication(values),
    tenantClaim: chosen(values['tenant-claim'], 'TENANT_CLAIM'),
    flags: values,
  };
}

/** Errors of `listen` that are about its address. */
const addressErrors = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

/**
 * Says what to do about an error at the start, for people.
 * @param command how to start with another port, "npm start".
 */
export function explainStartError(
  error: unknown,
  { port, host }: Pick<StartOptions, 'port' | 'host'>,
  command: string,
): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Choose another: PORT=${port + 1} ${command}`;
  if (code === 'EACCES')
    return `Port ${port} needs rights that this process does not have. Choose one above 1023.`;
  if (addressErrors.includes(code))
    return `This machine has no address "${host}". Choose another: HOST=${loopback} ${command}`;
  return message;
}
