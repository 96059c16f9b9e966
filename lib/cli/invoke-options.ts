import { readFileSync } from 'node:fs';
import { type Contract, scopeOf } from '../../functions/contract/contract.ts';
import { suggestion } from '../../functions/http/suggestion.ts';
import { routes } from '../../functions/routes.ts';
import type { OperationRequest } from '../local/operation-event.ts';
import { parseFlags, UsageError } from './command-line.ts';
import {
  type DatabaseOptions,
  databaseFlags,
  databaseHelp,
  databaseOptions,
  flagOrVariable,
} from './database-options.ts';

export interface InvokeOptions extends DatabaseOptions {
  readonly tableName: string | undefined;
  readonly contract: Contract;
  readonly request: OperationRequest;
  readonly isEventOnly: boolean;
  readonly includesHeaders: boolean;
}

const operations = (): string =>
  routes
    .map(
      ({ contract: { operation, method, path } }) => `  ${operation.padEnd(26)}  ${method.padEnd(6)} ${path}`,
    )
    .join('\n');

export const invokeHelp =
  (): string => `Calls the handler of an operation with the event that API Gateway would send, and prints the response.
It uses the data of "npm start", which may be running meanwhile.

  npm run invoke -- <operation> [options]

  --id <id>                   id in the path
  --body <json>               body; "@file" reads it from a file, "-" from the standard input
  --query <name=value>        query parameter; repeatable. Several are joined with "&"
  --header <name: value>      header; repeatable
  --tenant <name>             sends a token of this tenant, with all scopes. Without a token, the
                              request is of the tenant of "npm start" without an issuer
  --claims <json>             sends a token with these claims; "tenant" names the tenant
  --include                   prints the headers of the response too
  --event                     prints the event and does not call the handler, for example as a
                              test event for the console of AWS Lambda
${databaseHelp}
  --table-name <name>         name of the table (TABLE_NAME; default: project-management)
  --help                      prints this text

Examples:
  npm run invoke -- createTask --body '{"name":"A"}'
  npm run invoke -- listTasks --query status=active --query limit=5
  npm run invoke -- updateTask --id 019b… --body '{"status":"completed"}' --header 'if-match: "…"'

Exit codes: 0 for a status below 400, 1 for another one, 2 for wrong arguments.

Operations:
${operations()}`;

const many = { type: 'string', multiple: true } as const;
const flags = {
  id: { type: 'string' },
  body: { type: 'string' },
  query: many,
  header: many,
  tenant: { type: 'string' },
  claims: { type: 'string' },
  include: { type: 'boolean' },
  event: { type: 'boolean' },
  ...databaseFlags,
  'table-name': { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Returns the contract of an operation. @throws UsageError that names the nearest operation. */
function findContract(operation: string | undefined): Contract {
  if (operation === undefined) throw new UsageError('Name an operation, for example "createTask".');
  const names = routes.map(({ contract }) => contract.operation);
  const found = routes.find(({ contract }) => contract.operation === operation)?.contract;
  if (found) return found;
  throw new UsageError(`There is no operation "${operation}". ${suggestion(operation, names)}`);
}

/** Returns the text of a body from the command line. @throws UsageError when the file is unreadable. */
function readText(argument: string): string {
  if (argument !== '-' && !argument.startsWith('@')) return argument;
  try {
    return readFileSync(argument === '-' ? process.stdin.fd : argument.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`The body cannot be read: ${(error as Error).message}.`);
  }
}

/** Returns the headers by name. @throws UsageError for a text without a colon. */
function readHeaders(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const [, name, value] = /^([\w-]+): *(.*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, value] as const;
    throw new UsageError(
      `A header must be a name, a colon and a value, for example "if-match: *", not "${text}".`,
    );
  });
  return Object.fromEntries(pairs);
}

/** Returns the parameters as the text of a query. Values are encoded, unless the argument has several parameters. */
function readQuery(texts: readonly string[]): string {
  const encode = (text: string): string => {
    const mark = text.indexOf('=');
    if (mark > 0) return new URLSearchParams([[text.slice(0, mark), text.slice(mark + 1)]]).toString();
    throw new UsageError(
      `A query parameter must be a name and a value, for example "status=active", not "${text}".`,
    );
  };
  return texts.map((text) => (text.includes('&') ? text : encode(text))).join('&');
}

const tenantClaims = (tenant: string): Record<string, unknown> => ({
  sub: 'npm run invoke',
  tenant,
  scope: [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))].join(' '),
});

/** Returns the claims of the token. @throws UsageError when they are not a JSON object. */
function readClaims(
  tenant: string | undefined,
  json: string | undefined,
): Record<string, unknown> | undefined {
  if (tenant === undefined && json === undefined) return undefined;
  let given: unknown;
  try {
    given = JSON.parse(json ?? '{}');
  } catch {
    given = undefined;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new UsageError(`--claims must be a JSON object, for example {"tenant":"acme"}, not "${json}".`);
  }
  return { ...(tenant !== undefined && tenantClaims(tenant)), ...given };
}

/** @throws UsageError that names the wrong argument. */
export function invokeOptions(args: readonly string[]): InvokeOptions | 'help' {
  const { values, positionals } = parseFlags({ args: [...args], allowPositionals: true, options: flags });
  if (values.help) return 'help';
  const [operation, extra] = positionals;
  if (extra !== undefined) throw new UsageError(`The command takes one operation. Remove "${extra}".`);
  const contract = findContract(operation);
  const { path } = contract;
  if (path.includes('{') && values.id === undefined) {
    throw new UsageError(`${operation} needs --id: its path is ${path}.`);
  }
  if (!path.includes('{') && values.id !== undefined) {
    throw new UsageError(`${operation} takes no --id: its path is ${path}.`);
  }
  return {
    ...databaseOptions(values),
    tableName: flagOrVariable(values['table-name'], 'TABLE_NAME'),
    contract,
    request: {
      id: values.id,
      text: values.body === undefined ? undefined : readText(values.body),
      query: readQuery(values.query ?? []),
      headers: readHeaders(values.header ?? []),
      claims: readClaims(values.tenant, values.claims),
    },
    isEventOnly: values.event ?? false,
    includesHeaders: values.include ?? false,
  };
}
