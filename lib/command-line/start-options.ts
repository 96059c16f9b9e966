/** Options of the commands that run the service. */
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isOrigin } from '../hosting/cors.ts';
import { maxTenantRate } from '../hosting/functions.ts';
import type { Authentication } from '../local/authorizer.ts';
import { isAws } from '../local/engine-environment.ts';
import { type FailOption, faultsOf } from '../local/faults.ts';
import { loopback } from '../local/port.ts';
import { httpAddress, wholeNumber } from './command-line.ts';

const port = wholeNumber(0, 65_535);

/** A host name, without scheme and port. */
const hostName = /^[a-z\d](?:[a-z\d._-]*[a-z\d])?$/;

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

/** Adds the origins of a list that is separated by commas. */
function origins(text: string, before: readonly string[]): readonly string[] {
  if (itemsOf(text).every(isOrigin)) return [...before, ...itemsOf(text)];
  throw new InvalidArgumentError(
    'An origin must be a scheme, host and port, for example https://app.example.com, or "*".',
  );
}

/** Adds the hosts of a list that is separated by commas. */
function hosts(text: string, before: readonly string[]): readonly string[] {
  const names = itemsOf(text.toLowerCase());
  if (names.every((name) => hostName.test(name))) return [...before, ...names];
  throw new InvalidArgumentError('A host must be a name without a port, for example laptop.example.com.');
}

const failStatuses = [429, 500, 502, 503, 504];

/** Reads a share and a status, such as `10%:503`. */
function failOption(text: string): FailOption {
  const [, percent, status] = /^(\d{1,3}(?:\.\d+)?)%:(\d{3})$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100 && failStatuses.includes(Number(status)))
    return { share: Number(percent) / 100, status: Number(status) };
  throw new InvalidArgumentError(
    `It must be a share and a status, for example 10%:503. The status is one of ${failStatuses.join(', ')}.`,
  );
}

const noNames: readonly string[] = [];

export const databaseFileOption = () =>
  new Option('--database-file <path>', 'file for the data; ":memory:" keeps the data in memory only')
    .env('DATABASE_FILE')
    .default('.data/database.sqlite');

export const engineOption = () =>
  new Option(
    '--dynamodb-endpoint <url>',
    'uses this DynamoDB instead of the embedded engine; the table is created when it does not exist',
  )
    .env('DYNAMODB_ENDPOINT')
    .argParser(httpAddress);

export const tableNameOption = () =>
  new Option('--table-name <name>', 'name of the table; default: project-management').env('TABLE_NAME');

/** Returns a command with the options that every local service has. */
export const hostedCommand = (name: string) =>
  new Command(name)
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 selects any free port')
        .env('PORT')
        .default(3_000)
        .argParser(port),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on; 0.0.0.0 accepts connections from other machines')
        .env('HOST')
        .default(loopback),
    )
    .addOption(
      new Option(
        '--allow-host <names>',
        'host names that requests may use, separated by commas; repeatable. localhost, names that end in .localhost and all IP addresses are always allowed',
      )
        .env('ALLOW_HOST')
        .default(noNames)
        .argParser(hosts),
    )
    .addOption(
      new Option(
        '--allow-origin <origins>',
        'origins whose pages may call, separated by commas; "*" allows all; repeatable. localhost and 127.0.0.1 are always allowed, on any port',
      )
        .env('ALLOW_ORIGIN')
        .default(noNames)
        .argParser(origins),
    )
    .addOption(databaseFileOption())
    .addOption(engineOption())
    .addOption(
      new Option('--authentication-issuer <url>', 'requires tokens of this OpenID issuer; default: no tokens')
        .env('AUTHENTICATION_ISSUER')
        .argParser(httpAddress),
    )
    .addOption(
      new Option(
        '--authentication-audience <names>',
        'accepted values of "aud" or "client_id" in the tokens, separated by commas',
      )
        .env('AUTHENTICATION_AUDIENCE')
        .argParser(itemsOf),
    )
    .addOption(
      new Option('--tenant-claim <name>', 'claim that contains the tenant; default: tenant').env(
        'TENANT_CLAIM',
      ),
    );

/** Returns a command with the options of `npm start`. */
export const startCommand = (name: string) =>
  hostedCommand(name)
    .option(
      '--allow-unauthenticated',
      'allows a table on AWS without an issuer: everyone who can connect to the service can read and write it',
    )
    .addOption(
      new Option(
        '--copy-of <path>',
        'uses a copy of this data file, and deletes it at the end: each start has the same data',
      ),
    )
    .option('--delay <ms>', 'delays each response of the API, to test clients', wholeNumber(0, 60_000))
    .option(
      '--fail <share:status>',
      'answers a share of the requests with an error, to test clients: 10%:503; 429, 500, 502, 503, or 504, which loses the response of a request that is carried out',
      failOption,
    )
    .option('--fail-seed <number>', 'fails the same requests at each start', wholeNumber(0, 2 ** 32 - 1))
    .option(
      '--events <url>',
      'posts an event for each change to this address, at least once, in batches of CloudEvents; it continues where an earlier start ended',
      httpAddress,
    )
    .option(
      '--sign-in',
      'requires tokens, and runs an issuer for development beside the service, with a page on which you choose who you are',
    )
    .addOption(
      new Option('--inspect [port]', 'lets a debugger connect, on port 9229 or another one')
        .preset('9229')
        .argParser(port),
    )
    .option('--sign-in-port <number>', 'port of this issuer; default: the port of the service plus 1', port)
    .addOption(tableNameOption())
    .addOption(
      new Option(
        '--tenant-rate <number>',
        'capacity units per second that the requests of a tenant may use, over 10 seconds; further ones get 429. 0 sets no limit',
      )
        .env('TENANT_RATE')
        .default(0)
        .argParser(wholeNumber(0, maxTenantRate)),
    )
    .addOption(
      new Option('--request-log <format>', 'what is printed for each request; json: one object in a line')
        .env('REQUEST_LOG')
        .choices(['lines', 'json', 'off'] as const)
        .default('lines' as const),
    );

type HostedFlags = ReturnType<ReturnType<typeof hostedCommand>['opts']>;

/** Returns what the options say of a local service. */
export function hostedOptions<Flags extends HostedFlags>({
  dynamodbEndpoint: endpoint,
  allowHost: allowedHosts,
  allowOrigin: allowedOrigins,
  authenticationIssuer: issuer,
  authenticationAudience: audience,
  ...options
}: Flags) {
  if ((issuer === undefined) !== (audience === undefined))
    throw new InvalidArgumentError(
      'Set both --authentication-issuer and --authentication-audience, or neither.',
    );
  const authentication: Authentication | undefined = issuer && audience ? { issuer, audience } : undefined;
  return { ...options, endpoint, allowedHosts, allowedOrigins, authentication };
}

/** Returns what the options of `npm start` say, and refuses a table on AWS that would be open to everyone. */
export function startOptions(command: ReturnType<typeof startCommand>) {
  const { copyOf, delay, events, fail, failSeed, signIn, signInPort, allowUnauthenticated, ...flags } =
    command.opts();
  const options = hostedOptions(flags);
  const { endpoint, authentication } = options;
  if (endpoint && isAws(endpoint) && !authentication && !allowUnauthenticated) {
    throw new InvalidArgumentError(
      `Everyone who can connect could read and write the table at ${endpoint}, because no issuer is set. ` +
        'Set one with --authentication-issuer and --authentication-audience, ' +
        'or allow it with --allow-unauthenticated.',
    );
  }
  const other = (['databaseFile', 'dynamodbEndpoint'] as const).find(
    (name) => command.getOptionValueSource(name) === 'cli',
  );
  if (copyOf !== undefined && other)
    throw new InvalidArgumentError('--copy-of and another option each name the data. Pass one of them.');
  if (failSeed !== undefined && !fail) throw new InvalidArgumentError('--fail-seed needs --fail.');
  if (signInPort !== undefined && !signIn) throw new InvalidArgumentError('--sign-in-port needs --sign-in.');
  if (signIn && authentication)
    throw new InvalidArgumentError('Choose either --sign-in or --authentication-issuer.');
  const usualPort = options.port === 0 ? 0 : options.port + 1;
  return {
    ...options,
    copyOf,
    faults: faultsOf({ fail, delay, failSeed }),
    /** The port of an issuer for development, whose tokens are required; 0 selects any free port. */
    signInPort: signIn ? (signInPort ?? usualPort) : undefined,
    eventsAddress: events,
  };
}

const addressErrors = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

export function explainStartError(
  error: unknown,
  { port: taken, host }: { readonly port: number; readonly host: string },
): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${taken} is already in use. Choose another: --port ${taken + 1}`;
  if (code === 'EACCES')
    return `This process has no permission to listen on port ${taken}. Choose a port above 1023.`;
  if (addressErrors.includes(code))
    return `This machine has no address "${host}". Choose another: --host ${loopback}`;
  return message;
}
