import { Command } from '@commander-js/extra-typings';
import { asFailure } from '../lib/command-line/command-line.ts';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { bundlesOf } from '../lib/infrastructure/bundle-budget.ts';

export const command = new Command('bundles')
  .description(
    'Bundles all functions for deployment into dist/functions, checks their sizes and modules, and prints the sizes.',
  )
  .action(async () => {
    const { metafile } = await asFailure(bundleFunctions('dist/functions'));
    for (const { file, bytes } of bundlesOf(metafile).sort((one, other) => one.bytes - other.bytes)) {
      console.log(bytes.toLocaleString('en').padStart(9), file);
    }
  });
