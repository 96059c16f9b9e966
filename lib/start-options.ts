/** What `npm start` and `npm run dev` can be told: by a flag, or by the variable that stands for it. */
import { parseArgs } from 'node:util';
import { httpAddress, UsageError, wholeNumber } from './command-line.ts';

export interface StartOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  readonly databaseFile: string;
  /** The address of another engine than the embedded one. */
  readonly endpoint: string | undefined;
  readonly tableName: string | undefined;
}

export const startOptionsHelp = `\
  --port <number>             where to listen (PORT; 3000)
  --database-file <path>      where the data is kept; ":memory:" keeps nothing
                              (DATABASE_FILE; .data/database.sqlite)
  --dynamodb-endpoint <url>   another DynamoDB than the embedded one; the table is
                              created when it is missing (DYNAMODB_ENDPOINT)
  --table-name <name>         (TABLE_NAME; project-management)
  --help                      this text`;

/** A flag, or the variable that stands for it, or what is usual; an empty variable is none. */
const chosen = (flag: string | undefined, variable: string): string | undefined =>
  flag ?? (process.env[variable] || undefined);

function flags() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string' },
        'database-file': { type: 'string' },
        'dynamodb-endpoint': { type: 'string' },
        'table-name': { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads the process's flags and variables.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that says what is wrong.
 */
export function startOptions(): StartOptions | 'help' {
  const values = flags();
  if (values.help) return 'help';
  const port = chosen(values.port, 'PORT') ?? '3000';
  const endpoint = chosen(values['dynamodb-endpoint'], 'DYNAMODB_ENDPOINT');
  return {
    port: wholeNumber('The port', port, 0, 65_535),
    databaseFile: chosen(values['database-file'], 'DATABASE_FILE') ?? '.data/database.sqlite',
    endpoint: endpoint && httpAddress('The DynamoDB endpoint', endpoint, 'http://localhost:8000'),
    tableName: chosen(values['table-name'], 'TABLE_NAME'),
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
