import { InvalidArgumentError } from '@commander-js/extra-typings';
import { outputsFile } from '../command-line/outputs.ts';
import { isDisposable, stackName, tableLogicalId, tableNameOf } from '../infrastructure/names.ts';
import { valuesOf } from '../infrastructure/read-settings.ts';
import { type Settings, settingNames } from '../infrastructure/settings.ts';
import type { CdkCommand } from './commands.ts';

/**
 * Returns the flags of a command. `bootstrap` and `destroy` create no client for sign-in and no alarm, so they ask for neither.
 * @param configured the context of `cdk.json`.
 */
export function commandFlags(
  command: CdkCommand,
  flags: readonly string[],
  configured: Readonly<Record<string, unknown>> = {},
): string[] {
  if (command !== 'bootstrap' && command !== 'destroy') return [...flags];
  // The clients of an existing pool are in "audience".
  const client = valuesOf(contextOf(configured, flags))['userPoolId'] ? [] : ['-c', 'machineClient=true'];
  return [...flags, ...client, '-c', 'alarmEmail=none', '-c', 'monthlyBudget=0'];
}

/**
 * Returns the context that the flags `-c key=value` and `--context key=value` give, over that of `cdk.json`.
 * @throws InvalidArgumentError for a flag without a key and a value, and for a setting of `cdk.json` that all stages would have.
 */
export function contextOf(
  configured: Readonly<Record<string, unknown>>,
  flags: readonly string[],
): Record<string, unknown> {
  const misplaced = settingNames.find((name) => name in configured);
  if (misplaced)
    throw new InvalidArgumentError(
      `"${misplaced}" is directly under "context" in cdk.json. Write it under "stages.<stage>".`,
    );
  const context = { ...configured };
  const values = [...flags];
  for (let flag = values.shift(); flag !== undefined; flag = values.shift()) {
    const [, attached] = /^(?:-c|--context)(?:=(.*))?$/s.exec(flag) ?? [undefined, null];
    if (attached === null) continue;
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(attached ?? values.shift() ?? '') ?? [];
    if (key === undefined)
      throw new InvalidArgumentError(`${flag} needs a setting and its value: -c stage=production`);
    context[key] = value;
  }
  return context;
}

/** Returns the arguments for CDK. A stage that is not disposable keeps its data stack. */
export function cdkArguments(command: CdkCommand, settings: Settings, flags: readonly string[]): string[] {
  const { stage } = settings;
  const own: Record<CdkCommand, readonly string[]> = {
    bootstrap: [],
    deploy: ['--all', '--outputs-file', outputsFile(stage)],
    diff: ['--all'],
    drift: ['--all', '--fail'],
    // The import changes nothing else: what else the settings change is deployed afterwards.
    import: [
      stackName(settings, 'data'),
      '--force',
      '--resource-mapping-inline',
      JSON.stringify({
        [tableLogicalId(settings, tableNameOf(settings))]: { TableName: tableNameOf(settings) },
      }),
    ],
    destroy: isDisposable(settings) ? ['--all'] : ['--exclusively', stackName(settings, 'api')],
    synth: ['--quiet'],
  };
  return [command, ...own[command], ...flags];
}

export function announcement(command: CdkCommand, settings: Settings, region: string): string {
  const { stage, account } = settings;
  const where = `stage "${stage}", ${account ? `account ${account}, ` : ''}region ${region}`;
  if (command !== 'destroy') return `${command}: ${where}`;
  return isDisposable(settings)
    ? `destroy: ${where}. The data is deleted as well.`
    : `destroy: ${where}. The data stack stays; docs/deployment.md describes how to delete it.`;
}
