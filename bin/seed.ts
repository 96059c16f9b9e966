import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { collections } from '../lib/command-line/collections.ts';
import { wholeNumber } from '../lib/command-line/command-line.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { tokenOption, urlOption } from '../lib/command-line/service-options.ts';
import { type SeedOptions, seed } from '../lib/seed/seed.ts';
import { tokenFor } from '../lib/tokens/local-token.ts';

const amount = wholeNumber(0, 10_000_000);

const isOnThisMachine = (url: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

async function fill(options: SeedOptions): Promise<void> {
  const { amounts, url } = options;
  const token = await tokenFor(url, options.token);
  const total = Object.values(amounts).reduce((sum, amount) => sum + amount, 0);
  console.log(
    `${options.reset ? 'Empties' : 'Fills'} ${url}${options.reset ? ' and fills it' : ''} with ${total} entities. --url selects another service.`,
  );
  const { durationMs, exampleUrl, lastNumber } = await seed(
    { ...options, token },
    progressOn(process.stdout),
  );
  const counts = collections.map(
    (name) => `${amounts[name]} ${amounts[name] === 1 ? name.slice(0, -1) : name}`,
  );
  const seconds = (durationMs / 1_000).toFixed(1);
  const rate = Math.round((total / durationMs) * 1_000);
  console.log(`Created ${counts.join(', ')} in ${seconds} s: ${rate} a second.`);
  if (token !== undefined && amounts.projects > 0)
    console.log(
      'A third of the projects is private: others than their members need the role admin to see them.',
    );
  console.log(`Example: ${exampleUrl}`);
  if (lastNumber) console.log(`Task #${lastNumber}: ${url}/v1/tasks?number=${lastNumber}`);
}

export const command = new Command('seed')
  .description('Fills a running service with realistic data, through its API.')
  .option('--organizations <number>', '', amount, 3)
  .option('--users <number>', '', amount, 20)
  .option('--tags <number>', '', amount, 12)
  .option('--projects <number>', '', amount, 30)
  .option('--tasks <number>', '', amount, 2_000)
  .option(
    '--seed <number>',
    'seed of the random generator. The same seed creates the same data on the same day: dates are relative to today',
    wholeNumber(0, 2 ** 32 - 1),
    1,
  )
  .addOption(urlOption())
  .addOption(tokenOption())
  .option('--concurrency <number>', 'parallel requests, of 25 entities each', wholeNumber(1, 256), 8)
  .option('--reset', 'deletes everything in the service first. Only for a service on this machine')
  .action(async ({ seed: number, url, token, concurrency, reset, ...amounts }) => {
    if (amounts.projects > 0 && amounts.organizations === 0)
      throw new InvalidArgumentError(
        'Every project belongs to an organization. Set --organizations to 1 or more.',
      );
    if (reset && !isOnThisMachine(url))
      throw new InvalidArgumentError(
        `--reset deletes everything, so it is only for a service on this machine, not ${url}.`,
      );
    await fill({ amounts, seed: number, url, token, concurrency, reset });
  });
