import { Command } from '@commander-js/extra-typings';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import {
  budgetViolations,
  bundlesOf,
  recordedSizes,
  recordSizes,
} from '../lib/infrastructure/bundle-budget.ts';

export const command = new Command('bundles')
  .description(
    'Bundles all functions for deployment into dist/functions, prints their sizes and checks the budget.',
  )
  .option('--record', 'records the current sizes')
  .action(async ({ record }) => {
    const { metafile } = await bundleFunctions('dist/functions');
    if (record) recordSizes(metafile);
    for (const { file, bytes } of bundlesOf(metafile).sort((one, other) => one.bytes - other.bytes)) {
      console.log(bytes.toLocaleString('en').padStart(9), file);
    }
    const violations = budgetViolations(metafile, recordedSizes());
    for (const violation of violations) console.error(violation);
    process.exitCode = violations.length > 0 ? 1 : 0;
  });
