/** `npm start`: the whole service on this machine. */
import { runCommand, runUntilStopped } from '../lib/cli/command-line.ts';
import { explained, startOptions, startOptionsHelp } from '../lib/cli/start-options.ts';
import { inMemory } from '../lib/local/engine.ts';
import { requireIssuer } from '../lib/local/issuer.ts';
import { startService } from '../lib/local/service.ts';

const help = `Runs the project-management API on this machine.

  npm start -- [options]

${startOptionsHelp}`;

async function main(): Promise<number> {
  const started = performance.now();
  const wanted = startOptions(process.argv.slice(2));
  if (wanted === 'help') {
    console.log(help);
    return 0;
  }
  let service: Awaited<ReturnType<typeof startService>>;
  try {
    if (wanted.authentication) await requireIssuer(wanted.authentication.issuer);
    service = await startService(wanted);
  } catch (error) {
    console.error(explained(error, wanted, 'npm start'));
    return 1;
  }
  const place = wanted.endpoint ?? (wanted.databaseFile === inMemory ? 'memory only' : wanted.databaseFile);
  const announcement = `The API listens on ${service.url} (ready in ${Math.round(performance.now() - started)} ms).
Data: ${place} (${service.engine})
Read: ${service.url}/docs
Try:  curl -s ${service.url}/v1/organizations -H 'content-type: application/json' -d '{"name":"Acme"}'${wanted.authentication ? ` -H "authorization: Bearer $TOKEN"` : ''}
Stop: Ctrl-C`;
  const code = await runUntilStopped(service, () => console.log(announcement));
  console.log('\nStopped.');
  return code;
}

await runCommand('npm start', main);
