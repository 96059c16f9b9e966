import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { cdkHelp, requireCommand, scriptOf } from '../lib/cli/cdk-commands.ts';
import { requireKnownFlags } from '../lib/cli/cdk-flags.ts';
import { CommandFailure, runCommand } from '../lib/cli/command-line.ts';
import { findAws, requireAws } from '../lib/cli/credentials.ts';
import { outputsFile } from '../lib/cli/outputs.ts';
import { runProgram } from '../lib/cli/run-program.ts';
import { npm } from '../lib/cli/tools.ts';
import type { Settings } from '../lib/infrastructure/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);

/** @throws CommandFailure with what CloudFormation would find too late or not at all. */
async function requireDeployable(
  command: 'deploy' | 'import',
  settings: Settings,
  region: string,
): Promise<void> {
  const { checkDeployment } = await import('../lib/preflight/check-deployment.ts');
  const { refusals, skipped } = await checkDeployment(command, settings, region);
  for (const line of skipped) console.error(line);
  if (refusals.length > 0) throw new CommandFailure(refusals.join('\n'));
}

/** Runs CDK, and prints what it says only if it fails: on success, it advertises flags and lists stacks. Warnings are always printed. */
async function synthesize(values: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, values, { cwd: root, stdio: ['inherit', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  for (const line of (output + errors).split('\n'))
    if (code !== 0 || /^\[?warn/i.test(line)) console.error(line);
  if (code === 0) console.log('The templates and bundles are written.');
  return code ?? 1;
}

await runCommand(scriptOf(args[0]), async () => {
  if (args.some((flag) => flag === '--help' || flag === '-h')) {
    console.log(cdkHelp);
    return 0;
  }
  const [name, ...given] = args;
  const command = requireCommand(name);
  requireKnownFlags(command, given);
  // Synthesis needs no account.
  const found = command === 'synth' ? undefined : findAws();
  // These modules load CDK, which takes most of a second: as long as the search for credentials.
  const { announcement, cdkArguments, commandFlags, contextOf, requireFlags } = await import(
    '../lib/cli/cdk-options.ts'
  );
  requireFlags(command, process.env);
  const { context } = JSON.parse(readFileSync(resolve(root, 'cdk.json'), 'utf8')) as {
    context: Record<string, unknown>;
  };
  const flags = commandFlags(command, given, context);
  const { readSettings, SettingsError } = await import('../lib/infrastructure/read-settings.ts');
  let settings: Settings;
  try {
    settings = readSettings(contextOf(context, flags));
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
  if (found) {
    const region = await requireAws(found, settings.region);
    console.log(announcement(command, settings, region));
    if (command === 'deploy' || command === 'import') await requireDeployable(command, settings, region);
  }
  const { isSiteBuilt } = await import('../lib/site/build.ts');
  if (!isSiteBuilt() && (await runProgram(npm('run', '--silent', 'site'), { cwd: root })) !== 0) {
    throw new CommandFailure('The documentation could not be built: see above.');
  }
  mkdirSync(resolve(root, dirname(outputsFile(settings.stage))), { recursive: true });
  const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  const values = [cdk, ...cdkArguments(command, settings, flags)];
  const isVerbose = flags.some((flag) => /^(?:-v+|--verbose|--debug)$/.test(flag));
  if (command === 'synth' && !isVerbose) return synthesize(values);
  const child = spawn(process.execPath, values, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
});
