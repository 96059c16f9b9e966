/** The commands of `npx pm-api cdk`. Nothing here loads CDK, which takes most of a second. */

const commands = {
  bootstrap: 'prepares an account and region for deployments, once',
  deploy: 'deploys both stacks, and writes their outputs to .outputs/<stage>.json',
  diff: 'shows what a deployment would change',
  drift:
    'compares what is deployed with its templates, and fails if somebody has changed it outside of CloudFormation',
  import: 'takes the table that "tableName" names into the data stack, after a restore (docs/data.md)',
  destroy:
    'deletes the API stack, and in a disposable stage ("development", "development-…") the data stack with all data',
  synth:
    'builds the documentation if necessary, and writes the templates and bundles of both stacks to cdk.out. It needs neither credentials nor a network',
} as const;

export type CdkCommand = keyof typeof commands;

export const cdkCommands = Object.keys(commands) as CdkCommand[];

/** Returns a line for each command. */
export const cdkHelp = (): string =>
  Object.entries(commands)
    .map(([name, text]) => `  ${name.padEnd(9)}  ${text}`)
    .join('\n');
