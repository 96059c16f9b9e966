import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { createClient } from '../client/index.ts';
import { resources } from '../functions/schema.ts';
import { asFailure, CommandFailure, serviceAddress } from '../lib/command-line/command-line.ts';
import { defaultStage, readOutputs, requiredOutput } from '../lib/command-line/outputs.ts';
import { tool } from '../lib/command-line/programs.ts';
import { tokenOption } from '../lib/command-line/service-options.ts';
import { tokenFor } from '../lib/tokens/local-token.ts';
import { journalOf, journalVariable, removeCreated, stopFileOf } from '../lib/verify/created-entities.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Deployment {
  /** Scheme, host and port, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  readonly otherToken?: string | undefined;
}

/** Checks that the text is part of a name of a test file. */
function parseFile(only: string): string {
  const names = readdirSync(resolve(root, 'test/contract'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.test.ts'.length))
    .sort();
  if (names.some((name) => name.includes(only))) return only;
  throw new InvalidArgumentError(`No file has it in its name. The files are: ${names.join(', ')}.`);
}

/** Runs the tests. @returns the exit code, or undefined when a signal ended them. */
async function runTests({ url, token, otherToken }: Deployment, only: string): Promise<number | undefined> {
  const journal = resolve(root, journalOf(url));
  mkdirSync(dirname(journal), { recursive: true });
  rmSync(stopFileOf(journal), { force: true });
  const progress = resolve(root, 'test/support/verify-progress.js');
  // The flag takes all arguments up to the next flag.
  const flags = ['--reporters=default', `--reporters=${progress}`, '--verbose'];
  const [program, ...args] = tool('jest', ...flags, `test/contract/.*${only}`);
  const suites = spawn(program, args, {
    cwd: root,
    stdio: 'inherit',
    // A group of its own: a signal of the terminal must not end the tests before they delete what they created.
    detached: true,
    env: {
      ...{ ...process.env, BASE_URL: url, [journalVariable]: journal },
      ...(token && { TOKEN: token }),
      ...(otherToken && { OTHER_TOKEN: otherToken }),
    },
  });
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const isRunning = suites.exitCode === null && suites.signalCode === null;
      if (isInterrupted && isRunning) process.kill(-(suites.pid ?? 0), 'SIGKILL');
      if (isInterrupted) return;
      isInterrupted = true;
      console.error('Stopping. The tests delete what they created. A second signal ends them at once.');
      writeFileSync(stopFileOf(journal), '');
    });
  }
  const [code] = (await once(suites, 'exit')) as [number | null];
  rmSync(stopFileOf(journal), { force: true });
  return isInterrupted ? undefined : (code ?? 1);
}

/** @throws CommandFailure when the service refuses the token, or each test would fail because it lacks a scope. */
async function requireScopes({ url, token }: Deployment): Promise<void> {
  if (token === undefined) return;
  const { scopes } = await asFailure(createClient({ url, token }).me());
  const needed = resources.flatMap(({ plural }) => [`${plural}:read`, `${plural}:write`]);
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) throw new CommandFailure(`The token lacks ${missing.join(', ')}.`);
}

async function cleanUp({ url, token }: Deployment, reason: string): Promise<void> {
  const deleted = await removeCreated(url, token, resolve(root, journalOf(url)));
  if (deleted > 0) console.error(`Deleted ${deleted} entities that ${reason} had created.`);
}

export const command = new Command('verify')
  .description(
    'Runs the contract tests against a deployment and prints the result of every test. After each file it prints the progress and the time that is left, by the time of the files so far. The tests delete what they create, also after Ctrl-C; the next run deletes what a killed run left. The exit code is 0 when all tests pass, otherwise 1.',
  )
  .addArgument(new Argument('[url]', 'address of the deployment').argParser(serviceAddress))
  .option(
    '--stage <name>',
    `stage whose URL the last deployment from this folder printed, when the URL is absent; default: ${defaultStage}`,
  )
  .addOption(tokenOption())
  .option(
    '--other-token <token>',
    'token of another user, without the scope all-projects: tries that it sees no private project',
  )
  .option(
    '--only <name>',
    'runs the files with this text in their name: lists, errors, idempotency …',
    parseFile,
  )
  .action(async (given, { stage, token: givenToken, otherToken, only = '' }) => {
    if (given !== undefined && stage !== undefined)
      throw new InvalidArgumentError('Give a URL or --stage, not both.');
    const url = given ?? serviceAddress(requiredOutput(readOutputs(stage ?? defaultStage), 'Url'));
    const deployment = { url, token: await tokenFor(url, givenToken), otherToken };
    await requireScopes(deployment);
    await cleanUp(deployment, 'an earlier run');
    const code = await runTests(deployment, only);
    await cleanUp(deployment, code === undefined ? 'the interrupted run' : 'failed tests');
    process.exitCode = code ?? 130;
  });
