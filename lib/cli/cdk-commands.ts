/** The commands of `npm run cdk`. Nothing here loads CDK, which takes most of a second. */
import { suggestion } from '../../functions/http/suggestion.ts';
import { UsageError } from './command-line.ts';

export const cdkCommands = ['bootstrap', 'deploy', 'diff', 'drift', 'import', 'destroy', 'synth'] as const;

export type CdkCommand = (typeof cdkCommands)[number];

/** The commands with a script of their own. */
const scripts: readonly string[] = ['deploy', 'diff', 'synth'];

/** Returns the script of a command, as it is run without further options. */
export const scriptOf = (command: string | undefined): string =>
  command !== undefined && scripts.includes(command) ? `npm run ${command}` : 'npm run cdk';

/** Returns the beginning of a command line with options. */
export const commandLineOf = (command: CdkCommand): string =>
  scripts.includes(command) ? `${scriptOf(command)} --` : `${scriptOf(command)} -- ${command}`;

export const cdkHelp = `Checks the settings, the flags, the credentials and the region, and runs CDK.

  npm run deploy -- [options]
  npm run diff -- [options]
  npm run synth -- [options]
  npm run cdk -- <command> [options]

  bootstrap              prepares an account and region for deployments, once
  deploy                 deploys both stacks, and writes their outputs to .outputs/<stage>.json
  diff                   shows what a deployment would change
  drift                  compares what is deployed with its templates, and fails if somebody has
                         changed it outside of CloudFormation
  import                 takes the table that "tableName" names into the data stack, after a restore
                         (docs/data.md)
  destroy                deletes the API stack, and in a disposable stage ("development",
                         "development-…") the data stack with all data
  synth                  builds the documentation if necessary, and writes the templates and
                         bundles of both stacks to cdk.out. It needs neither credentials nor
                         a network

  -c <setting>=<value>   a setting, over that of cdk.json: -c stage=production; repeatable
                         (docs/deployment.md lists them)
  --help                 prints this text

All other options are those of CDK: npx cdk <command> --help. An unknown one is refused.`;

/** @throws UsageError that names the nearest command. */
export function requireCommand(command: string | undefined): CdkCommand {
  const known = cdkCommands.find((one) => one === command);
  if (known) return known;
  if (command === undefined) throw new UsageError(`Choose a command: ${cdkCommands.join(', ')}.`);
  throw new UsageError(
    command.startsWith('-')
      ? `There is no option ${command}. ${suggestion(command, ['--help'])}`
      : `There is no command "${command}". ${suggestion(command, cdkCommands)}`,
  );
}
