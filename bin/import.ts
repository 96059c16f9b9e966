import { createClient } from '../client/index.ts';
import { runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { quickCheck, requireService } from '../lib/cli/require-service.ts';
import { importCollection } from '../lib/transfer/import-collection.ts';
import { importHelp, importOptions } from '../lib/transfer/options.ts';

await runCommand('npm run import', async () => {
  const options = importOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(importHelp);
    return 0;
  }
  const { url, collection } = options;
  await requireService(createClient({ url, ...quickCheck }), url);
  const progress = process.stdout.isTTY ? progressBar(process.stdout) : progressLines(console.log);
  const { created, known, ids } = await importCollection(options, progress);
  if (known > 0) console.log(`An earlier run created ${known} of the ${collection}.`);
  console.log(
    `Created ${created} ${collection}. They have a new createdAt and new ids: ${ids} has both ids of each.`,
  );
  return 0;
});
