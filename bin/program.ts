import { Command, CommanderError, InvalidArgumentError } from '@commander-js/extra-typings';
import { ConnectionError, ProblemError } from '../client/problems.ts';
import { CommandFailure } from '../lib/command-line/command-line.ts';

type Load = () => Promise<{ readonly command: Pick<Command, never> }>;

/** What each command does, and its file. Only the file of the command that runs is loaded. */
export const commands: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  start: ['Runs the service on this machine.', () => import('./start.ts')],
  dev: ['Runs the service, and restarts it when you save a file.', () => import('./dev.ts')],
  seed: ['Fills a running service with realistic data.', () => import('./seed.ts')],
  invoke: ['Calls the handler of an operation without a gateway.', () => import('./invoke.ts')],
  board: ['Serves a task board for a running service.', () => import('./board.ts')],
  mcp: ['Offers a running service to an agent.', () => import('./mcp.ts')],
  export: ['Writes a collection to a file.', () => import('./export.ts')],
  import: ['Creates entities from a file.', () => import('./import.ts')],
  token: ['Prints an access token.', () => import('./token.ts')],
  audit: ['Checks the stored data.', () => import('./audit.ts')],
  erase: ['Erases a tenant, or a deleted entity.', () => import('./erase.ts')],
  rewrite: ['Writes entities again, in the present format.', () => import('./rewrite.ts')],
  republish: ['Publishes events again.', () => import('./republish.ts')],
  verify: ['Runs the contract tests against a deployment.', () => import('./verify.ts')],
  trace: ['Finds the source of a stack trace in the log.', () => import('./trace.ts')],
  costs: ['Prints what typical requests cost on AWS.', () => import('./costs.ts')],
  cdk: ['Checks settings and credentials, and runs CDK.', () => import('./cdk.ts')],
  'start-synthesized': ['Runs the synthesized stacks.', () => import('../tools/start-synthesized.ts')],
  new: ['Writes the files of a resource.', () => import('../tools/new.ts')],
  bundles: ['Bundles all functions.', () => import('../tools/bundles.ts')],
  client: ['Builds and packs the client.', () => import('../tools/client.ts')],
  openapi: ['Writes, compares or checks the OpenAPI document.', () => import('../tools/openapi.ts')],
  site: ['Builds the documentation.', () => import('./site.ts')],
  test: ['Checks types and lint, and runs tests.', () => import('../tools/test.ts')],
  'test:watch': ['Runs the tests of what you save.', () => import('../tools/test-watch.ts')],
  'test:mutations': ['Runs tests with mutations of the code.', () => import('../test/mutations/run.ts')],
  bench: ['Runs a benchmark.', () => import('../benchmarks/run.ts')],
};

/** Removes empty environment variables that options read: an empty one counts as unset. */
function removeEmptyVariables({ options }: Command): void {
  for (const { envVar } of options) if (envVar && process.env[envVar] === '') delete process.env[envVar];
}

async function parse(args: readonly string[]): Promise<void> {
  const program = new Command('npx pm-api')
    .description('The commands of the project-management API. Each prints its options with --help.')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError('Run the command with --help to see its options.');
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = name === args[0] ? ((await load()).command as Command) : new Command(name);
    for (const one of [command, ...command.commands]) one.copyInheritedSettings(program);
    command.summary(summary);
    if (name === args[0]) removeEmptyVariables(command);
    program.addCommand(command);
  }
  await program.parseAsync(args, { from: 'user' });
}

/**
 * Runs a command and sets the exit code of the process: 1 after a failure that the user can correct, and 2 when the arguments are wrong.
 * @param args the name of the command, and its arguments.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await parse(args);
  } catch (error) {
    const isExplained = [CommandFailure, ProblemError, ConnectionError].some((kind) => error instanceof kind);
    if (isExplained) {
      console.error((error as Error).message);
      process.exitCode = 1;
    } else if (error instanceof CommanderError) {
      // Commander has printed its own.
      if (error instanceof InvalidArgumentError) console.error(`error: ${error.message}`);
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      throw error;
    }
  }
}
