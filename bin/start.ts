import { CommandFailure, runCommand, runUntilStopped } from '../lib/cli/command-line.ts';
import {
  explainStartError,
  type RequestLog,
  startOptions,
  startOptionsHelp,
} from '../lib/cli/start-options.ts';
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { requireIssuer } from '../lib/local/issuer.ts';
import { requestJson, requestLine } from '../lib/local/request-line.ts';
import { type ServiceOptions, startService } from '../lib/local/service.ts';
import { localAudience, type SignInIssuer, startSignIn } from '../lib/local/sign-in/issuer.ts';

const help = `Runs the project-management API on this machine.

  npm start -- [options]

${startOptionsHelp}`;

const printers: Readonly<Record<RequestLog, ServiceOptions['onResponse']>> = {
  lines: (response) => console.log(requestLine(response)),
  json: (response) => console.log(requestJson(response, new Date())),
  off: undefined,
};

/** @throws CommandFailure when the port is taken. */
async function startIssuer(port: number | undefined): Promise<SignInIssuer | undefined> {
  if (port === undefined) return undefined;
  try {
    return await startSignIn(port);
  } catch (cause) {
    const reason = `The port ${port} of the issuer cannot be used: ${(cause as Error).message}.`;
    throw new CommandFailure(`${reason} Choose another with --sign-in-port.`, { cause });
  }
}

async function main(): Promise<number> {
  const started = performance.now();
  const options = startOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return 0;
  }
  let service: Awaited<ReturnType<typeof startService>>;
  let signIn: SignInIssuer | undefined;
  try {
    if (options.authentication) await requireIssuer(options.authentication.issuer);
    signIn = await startIssuer(options.signInPort);
    const authentication = signIn
      ? { issuer: signIn.url, audience: [localAudience] }
      : options.authentication;
    service = await startService({ ...options, authentication, onResponse: printers[options.requestLog] });
  } catch (error) {
    await signIn?.stop();
    console.error(explainStartError(error, options, 'npm start'));
    return 1;
  }
  const place =
    options.endpoint ??
    (options.databaseFile === inMemory ? 'in memory, lost at the end' : options.databaseFile);
  const code = await runUntilStopped(service, () => {
    console.log(`The API listens on ${service.url} (ready in ${Math.round(performance.now() - started)} ms).
Data: ${place} (${service.engine})
Table: ${service.tableName} at ${service.endpoint}
Read: ${service.url}
${signIn ? `Sign in: ${signIn.url} is the issuer of tokens. "npm run token -- --local" prints one.\n` : ''}Try:  curl -s ${service.url}/v1/organizations -H 'content-type: application/json' -d '{"name":"Acme"}'${options.authentication || signIn ? ` -H "authorization: Bearer $TOKEN"` : ''}
Stop: Ctrl-C`);
  });
  await signIn?.stop();
  console.log('\nStopped.');
  return code;
}

await runCommand('npm start', main);
