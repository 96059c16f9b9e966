import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import {
  budgetViolations,
  bundlesOf,
  recordedSizes,
  recordSizes,
} from '../lib/infrastructure/bundle-budget.ts';

const help = `Bundles all functions for deployment into dist/functions, prints their sizes and checks the budget.

  npm run bundles -- [options]

  --record   records the current sizes
  --help     prints this text`;

await runCommand('npm run bundles', async () => {
  const flags = flagsOrHelp(help, { record: { type: 'boolean' } });
  if (!flags) return 0;
  const { metafile } = await bundleFunctions('dist/functions');
  if (flags.record) recordSizes(metafile);
  for (const { file, bytes } of bundlesOf(metafile).sort((one, other) => one.bytes - other.bytes)) {
    console.log(bytes.toLocaleString('en').padStart(9), file);
  }
  const violations = budgetViolations(metafile, recordedSizes());
  for (const violation of violations) console.error(violation);
  return violations.length > 0 ? 1 : 0;
});
