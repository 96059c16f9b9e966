import { Command, Option } from '@commander-js/extra-typings';
import { wholeNumber } from '../lib/command-line/command-line.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { requireService } from '../lib/command-line/require-service.ts';
import { collectionOption, tokenOption, urlOption } from '../lib/command-line/service-options.ts';
import { tokenFor } from '../lib/tokens/local-token.ts';
import { importCollection } from '../lib/transfer/import-collection.ts';

export const command = new Command('import')
  .description(
    `Creates entities from a file that "npx pm-api export" has written. They get new ids and a new createdAt. Import organizations, users and tags first, then projects, then tasks, all from one folder: the file imported-ids.ndjson in the folder has the new ids, with which references are rewritten. After an interruption, repeat the command within 30 days, also with a corrected file: it continues, and creates nothing twice.`,
  )
  .addOption(collectionOption())
  .addOption(urlOption())
  .addOption(tokenOption())
  .requiredOption('--input <file>', 'file to read')
  .addOption(
    new Option(
      '--other-references <rule>',
      'references to entities that were not imported; keep: the service has these entities',
    )
      .choices(['fail', 'keep', 'drop'] as const)
      .default('fail' as const),
  )
  .option(
    '--open-tasks',
    'tasks whose project was not imported are created without it, for all to see; with --other-references drop',
  )
  .option('--concurrency <number>', 'parallel requests, of up to 25 entities each', wholeNumber(1, 64), 4)
  .action(async (options) => {
    const { url, collection } = options;
    await requireService(url);
    const token = await tokenFor(url, options.token);
    const progress = progressOn(process.stdout);
    const { created, known, ids } = await importCollection({ ...options, token }, progress);
    if (known > 0) console.log(`An earlier run created ${known} of the ${collection}.`);
    console.log(
      `Created ${created} ${collection}. They have a new createdAt and new ids: ${ids} has both ids of each.`,
    );
  });
