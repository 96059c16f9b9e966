import { runCommand, runUntilStopped } from '../lib/cli/command-line.ts';
import {
  explainStartError,
  type RequestLog,
  type StartOptions,
  startOptions,
  startOptionsHelp,
} from '../lib/cli/start-options.ts';
import { copyDatabase } from '../lib/local/database-copy.ts';
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { requireIssuer } from '../lib/local/issuer.ts';
import { requestJson, requestLine } from '../lib/local/request-line.ts';
import { type ServiceOptions, startService } from '../lib/local/service.ts';

const help = `Runs the project-management API on this machine.

  npm start -- [options]

${startOptionsHelp}`;

const printers: Readonly<Record<RequestLog, ServiceOptions['onResponse']>> = {
  lines: (response) => console.log(requestLine(response)),
  json: (response) => console.log(requestJson(response, new Date())),
  off: undefined,
};

function placeOf({ copyOf, endpoint, databaseFile }: StartOptions): string {
  if (copyOf !== undefined) return `a copy of ${copyOf}, deleted at the end`;
  return endpoint ?? (databaseFile === inMemory ? 'in memory, lost at the end' : databaseFile);
}

async function main(): Promise<number> {
  const started = performance.now();
  const options = startOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return 0;
  }
  let service: Awaited<ReturnType<typeof startService>>;
  let copy: ReturnType<typeof copyDatabase> | undefined;
  try {
    if (options.authentication) await requireIssuer(options.authentication.issuer);
    copy = options.copyOf === undefined ? undefined : copyDatabase(options.copyOf);
    service = await startService({
      ...options,
      ...(copy && { databaseFile: copy.databaseFile, endpoint: undefined }),
      onResponse: printers[options.requestLog],
    });
  } catch (error) {
    copy?.remove();
    console.error(explainStartError(error, options, 'npm start'));
    return 1;
  }
  const place = placeOf(options);
  const code = await runUntilStopped(service, () => {
    console.log(`The API listens on ${service.url} (ready in ${Math.round(performance.now() - started)} ms).
Data: ${place} (${service.engine})
Table: ${service.tableName} at ${service.endpoint}
Read: ${service.url}
Try:  curl -s ${service.url}/v1/organizations -H 'content-type: application/json' -d '{"name":"Acme"}'${options.authentication ? ` -H "authorization: Bearer $TOKEN"` : ''}
Stop: Ctrl-C`);
  });
  copy?.remove();
  console.log('\nStopped.');
  return code;
}

await runCommand('npm start', main);
