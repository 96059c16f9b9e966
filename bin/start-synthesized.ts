/** `npm run start:synthesized`: what `npm run synth` wrote, and nothing else, on this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand, runUntilStopped, UsageError } from '../lib/cli/command-line.ts';
import { commonOptions, explained, synthesizedOptionsHelp } from '../lib/cli/start-options.ts';
import { readDeployment, runtimes } from '../lib/cloud-assembly/deployment.ts';
import type { Usage } from '../lib/cloud-assembly/door.ts';
import { findNode, isThisProcess, majorOf } from '../lib/cloud-assembly/runtime.ts';
import { shippedFunctions } from '../lib/cloud-assembly/shipped-functions.ts';
import { tokenHelp } from '../lib/cloud-assembly/token-help.ts';
import type { Authentication } from '../lib/local/authorizer.ts';
import { isAws } from '../lib/local/engine-environment.ts';
import { startService } from '../lib/local/service.ts';

const help = `Runs what "npm run synth" wrote on this machine: routes, environments, bundles, roles and the
authorizer are those of the templates, and each call to the database is held against the function's role.

  npm run start:synthesized -- [options]

  --assembly <folder>         what was synthesized (cdk.out)
  --any-node                  on this Node.js, whatever the templates say
  --without-stream            leaves the work of the stream's function to the schedule's
  --usage-report <file>       where to write, at the end, which permissions were used
${synthesizedOptionsHelp}`;

const ownFlags = {
  assembly: { type: 'string' },
  'any-node': { type: 'boolean' },
  'without-stream': { type: 'boolean' },
  'usage-report': { type: 'string' },
} as const;

/** Runs this command on another Node.js. */
async function runOn(node: string): Promise<number> {
  const child = spawn(node, ['--import', 'tsx', fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** What people should know of the roles, after a run. */
function summary(usage: readonly Usage[]): string {
  const lines = (title: string, of: (one: Usage) => readonly string[]): string[] => {
    const found = usage.flatMap((one) => of(one).map((use) => `  ${one.function}: ${use}`));
    return [`${title}: ${found.length}`, ...found];
  };
  return [
    ...lines('Calls that no role allows', ({ refused }) => refused),
    ...lines('Permissions that were not used', ({ unused }) => unused),
  ].join('\n');
}

/** The Node.js to run on instead of this one; nothing when this one will do. */
function otherNode(assembly: string, any: boolean): string | undefined {
  const [major = ''] = runtimes(assembly).map(majorOf);
  if (any || isThisProcess(major)) return undefined;
  const found = findNode(major);
  if (found) return found;
  throw new Error(
    `The functions are for Node.js ${major}; this is ${process.versions.node}, and no other could be fetched. ` +
      'Run this on the right one, or on this one with --any-node.',
  );
}

/** Warns when the tokens that the templates ask for cannot be checked. Their own issuer may not be deployed. */
async function warnWithoutIssuer(assembly: string, given: Authentication | undefined): Promise<void> {
  const { authentication, routes } = readDeployment(assembly, '');
  if (!authentication) return;
  const scope = routes.flatMap(({ scopes = [] }) => scopes)[0] ?? '';
  const text = await tokenHelp((given ?? authentication).issuer, scope);
  if (text) console.error(text);
}

async function main(): Promise<number> {
  const wanted = commonOptions(process.argv.slice(2), ownFlags);
  if (wanted === 'help') {
    console.log(help);
    return 0;
  }
  const { flags, endpoint } = wanted;
  if (endpoint && isAws(endpoint)) {
    throw new UsageError(
      `This command does not run on AWS (${endpoint}): it signs no requests. Leave DYNAMODB_ENDPOINT out.`,
    );
  }
  const assembly = String(flags['assembly'] ?? 'cdk.out');
  const report = flags['usage-report'];
  let service: Awaited<ReturnType<typeof startService>>;
  try {
    const node = otherNode(assembly, flags['any-node'] === true);
    if (node) return await runOn(node);
    const onUsage = (usage: Usage[]): void => {
      console.log(summary(usage));
      if (report) writeFileSync(String(report), JSON.stringify(usage, null, 2));
    };
    const withoutStream = flags['without-stream'] === true;
    await warnWithoutIssuer(assembly, wanted.authentication);
    service = await startService(wanted, shippedFunctions({ assembly, withoutStream, onUsage }));
  } catch (error) {
    console.error(explained(error, wanted, 'npm run start:synthesized'));
    return 1;
  }
  return runUntilStopped(service, () => {
    console.log(`The synthesized API listens on ${service.url} (${service.engine}, Node.js ${process.versions.node}).
Stop: Ctrl-C`);
  });
}

await runCommand('npm run start:synthesized', main);
