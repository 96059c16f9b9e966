import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type CollectionName, collections } from '../lib/command-line/collections.ts';
import { wholeNumber } from '../lib/command-line/command-line.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { collectionOption, tokenOption, urlOption } from '../lib/command-line/service-options.ts';
import { tokenFor } from '../lib/tokens/local-token.ts';
import { importCollection } from '../lib/transfer/import-collection.ts';

/** Returns the files to read, by collection: the one that is named, or those of a folder, each of which refers to earlier ones. */
function filesOf(input: string, only: CollectionName | undefined): (readonly [CollectionName, string])[] {
  const isFolder = statSync(input, { throwIfNoEntry: false })?.isDirectory() === true;
  const files = (only === undefined ? collections : [only]).map((name) =>
    isFolder ? ([name, join(input, `${name}.ndjson`)] as const) : ([name, input] as const),
  );
  if (only !== undefined) return files;
  const found = isFolder ? files.filter(([, file]) => existsSync(file)) : [];
  if (found.length > 0) return found;
  throw new InvalidArgumentError(
    `${input} is no folder that was exported. For a file, name its --collection.`,
  );
}

export const command = new Command('import')
  .description(
    `Creates entities from the folder or a file that "npx pm-api export" has written. They get new ids and a new createdAt. The file imported-ids.ndjson in the folder has the new ids, with which references are rewritten: import single files in the order organizations, users, tags, projects and tasks, all from one folder. After an interruption, repeat the command within 30 days, also with a corrected file: it continues, and creates nothing twice.`,
  )
  .addOption(collectionOption('the collection of a file; default: each that has a file in the folder'))
  .addOption(urlOption())
  .addOption(tokenOption())
  .requiredOption('--input <path>', 'file or folder to read')
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
    const { url } = options;
    const files = filesOf(options.input, options.collection);
    const token = await tokenFor(url, options.token);
    const progress = progressOn(process.stdout);
    for (const [collection, input] of files) {
      const settings = { ...options, token, collection, input };
      const { created, known, ids } = await importCollection(settings, progress);
      if (known > 0) console.log(`An earlier run created ${known} of the ${collection}.`);
      console.log(
        `Created ${created} ${collection}. They have a new createdAt and new ids: ${ids} has both ids of each.`,
      );
    }
  });
