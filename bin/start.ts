import inspector from 'node:inspector';
import { CommandFailure, defaultServiceUrl, runUntilStopped } from '../lib/command-line/command-line.ts';
import { explainStartError, startCommand, startOptions } from '../lib/command-line/start-options.ts';
import { copyDatabase } from '../lib/local/database-copy.ts';
import { prepareDatabaseFile } from '../lib/local/database-file.ts';
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { requireIssuer } from '../lib/local/issuer.ts';
import { loopback } from '../lib/local/port.ts';
import { requestJson, requestLine } from '../lib/local/request-line.ts';
import { type ServiceOptions, startService } from '../lib/local/service.ts';
import type { SignInIssuer } from '../lib/local/sign-in/issuer.ts';
import { buildSiteInBackground } from '../lib/site/background.ts';

type StartOptions = ReturnType<typeof startOptions>;

const printers: Readonly<Record<StartOptions['requestLog'], ServiceOptions['onResponse']>> = {
  lines: (response) => console.log(requestLine(response)),
  json: (response) => console.log(requestJson(response, new Date())),
  off: undefined,
};

function placeOf({ copyOf, endpoint, databaseFile }: StartOptions): string {
  if (copyOf !== undefined) return `a copy of ${copyOf}, deleted at the end`;
  return endpoint ?? (databaseFile === inMemory ? 'in memory, lost at the end' : databaseFile);
}

/** @throws CommandFailure when the port is taken. */
async function startIssuer(options: StartOptions): Promise<SignInIssuer | undefined> {
  const { signInPort: port, databaseFile, copyOf, endpoint } = options;
  if (port === undefined) return undefined;
  const isKept = databaseFile !== inMemory && copyOf === undefined && endpoint === undefined;
  const keyFile = isKept ? `${prepareDatabaseFile(databaseFile)}.sign-in-key.json` : undefined;
  // Most starts need no issuer, and its server takes a tenth of a second to load.
  const { startSignIn } = await import('../lib/local/sign-in/issuer.ts');
  try {
    return await startSignIn(port, keyFile);
  } catch (cause) {
    const reason = `The port ${port} of the issuer cannot be used: ${(cause as Error).message}.`;
    throw new CommandFailure(`${reason} Choose another with --sign-in-port.`, { cause });
  }
}

async function start(options: StartOptions): Promise<void> {
  const started = performance.now();
  if (options.inspect !== undefined) inspector.open(options.inspect, loopback);
  let service: Awaited<ReturnType<typeof startService>>;
  let copy: Awaited<ReturnType<typeof copyDatabase>> | undefined;
  let signIn: SignInIssuer | undefined;
  const release = async (): Promise<void> => {
    await signIn?.stop();
    copy?.remove();
  };
  try {
    if (options.authentication) await requireIssuer(options.authentication.issuer);
    copy = options.copyOf === undefined ? undefined : await copyDatabase(options.copyOf);
    signIn = await startIssuer(options);
    service = await startService({
      ...options,
      ...(copy && { databaseFile: copy.databaseFile, endpoint: undefined }),
      ...(signIn && { authentication: { issuer: signIn.url, audience: [signIn.audience], isLocal: true } }),
      onResponse: printers[options.requestLog],
    });
  } catch (cause) {
    await release();
    throw new CommandFailure(explainStartError(cause, options), { cause });
  }
  const stopBuilding = buildSiteInBackground();
  try {
    await runUntilStopped(service, () => {
      console.log(`The API listens on ${service.url} (ready in ${Math.round(performance.now() - started)} ms).
Data: ${placeOf(options)} (${service.engine})
Table: ${service.tableName} at ${service.endpoint}
Read: ${service.url}/docs
${options.eventsAddress ? `Events: posted to ${options.eventsAddress}\n` : ''}${signIn ? `Sign in: ${signIn.url} is the issuer of tokens. "npx pm-api token local${service.url === defaultServiceUrl ? '' : ` --url ${service.url}`}" prints one.\n` : ''}Try:  curl -s ${service.url}/v1/organizations -H 'content-type: application/json' -d '{"name":"Acme"}'${options.authentication || signIn ? ` -H "authorization: Bearer $TOKEN"` : ''}
Stop: Ctrl-C`);
    });
  } finally {
    await stopBuilding();
    await release();
    console.log('\nStopped.');
  }
}

export const command = startCommand('start').description('Runs the project-management API on this machine.');

command.action(() => start(startOptions(command)));
