import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Contract } from '../functions/contract/contract.ts';
import { suggestion } from '../functions/http/suggestion.ts';
import { routes } from '../functions/routes.ts';
import { CommandFailure } from '../lib/command-line/command-line.ts';
import { databaseFileOption, engineOption, tableNameOption } from '../lib/command-line/start-options.ts';
import { apiScopes } from '../lib/hosting/scopes.ts';
import { type Engine, existingEngine, shareEngine } from '../lib/local/dynamodb-engine.ts';
import { type InvokeResult, invokeWithEvent, openFunctions } from '../lib/local/invoke.ts';
import { operationEvent } from '../lib/local/operation-event.ts';
import { usageText } from '../lib/local/request-line.ts';
import { defaultTableName } from '../lib/local/service.ts';

function findContract(operation: string): Contract {
  const names = routes.map(({ contract }) => contract.operation);
  const found = routes.find(({ contract }) => contract.operation === operation)?.contract;
  if (found) return found;
  throw new InvalidArgumentError(`There is no operation "${operation}". ${suggestion(operation, names)}`);
}

/** Returns the text of a body from the command line. */
function readText(argument: string): string {
  if (argument !== '-' && !argument.startsWith('@')) return argument;
  try {
    return readFileSync(argument === '-' ? process.stdin.fd : argument.slice(1), 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`The body cannot be read: ${(error as Error).message}.`);
  }
}

/** Adds a header to those before. */
function readHeader(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([\w-]+): *(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...before, [name]: value };
  throw new InvalidArgumentError('It must be a name, a colon and a value, for example "if-match: *".');
}

/** Adds parameters to the text of a query. An argument with one parameter is encoded, except its commas: encoded, they would not separate values. */
function readQuery(text: string, before = ''): string {
  const mark = text.indexOf('=');
  if (mark <= 0)
    throw new InvalidArgumentError('It must be a name and a value, for example "status=active".');
  const own = text.includes('&')
    ? text
    : new URLSearchParams([[text.slice(0, mark), text.slice(mark + 1)]]).toString().replaceAll('%2C', ',');
  return before === '' ? own : `${before}&${own}`;
}

const tenantClaims = (tenant: string): Record<string, unknown> => ({
  sub: 'pm-api invoke',
  tenant,
  scope: apiScopes.join(' '),
});

function readClaims(json: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    given = undefined;
  }
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return given as Record<string, unknown>;
  throw new InvalidArgumentError('It must be a JSON object, for example {"tenant":"acme"}.');
}

interface Place {
  readonly endpoint: string | undefined;
  readonly databaseFile: string;
  readonly tableName: string | undefined;
}

/**
 * Connects to the engine or starts it, and prepares this process.
 * @returns a function that ends both.
 * @throws CommandFailure that says what is wrong with the engine, the database file or the table.
 */
async function open({ endpoint, databaseFile, tableName }: Place, hasToken: boolean) {
  let engine: Engine | undefined;
  try {
    engine = endpoint ? await existingEngine(endpoint) : await shareEngine(databaseFile);
    const location = { endpoint: engine.endpoint, tableName: tableName ?? defaultTableName };
    const close = await openFunctions(location, hasToken ? { tenantClaim: 'tenant' } : undefined);
    const { stop } = engine;
    return async (): Promise<void> => {
      close();
      await stop();
    };
  } catch (cause) {
    await engine?.stop();
    throw new CommandFailure((cause as Error).message, { cause });
  }
}

/** Prints the response: the body alone on the standard output, for other programs. */
function print(
  { statusCode, headers, body }: InvokeResult<Contract>,
  durationMs: number,
  includesHeaders: boolean,
): void {
  const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`;
  console.error(`${status}, ${Math.round(durationMs)} ms, ${usageText(headers['server-timing'])}`);
  if (includesHeaders)
    for (const [name, value] of Object.entries(headers)) console.error(`${name}: ${value}`);
  if (body !== undefined) console.log(typeof body === 'string' ? body : JSON.stringify(body, null, 2));
}

const listOfOperations = (): string =>
  routes
    .map(
      ({ contract: { operation, method, path } }) => `  ${operation.padEnd(26)}  ${method.padEnd(6)} ${path}`,
    )
    .join('\n');

export const command = new Command('invoke')
  .description(
    'Calls the handler of an operation with the event that API Gateway would send, and prints the response. It uses the data of "npm start", which may be running meanwhile. Exit codes: 0 for a status below 400, 1 for another one, 2 for wrong arguments.',
  )
  .addArgument(new Argument('<operation>').argParser(findContract))
  .option('--id <id>', 'id in the path')
  .option('--body <json>', 'body; "@file" reads it from a file, "-" from the standard input', readText)
  .option('--query <name=value>', 'query parameter; repeatable. Several are joined with "&"', readQuery)
  .option('--header <name: value>', 'header; repeatable', readHeader)
  .option(
    '--tenant <name>',
    'sends a token of this tenant, with all scopes. Without a token, the request is of the tenant of "npm start" without an issuer',
  )
  .option('--claims <json>', 'sends a token with these claims; "tenant" names the tenant', readClaims)
  .option('--include', 'prints the headers of the response too')
  .option(
    '--event',
    'prints the event and does not call the handler, for example as a test event for the console of AWS Lambda',
  )
  .addOption(databaseFileOption())
  .addOption(engineOption())
  .addOption(tableNameOption())
  .addHelpText(
    'after',
    () => `
Examples:
  npx pm-api invoke createTask --body '{"name":"A"}'
  npx pm-api invoke listTasks --query status=active --query limit=5
  npx pm-api invoke updateTask --id 019b… --body '{"status":"completed"}' --header 'if-match: "…"'

Operations:
${listOfOperations()}`,
  )
  .action(
    async (
      contract,
      { id, body: text, query = '', header: headers = {}, include = false, event: isEventOnly, ...options },
    ) => {
      const { operation, path } = contract;
      if (path.includes('{') && id === undefined)
        throw new InvalidArgumentError(`${operation} needs --id: its path is ${path}.`);
      if (!path.includes('{') && id !== undefined)
        throw new InvalidArgumentError(`${operation} takes no --id: its path is ${path}.`);
      const { tenant, databaseFile, dynamodbEndpoint: endpoint, tableName } = options;
      const claims = tenant === undefined ? options.claims : { ...tenantClaims(tenant), ...options.claims };
      const event = operationEvent(contract, { id, text, query, headers, claims });
      if (isEventOnly) {
        console.log(JSON.stringify(event, null, 2));
        return;
      }
      const close = await open({ endpoint, databaseFile, tableName }, claims !== undefined);
      const started = performance.now();
      try {
        const result = await invokeWithEvent(contract, event);
        print(result, performance.now() - started, include);
        process.exitCode = result.statusCode < 400 ? 0 : 1;
      } finally {
        await close();
      }
    },
  );
