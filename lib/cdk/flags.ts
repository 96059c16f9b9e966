/** Checks flags for CDK, which ignores unknown ones with a warning: a mistyped one would change what a deployment does. */
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { findNearestName } from '../../functions/http/suggestion.ts';

/** The flags of CDK that are passed on. `npx cdk` takes all. */
export const cdkFlags = [
  ...['--context', '-c', '--output', '-o', '--verbose', '-v', '--debug', '--proxy', '--ca-bundle-path'],
  ...['--require-approval', '--method', '--force', '-f', '--rollback', '--no-rollback', '--concurrency'],
];

/** Returns the name of a flag, without its value. */
const nameOf = (flag: string): string =>
  flag.startsWith('--') ? flag.replace(/=.*/s, '') : flag.slice(0, 2);

/** @throws InvalidArgumentError that names the unknown flag and the nearest one, or says how to pass a setting. */
export function requireKnownFlags(flags: readonly string[]): void {
  const unknown = flags
    .filter((flag) => /^--?[a-z]/i.test(flag))
    .map(nameOf)
    .find((name) => !cdkFlags.includes(name));
  if (unknown === undefined) return;
  const nearest = findNearestName(unknown, cdkFlags);
  throw new InvalidArgumentError(
    `There is no option ${unknown}. ${nearest ? `Did you mean "${nearest}"?` : 'A setting follows "-c": -c stage=production. The help lists the flags of CDK; "npx cdk" takes all.'}`,
  );
}
