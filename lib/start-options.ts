/** What `npm start` and `npm run dev` can be told: by a flag, or by the variable that stands for it. */
import { parseArgs } from 'node:util';
import { httpAddress, UsageError, wholeNumber } from './command-line.ts';
import type { Authentication } from './local/authorizer.ts';

export interface StartOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  readonly databaseFile: string;
  /** The address of another engine than the embedded one. */
  readonly endpoint: string | undefined;
  readonly tableName: string | undefined;
  /** Whose tokens are taken; none are asked for without. */
  readonly authentication: Authentication | undefined;
  readonly tenantClaim: string | undefined;
  /** All flags as they were given. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

export const startOptionsHelp = `\
  --port <number>             where to listen (PORT; 3000)
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

/** A flag, or the variable that stands for it, or what is usual; an empty variable is none. */
const chosen = (flag: string | undefined, variable: string): string | undefined =>
  flag ?? (process.env[variable] || undefined);

const flagTypes = {
  port: { type: 'string' },
  'database-file': { type: 'string' },
  'dynamodb-endpoint': { type: 'string' },
  'table-name': { type: 'string' },
  'authentication-issuer': { type: 'string' },
  'authentication-audience': { type: 'string' },
  'tenant-claim': { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Flags that one command has besides. */
type MoreFlags = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

function parsed(more: MoreFlags) {
  try {
    const { values } = parseArgs({ options: { ...more, ...flagTypes } });
    return values as typeof values & Readonly<Record<string, string | boolean | undefined>>;
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

/**
 * Reads the process's flags and variables.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that says what is wrong.
 */
export function startOptions(more: MoreFlags = {}): StartOptions | 'help' {
  const values = parsed(more);
  if (values.help) return 'help';
  const port = chosen(values.port, 'PORT') ?? '3000';
  const endpoint = chosen(values['dynamodb-endpoint'], 'DYNAMODB_ENDPOINT');
  return {
    port: wholeNumber('The port', port, 0, 65_535),
    databaseFile: chosen(values['database-file'], 'DATABASE_FILE') ?? '.data/database.sqlite',
    endpoint: endpoint && httpAddress('The DynamoDB endpoint', endpoint, 'http://localhost:8000'),
    tableName: chosen(values['table-name'], 'TABLE_NAME'),
    authentication: authentication(values),
    tenantClaim: chosen(values['tenant-claim'], 'TENANT_CLAIM'),
    flags: values,
  };
}

/**
 * What to do about an error at the start, for people.
 * @param command how to start with another port, "npm start".
 */
export function explained(error: unknown, port: number, command: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Choose another: PORT=${port + 1} ${command}`;
  if (code === 'EACCES')
    return `Port ${port} needs rights that this process does not have. Choose one above 1023.`;
  return message;
}
