/** `npm run seed`: fills a running server with believable data. */
import { runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { ServerError } from '../lib/seed/api-client.ts';
import { help, seedOptions } from '../lib/seed/options.ts';
import { pluralOf, type Seeded, seed } from '../lib/seed/seed.ts';
import { kinds } from '../lib/seed/source.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

await runCommand('npm run seed', async () => {
  const options = seedOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return 0;
  }
  const { amounts } = options;
  const progress = process.stdout.isTTY
    ? progressBar(sum(Object.values(amounts)), process.stdout)
    : progressLines(console.log);
  let seeded: Seeded;
  try {
    seeded = await seed(options, progress);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    console.error(error.message);
    return 1;
  }
  const { requests, milliseconds, lookAt } = seeded;
  const counts = kinds
    .map((kind) => `${amounts[kind]} ${amounts[kind] === 1 ? kind : pluralOf(kind)}`)
    .join(', ');
  const rate = Math.round((requests / milliseconds) * 1_000);
  console.log(
    `Created ${counts} in ${(milliseconds / 1_000).toFixed(1)} s: ${requests} requests, ${rate} per second.`,
  );
  console.log(`Look at: ${lookAt}`);
  return 0;
});
