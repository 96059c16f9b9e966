import { parseArgs } from 'node:util';
import { httpAddress, UsageError, wholeNumber } from '../cli/command-line.ts';
import type { Amounts } from './source.ts';

export interface SeedOptions {
  readonly amounts: Amounts;
  /** The same number gives the same data. */
  readonly seed: number;
  readonly url: string;
  /** Requests under way at once. */
  readonly concurrency: number;
}

const usualUrl = 'http://localhost:3000';

export const help = `Fills a running server with believable data, through its API.

  npm run seed -- [options]

  --organizations <number>  how many (3)
  --users <number>          how many (20)
  --tags <number>           how many (12)
  --projects <number>       how many (30)
  --tasks <number>          how many (2000)
  --seed <number>           the same number gives the same data, on the same day:
                            dates are around today (1)
  --url <url>               where the server is (${usualUrl})
  --concurrency <number>    requests under way at once (16)
  --help                    this text`;

const text = { type: 'string' } as const;

function flags(values: readonly string[]) {
  try {
    return parseArgs({
      args: [...values],
      options: {
        organizations: text,
        users: text,
        tags: text,
        projects: text,
        tasks: text,
        seed: text,
        url: text,
        concurrency: text,
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads the command's flags.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that names the flag that is wrong.
 */
export function seedOptions(values: readonly string[]): SeedOptions | 'help' {
  const given = flags(values);
  if (given.help) return 'help';
  const number = (name: keyof typeof given, usual: number, least = 0, most = 10_000_000): number =>
    wholeNumber(`--${name}`, String(given[name] ?? usual), least, most);
  const amounts = {
    organization: number('organizations', 3),
    user: number('users', 20),
    tag: number('tags', 12),
    project: number('projects', 30),
    task: number('tasks', 2_000),
  };
  if (amounts.project > 0 && amounts.organization === 0)
    throw new UsageError('A project belongs to an organization: there must be one, or no projects.');
  return {
    amounts,
    seed: number('seed', 1, 0, 2 ** 32 - 1),
    url: httpAddress('--url', given.url ?? usualUrl, usualUrl).replace(/\/+$/, ''),
    concurrency: number('concurrency', 16, 1, 256),
  };
}
