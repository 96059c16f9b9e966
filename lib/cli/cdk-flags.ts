/** Checks flags for CDK, which ignores unknown ones with a warning: a mistyped one would change what a deployment does. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { findNearestName } from '../../functions/http/suggestion.ts';
import type { CdkCommand } from './cdk-commands.ts';

interface CdkOption {
  readonly type: 'string' | 'number' | 'boolean' | 'array';
  readonly alias?: string | readonly string[];
  readonly negativeAlias?: string;
}

type CdkOptions = Readonly<Record<string, CdkOption>>;

/** CDK's table of options. It is a file of the installed version, and no part of its interface: a test reads it. */
interface CdkTable {
  readonly globalOptions: CdkOptions;
  readonly commands: Readonly<Record<CdkCommand, { readonly options: CdkOptions }>>;
}

function readTable(): CdkTable {
  const manifest = createRequire(import.meta.url).resolve('aws-cdk/package.json');
  return JSON.parse(
    readFileSync(join(dirname(manifest), 'lib/cli/cli-type-registry.json'), 'utf8'),
  ) as CdkTable;
}

const namesOf = ([name, { type, alias = [], negativeAlias }]: [string, CdkOption]): string[] => [
  name,
  ...(type === 'boolean' ? [`no-${name}`] : []),
  ...[alias].flat(),
  ...(negativeAlias ? [negativeAlias] : []),
];

/** Returns the flags that a command of CDK takes: `--require-approval`, and `-e`. */
export function knownFlags(command: CdkCommand): string[] {
  const { globalOptions, commands } = readTable();
  const names = Object.entries({ ...globalOptions, ...commands[command].options }).flatMap(namesOf);
  return [...new Set(['help', 'h', 'version', ...names])].map((name) =>
    name.length === 1 ? `-${name}` : `--${name}`,
  );
}

/** Returns the name of a flag: without its value, and with dashes instead of capital letters, which CDK accepts too. */
const nameOf = (flag: string): string =>
  flag.startsWith('--')
    ? flag.replace(/=.*/s, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    : flag.slice(0, 2);

/** @throws InvalidArgumentError that names the unknown flag and the nearest one, or says how to pass a setting. */
export function requireKnownFlags(command: CdkCommand, flags: readonly string[]): void {
  const given = flags.filter((flag) => /^--?[a-z]/i.test(flag));
  if (given.length === 0) return;
  const known = knownFlags(command);
  const unknown = given.map(nameOf).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = findNearestName(unknown, known);
  throw new InvalidArgumentError(
    `There is no option ${unknown}. ${nearest ? `Did you mean "${nearest}"?` : 'A setting follows "-c": -c stage=production.'}`,
  );
}
