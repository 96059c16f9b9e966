import { httpAddress } from './command-line.ts';

export interface DatabaseOptions {
  readonly databaseFile: string;
  readonly endpoint: string | undefined;
}

export const databaseHelp = `\
  --database-file <path>      file for the data; ":memory:" keeps the data in memory only
                              (DATABASE_FILE; default: .data/database.sqlite)
  --dynamodb-endpoint <url>   uses this DynamoDB instead of the embedded engine; the table
                              is created when it does not exist (DYNAMODB_ENDPOINT)`;

export const databaseFlags = {
  'database-file': { type: 'string' },
  'dynamodb-endpoint': { type: 'string' },
} as const;

/** Returns the value of a flag, or of its environment variable. An empty variable counts as unset. */
export const flagOrVariable = (flag: string | undefined, variable: string): string | undefined =>
  flag ?? (process.env[variable] || undefined);

/** @throws UsageError when the endpoint is not an HTTP URL. */
export function databaseOptions(
  flags: {
    readonly [Name in keyof typeof databaseFlags]?: string | undefined;
  },
): DatabaseOptions {
  const endpoint = flagOrVariable(flags['dynamodb-endpoint'], 'DYNAMODB_ENDPOINT');
  return {
    databaseFile: flagOrVariable(flags['database-file'], 'DATABASE_FILE') ?? '.data/database.sqlite',
    endpoint: endpoint && httpAddress('The DynamoDB endpoint', endpoint, 'http://localhost:8000'),
  };
}
