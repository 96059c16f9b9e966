import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from '@commander-js/extra-typings';
import { type CdkCommand, cdkCommands, cdkHelp } from '../lib/cdk/commands.ts';
import { findAws, requireAws } from '../lib/cdk/credentials.ts';
import { cdkFlags, requireKnownFlags } from '../lib/cdk/flags.ts';
import { CommandFailure } from '../lib/command-line/command-line.ts';
import { outputsFile } from '../lib/command-line/outputs.ts';
import { tool } from '../lib/command-line/programs.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import type { Settings } from '../lib/infrastructure/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @throws CommandFailure with what CloudFormation would find too late or not at all. */
async function requireDeployable(
  command: 'deploy' | 'import',
  settings: Settings,
  region: string,
): Promise<void> {
  const { checkDeployment } = await import('../lib/preflight/check-deployment.ts');
  const { refusals, warnings } = await checkDeployment(command, settings, region);
  for (const line of warnings) console.error(line);
  if (refusals.length > 0) throw new CommandFailure(refusals.join('\n'));
}

/** Runs CDK, and prints what it says only if it fails: on success, it advertises flags and lists stacks. Warnings are always printed. */
async function synthesize([program, ...args]: ReturnType<typeof tool>): Promise<number> {
  const child = spawn(program, args, { cwd: root, stdio: ['inherit', 'pipe', 'pipe'] });
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

/** Runs a command of CDK. @returns its exit code. */
async function run(command: CdkCommand, given: readonly string[]): Promise<number> {
  requireKnownFlags(given);
  // Synthesis needs no account.
  const found = command === 'synth' ? undefined : findAws();
  // These modules load CDK, which takes most of a second: as long as the search for credentials.
  const { announcement, cdkArguments, commandFlags, contextOf } = await import('../lib/cdk/options.ts');
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
  if (
    settings.documentation &&
    !isSiteBuilt() &&
    (await runProgram([process.execPath, resolve(root, 'bin/pm-api.mjs'), 'site'], { cwd: root })) !== 0
  ) {
    throw new CommandFailure('The documentation could not be built: see above.');
  }
  mkdirSync(resolve(root, dirname(outputsFile(settings.stage))), { recursive: true });
  const program = tool('cdk', ...cdkArguments(command, settings, flags));
  const isVerbose = flags.some((flag) => /^(?:-v+|--verbose|--debug)$/.test(flag));
  return command === 'synth' && !isVerbose ? synthesize(program) : runProgram(program, { cwd: root });
}

export const command = new Command('cdk')
  .description('Checks the settings, the flags, the credentials and the region, and runs CDK.')
  .addArgument(new Argument('<command>').choices(cdkCommands))
  .argument('[flags...]', 'flags of CDK; another one than those below is refused')
  .allowUnknownOption()
  .addHelpText(
    'after',
    () => `
Commands:
${cdkHelp()}

Flags of CDK: ${cdkFlags.join(' ')}

Settings: -c <setting>=<value> sets one over that of cdk.json, for example -c stage=production; repeatable (docs/deployment.md lists them)`,
  )
  .action(async (name, flags) => {
    process.exitCode = await run(name, flags);
  });
