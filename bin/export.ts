import { join } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { createClient } from '../client/index.ts';
import { allProjectsScope } from '../functions/contract/scopes.ts';
import { collections } from '../lib/command-line/collections.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { collectionOption, tokenOption, urlOption } from '../lib/command-line/service-options.ts';
import { tokenFor } from '../lib/tokens/local-token.ts';
import { exportCollection } from '../lib/transfer/export-collection.ts';

export const command = new Command('export')
  .description('Writes all entities, the oldest first, one as JSON in each line (NDJSON), or as CSV.')
  .addOption(collectionOption('the collection; default: each, to a file of its own'))
  .addOption(urlOption())
  .addOption(tokenOption())
  .option('--output <path>', 'file to write, or folder of all collections; default: the standard output')
  .addOption(
    new Option('--format <format>', 'CSV is for spreadsheets: only NDJSON can be imported')
      .choices(['ndjson', 'csv'] as const)
      .default('ndjson' as const),
  )
  .action(async ({ collection: only, output, ...given }, command) => {
    if (!only && output === undefined) {
      return command.error('Name a folder for the files with --output, or one collection with --collection.');
    }
    const options = { ...given, token: await tokenFor(given.url, given.token) };
    const { scopes } = await createClient(options).me();
    if (!scopes.includes(allProjectsScope))
      console.error(`The token has no scope "${allProjectsScope}": what it does not see is not exported.`);
    // The standard output can be the export.
    const progress = progressOn(process.stderr);
    for (const collection of only ? [only] : collections) {
      const file = only || output === undefined ? output : join(output, `${collection}.${options.format}`);
      const count = await exportCollection({ ...options, collection, output: file }, progress);
      console.error(`Wrote ${count} ${collection}${file === undefined ? '' : ` to ${file}`}.`);
    }
  });
