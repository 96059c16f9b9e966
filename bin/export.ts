import { createClient } from '../client/index.ts';
import { runCommand } from '../lib/cli/command-line.ts';
import { progressBar, progressLines } from '../lib/cli/progress.ts';
import { quickCheck, requireService } from '../lib/cli/require-service.ts';
import { exportCollection } from '../lib/transfer/export-collection.ts';
import { exportHelp, exportOptions } from '../lib/transfer/options.ts';

await runCommand('npm run export', async () => {
  const options = exportOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(exportHelp);
    return 0;
  }
  const { url, collection, output } = options;
  await requireService(createClient({ url, ...quickCheck }), url);
  // The standard output can be the export.
  const progress = process.stderr.isTTY ? progressBar(process.stderr) : progressLines(console.error);
  const count = await exportCollection(options, progress);
  console.error(`Wrote ${count} ${collection}${output === undefined ? '' : ` to ${output}`}.`);
  return 0;
});
