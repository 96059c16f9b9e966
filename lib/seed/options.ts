import { type CollectionName, collections } from '../cli/collections.ts';
import { parseFlags, serviceAddress, UsageError, wholeNumber } from '../cli/command-line.ts';

export const kinds = collections;

export type Kind = CollectionName;

export type Amounts = Readonly<Record<Kind, number>>;

export interface SeedOptions {
  readonly amounts: Amounts;
  readonly seed: number;
  readonly url: string;
  readonly concurrency: number;
  /** Whether all entities of the service are deleted first. */
  readonly reset?: boolean;
}

const defaults = { organizations: 3, users: 20, tags: 12, projects: 30, tasks: 2_000 };
const defaultUrl = 'http://localhost:3000';

export const help = `Fills a running service with realistic data, through its API.

  npm run seed -- [options]

  --organizations <number>  default: ${defaults.organizations}
  --users <number>          default: ${defaults.users}
  --tags <number>           default: ${defaults.tags}
  --projects <number>       default: ${defaults.projects}
  --tasks <number>          default: ${defaults.tasks}
  --seed <number>           seed of the random generator; default: 1. The same seed creates
                            the same data on the same day: dates are relative to today
  --url <url>               address of the service; default: ${defaultUrl}
  --concurrency <number>    parallel requests, of 25 entities each; default: 8
  --reset                   deletes everything in the service first. Only for a service on this
                            machine
  --help                    prints this text`;

const flags = {
  ...(Object.fromEntries(kinds.map((kind) => [kind, { type: 'string' }])) as Record<
    Kind,
    { type: 'string' }
  >),
  seed: { type: 'string', default: '1' },
  url: { type: 'string', default: defaultUrl },
  concurrency: { type: 'string', default: '8' },
  reset: { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const;

const isOnThisMachine = (url: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

/** @throws UsageError that names the wrong flag. */
export function seedOptions(args: readonly string[]): SeedOptions | 'help' {
  const { values: given } = parseFlags({ args: [...args], options: flags });
  if (given.help) return 'help';
  const amounts = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      wholeNumber(`--${kind}`, given[kind] ?? String(defaults[kind]), 0, 10_000_000),
    ]),
  ) as Amounts;
  if (amounts.projects > 0 && amounts.organizations === 0) {
    throw new UsageError('Every project belongs to an organization. Set --organizations to 1 or more.');
  }
  const url = serviceAddress('--url', given.url, defaultUrl);
  if (given.reset && !isOnThisMachine(url)) {
    throw new UsageError(
      `--reset deletes everything, so it is only for a service on this machine, not ${url}.`,
    );
  }
  return {
    amounts,
    seed: wholeNumber('--seed', given.seed, 0, 2 ** 32 - 1),
    url,
    concurrency: wholeNumber('--concurrency', given.concurrency, 1, 256),
    reset: given.reset,
  };
}
