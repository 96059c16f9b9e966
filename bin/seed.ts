import { createClient } from '../client/index.ts';
import { runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { quickCheck, requireService } from '../lib/cli/require-service.ts';
import { help, kinds, seedOptions } from '../lib/seed/options.ts';
import { seed } from '../lib/seed/seed.ts';

await runCommand('npm run seed', async () => {
  const options = seedOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return 0;
  }
  const { amounts, url } = options;
  await requireService(createClient({ url, ...quickCheck }), url);
  const total = Object.values(amounts).reduce((sum, amount) => sum + amount, 0);
  console.log(
    `${options.reset ? 'Empties' : 'Fills'} ${url}${options.reset ? ' and fills it' : ''} with ${total} entities. --url selects another service.`,
  );
  const progress = process.stdout.isTTY ? progressBar(process.stdout) : progressLines(console.log);
  const { durationMs, exampleUrl } = await seed(options, progress);
  const counts = kinds.map((kind) => `${amounts[kind]} ${amounts[kind] === 1 ? kind.slice(0, -1) : kind}`);
  const seconds = (durationMs / 1_000).toFixed(1);
  const rate = Math.round((total / durationMs) * 1_000);
  console.log(`Created ${counts.join(', ')} in ${seconds} s: ${rate} a second.`);
  console.log(`Example: ${exampleUrl}`);
  return 0;
});
