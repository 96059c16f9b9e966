/**
 * `npm run bundles`: bundles all functions for deployment, prints their sizes and the violations of the limits.
 * `-- --record` records the current sizes.
 */
import { parseArgs } from 'node:util';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import {
  budgetViolations,
  bundlesOf,
  recordedSizes,
  recordSizes,
} from '../lib/infrastructure/bundle-budget.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
const { metafile } = await bundleFunctions('dist/functions');
if (values.record) recordSizes(metafile);
for (const { file, bytes } of bundlesOf(metafile).sort((one, other) => one.bytes - other.bytes)) {
  console.log(bytes.toLocaleString('en').padStart(9), file);
}
const violations = budgetViolations(metafile, recordedSizes());
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
