import { Command, Option } from '@commander-js/extra-typings';
import { createClient } from '../client/index.ts';
import { progressOn } from '../lib/cli/progress.ts';
import { quickCheck, requireService } from '../lib/cli/require-service.ts';
import { collectionOption, tokenOption, urlOption } from '../lib/cli/service-options.ts';
import { exportCollection } from '../lib/transfer/export-collection.ts';

export const command = new Command('export')
  .description(
    'Writes all entities of a collection, the oldest first, one as JSON in each line (NDJSON), or as CSV.',
  )
  .addOption(collectionOption())
  .addOption(urlOption())
  .addOption(tokenOption())
  .option('--output <file>', 'file to write; default: the standard output')
  .addOption(
    new Option('--format <format>', 'CSV is for spreadsheets: only NDJSON can be imported')
      .choices(['ndjson', 'csv'] as const)
      .default('ndjson' as const),
  )
  .action(async (options) => {
    const { url, collection, output } = options;
    await requireService(createClient({ url, ...quickCheck }), url);
    // The standard output can be the export.
    const progress = progressOn(process.stderr);
    const count = await exportCollection(options, progress);
    console.error(`Wrote ${count} ${collection}${output === undefined ? '' : ` to ${output}`}.`);
  });
